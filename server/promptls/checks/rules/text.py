"""What instruction files say."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="encoding",
        family="text",
        severity="warning",
        summary="The file is not plain UTF-8",
        why=(
            "Harnesses read UTF-8. Other bytes become replacement characters. A byte order mark is sent, or "
            "hides the front matter."
        ),
        before="AGENTS.md in Latin-1 or UTF-16",
        after="AGENTS.md in UTF-8",
        help="Save the file as UTF-8 without a byte order mark.",
        found_in=("texts",),
        of_text=True,
    ),
    Rule(
        code="link-dead",
        family="text",
        severity="warning",
        summary="A link points to a file that does not exist",
        why="The model is referred to a file that it cannot read.",
        before="See [style](docs/stile.md).",
        after="See [style](docs/style.md).",
        help="Fix the link.",
        found_in=("texts",),
        fix="offered",
        fixers=("nearest-link",),
        retracted_if=("used-elsewhere",),
        of_text=True,
    ),
    Rule(
        code="path-dead",
        family="text",
        severity="hint",
        summary="A path in backticks does not exist, though its directory does",
        why="The model is referred to a file that does not exist. It may also be a file that has yet to be created.",
        before="See `docs/stile.md`.",
        after="See `docs/style.md`.",
        help="Fix the path.",
        found_in=("texts",),
        fix="offered",
        fixers=("nearest-path",),
        climbs=True,
        of_text=True,
    ),
    Rule(
        code="command-missing",
        family="text",
        severity="hint",
        summary="A command names a script or target that does not exist",
        why="The model runs it, fails, and guesses another one.",
        before="Run `npm run tests`.",
        after="Run `npm run test`.",
        help="Name a script of package.json or a target of the Makefile.",
        found_in=("texts",),
        fix="offered",
        of_text=True,
    ),
    Rule(
        code="hint-invalid",
        family="text",
        severity="warning",
        summary="A system_hint tag is malformed",
        why="The harness sends hints unchanged. The model cannot tell what the tag means.",
        before='<system_hint type="tool_degraded">slow',
        after='<system_hint type="tool_degraded" tool="bash">slow</system_hint>',
        help="Close the tag, and give it a known type and tool.",
        found_in=("agents",),
    ),
)
