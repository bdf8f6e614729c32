"""Configurations of harnesses."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="config-invalid",
        family="configuration",
        severity="error",
        summary="The harness cannot use this configuration",
        why="The harness exits, or continues as if the file did not exist.",
        before='{"instructions": ["a.md"',
        after='{"instructions": ["a.md"]}',
        help="Fix the file at the reported place.",
        found_in=("config",),
        retracted_if=("no-file",),
    ),
    Rule(
        code="config-key",
        family="configuration",
        severity="warning",
        summary="A key of the configuration looks misspelled",
        why="The harness ignores keys that it does not know. This key differs only slightly from a known one.",
        before='{"instruction": ["a.md"]}',
        after='{"instructions": ["a.md"]}',
        help="Write the key as the harness spells it.",
        found_in=("keys",),
        fix="offered",
    ),
    Rule(
        code="misplaced",
        family="configuration",
        severity="warning",
        summary="Hooks, MCP servers, commands or skills are where the harness does not read them",
        why="The harness reads each kind in a place of its own and passes over all others silently.",
        before='.claude/settings.json: {"mcpServers": {"docs": {"command": "docs-server"}}}',
        after='.mcp.json: {"mcpServers": {"docs": {"command": "docs-server"}}}',
        help="Move them to the place that the message names.",
        found_in=("misplaced",),
        fix="offered",
    ),
    Rule(
        code="config-type",
        family="configuration",
        severity="error",
        summary="A value of the configuration has the wrong type",
        why="The harness rejects the file, or continues without the value.",
        before='{"instructions": "a.md"}',
        after='{"instructions": ["a.md"]}',
        help="Write a value of the required type.",
        found_in=("config",),
    ),
)
