"""Skills, commands and agents: what the harness lists for the model."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="skill-unlisted",
        family="listings",
        severity="warning",
        summary="A skill or command exists, but the harness does not list it for the model",
        why="The harness lists skills by name and description. It silently leaves out those that it cannot read.",
        before=".claude/skills/release/SKILL.md without front matter",
        after="---\nname: release\ndescription: How to make a release\n---",
        help="Fix what the message names, or remove the file.",
        found_in=("listings",),
    ),
    Rule(
        code="skill-shadowed",
        family="listings",
        severity="warning",
        summary="Another skill or command of the same name takes precedence over this one",
        why="The harness offers one skill or command per name. This one is never used.",
        before=".claude/skills/release/SKILL.md and .claude/commands/release.md",
        after=".claude/skills/release/SKILL.md and .claude/commands/tag.md",
        help="Rename one of them.",
        found_in=("listings",),
        retracted_if=("offered-elsewhere",),
    ),
    Rule(
        code="listing-cut",
        family="listings",
        severity="warning",
        summary="A list of skills, commands or agents exceeds its limit",
        why="What is left out is never used, and what loses its description is hardly ever chosen.",
        before="2,000 skills, where the list has room for some 600",
        after="those skills that the project needs, with short descriptions",
        help="Shorten the descriptions, remove some, or raise the limit that the message names.",
        found_in=("listings",),
    ),
    Rule(
        code="agent-unoffered",
        family="listings",
        severity="warning",
        summary="An agent is defined, but the model cannot choose it",
        why="The harness offers agents by name and description. One that lacks either is left out silently.",
        before=".claude/agents/reviewer.md without a description",
        after="---\nname: reviewer\ndescription: Reviews a change\n---",
        help="Add what the message names as missing.",
        found_in=("listings",),
    ),
    Rule(
        code="tool-unknown",
        family="listings",
        severity="warning",
        summary="A list of tools has a name that is not a tool of the harness",
        why="The harness passes over names that it does not know, so the agent lacks a tool that it needs.",
        before="tools: Read, Gerp",
        after="tools: Read, Grep",
        help="Write the name as the harness spells it.",
        found_in=("config",),
        of_text=True,
    ),
    Rule(
        code="agent-input",
        family="listings",
        severity="error",
        summary="The text of a sub-agent refers to an input that the harness does not have",
        why="The harness fills in ${...} when the sub-agent is called. With an unknown name the call fails.",
        before="Review the changes in ${branch}.",
        after="Review the changes in the branch that the task names.",
        help="Remove the dollar sign or the braces, or use one of the inputs that the message names.",
        found_in=("config",),
        of_text=True,
    ),
    Rule(
        code="server-large",
        family="listings",
        severity="warning",
        summary="The tools of one MCP server take more than a tenth of what the model can hold",
        why=(
            "The definition of each tool is part of each request, whether it is called or not. This is known of "
            "servers that `promptls servers --ask` has asked, and nothing is reported for tools that are only named."
        ),
        before="a server with 300 tools of 1,000 characters, for a model that holds 200,000 tokens",
        after="the same server, with a list of the tools that the project needs",
        help="Leave out tools in the configuration of the server, or remove it.",
        found_in=("servers",),
    ),
    Rule(
        code="server-twice",
        family="listings",
        severity="warning",
        summary="Two MCP servers offer the same tools",
        why=(
            "The model gets each tool twice, by two names, and pays for both. This is known of servers that "
            "`promptls servers --ask` has asked."
        ),
        before='{"mcpServers": {"docs": {"command": "docs-mcp"}, "docs2": {"command": "docs-mcp"}}}',
        after='{"mcpServers": {"docs": {"command": "docs-mcp"}}}',
        help="Remove one of them.",
        found_in=("servers",),
    ),
)
