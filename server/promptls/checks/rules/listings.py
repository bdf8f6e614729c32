"""Skills, commands and agents: what the model is told of."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="skill-unlisted",
        family="listings",
        severity="warning",
        summary="A skill or command is there, but the model is not told of it",
        why="The harness lists skills by name and description, and leaves out silently what it cannot read.",
        before=".claude/skills/release/SKILL.md without front matter, in opencode",
        after="---\nname: release\ndescription: How to make a release\n---",
        help="Add what the message says is missing.",
        found_in=("listings",),
    ),
    Rule(
        code="skill-shadowed",
        family="listings",
        severity="warning",
        summary="Another skill, command or agent of this name takes its place",
        why="A name is listed once. The other file is offered, and this one is never used.",
        before=".claude/skills/release/SKILL.md and .claude/commands/release.md",
        after=".claude/skills/release/SKILL.md and .claude/commands/tag.md",
        help="Rename one of them.",
        found_in=("listings",),
    ),
)
