"""Patterns that say for which files a rule is."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="scope-empty",
        family="scopes",
        severity="warning",
        summary="The patterns of this rule match no file, or a required pattern is missing",
        why=(
            "The rule is added only for matching files. There are none, so it is never sent. Without applyTo, "
            "VS Code only lists the instructions, while Copilot CLI sends them whole."
        ),
        before='applyTo: "src/*.pyy"',
        after='applyTo: "src/*.py"',
        help="Fix the pattern, or add one.",
        found_in=("headers", "unscoped"),
        fix="offered",
    ),
    Rule(
        code="scope-invalid",
        family="scopes",
        severity="error",
        summary="A pattern of this rule has a bracket that is not closed",
        why="The harness cannot match the pattern, so the rule is never added.",
        before='applyTo: "src/{a,b"',
        after='applyTo: "src/{a,b}"',
        help="Close the bracket.",
        found_in=("headers",),
        fix="offered",
        of_text=True,
    ),
    Rule(
        code="scope-ignored",
        family="scopes",
        severity="warning",
        summary="This key scopes rules for another harness",
        why=(
            "Each harness has its own key for patterns and ignores the others. The rule then applies always or "
            "never, not where the patterns say."
        ),
        before='globs: "*.py" in .github/instructions',
        after='applyTo: "**/*.py"',
        help="Use the key that this harness reads.",
        found_in=("headers",),
        fix="offered",
        of_text=True,
    ),
)
