"""The front matter of rules and instruction files."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="front-matter-invalid",
        family="front matter",
        severity="error",
        summary="The front matter cannot be read",
        why="It is not valid YAML, or the closing `---` line is missing. Its keys are ignored or sent as text.",
        before='---\napplyTo: "**"\nUse tabs.',
        after='---\napplyTo: "**"\n---\nUse tabs.',
        help="Fix the YAML, or add the closing `---`.",
        found_in=("headers",),
        fix="offered",
        of_text=True,
    ),
    Rule(
        code="front-matter-key",
        family="front matter",
        severity="warning",
        summary="A key of the front matter looks misspelled",
        why="The harness ignores keys that it does not know. This key differs only slightly from a known one.",
        before='applyto: "**/*.py"',
        after='applyTo: "**/*.py"',
        help="Write the key as the harness spells it.",
        found_in=("headers",),
        fix="offered",
        of_text=True,
    ),
    Rule(
        code="front-matter-sent",
        family="front matter",
        severity="warning",
        summary="Front matter is sent as text, and decides nothing",
        why=(
            "The harness reads no front matter in this file. It sends the lines to the model as they are, and the rest "
            "of the file always, whatever files the patterns name."
        ),
        before='AGENTS.md:\n---\nglobs: "**/*.py"\n---\nUse type hints.',
        after='.cursor/rules/python.mdc:\n---\nglobs: "**/*.py"\n---\nUse type hints.',
        help="Remove the front matter, or move the text to a rule of a program that reads it.",
        found_in=("plain_headers",),
        fix="offered",
        of_text=True,
    ),
    Rule(
        code="front-matter-type",
        family="front matter",
        severity="error",
        summary="A value of the front matter has the wrong type",
        why="The harness ignores the value and handles the rule as if the key were absent.",
        before='alwaysApply: "true"',
        after="alwaysApply: true",
        help="Write a value of the required type.",
        found_in=("headers", "unscoped"),
        fix="offered",
        of_text=True,
    ),
)
