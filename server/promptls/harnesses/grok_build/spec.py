"""What other parts need to know of Grok Build."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import AGENT_FILE, NOT_FOR_MODELS, SKILL
from promptls.kit.unread_files import SERVERS

SPEC = Spec(
    name="grok-build",
    title="Grok Build",
    is_started=True,
    command="grok",
    package="@xai-official/grok",
    homes=(
        Home(".grok", "GROK_HOME", evidence=("config.toml", "trusted_folders.toml", "AGENTS.md"), records="sessions"),
    ),
    aliases=("grok",),
    evidence=(".grok",),
    is_rare=True,
    owns_agents=True,
    nested=("Agents.md", "Claude.md", "CLAUDE.md", "CLAUDE.local.md", "AGENT.md", "AGENTS.md"),
    is_nested_on_read=False,
    instruction_files=(
        InstructionFile(r"(?:^|/)\.grok/rules/[^/]+\.(?:md|MD)$", endings=(".md", ".MD"), loaded_ending=".md"),
    ),
    front_matter=(
        FrontMatter(r"(?:^|/)\.grok/agents/[^/]+\.md$", AGENT_FILE),
        FrontMatter(
            r"(?:^|/)\.(?:grok|agents)/skills/(?:.+/)?SKILL\.md$",
            {
                **SKILL,
                **NOT_FOR_MODELS,
                "user-invocable": "false: users cannot call it; it is listed all the same.",
                "paths": "Patterns as in .gitignore; the skill is listed once such a file is read or changed.",
                "when-to-use": "When the model should use it; it stands in a line of its own.",
                "argument-hint": "What to type after the name.",
                "allowed-tools": "The tools that the skill may use.",
                "license": "The licence of the skill; it has no effect.",
                "metadata": "Values of your own.",
            },
        ),
    ),
    config_files=(
        ConfigFile(
            ("config.toml",),
            read=("compat", "paths", "skills", "folder_trust"),
            known=("models", "model", "mcp_servers", "ui", "permissions", "hooks", "plugins"),
        ),
    ),
    skills=(".grok/skills", ".agents/skills", ".claude/skills", ".cursor/skills"),
    not_shown=((r"(?:\.cursor/|/)\.?mcp\.json", SERVERS),),
    sends_empty=True,
    sends_links_once=True,
    until_trusted="it leaves out the files of the folder without a word (trust it with “grok --trust”)",
    is_trusted_if_told=True,
    later=("subagent",),
    delegation=Delegation("spawn_subagent", "subagent_type", "prompt", (("description", "task"),), is_apart=True),
    own_text=(4.333, 5.032),  # tools/own_text.py
)
