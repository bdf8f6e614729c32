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
    ),
)
