"""Comments that suppress a rule."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="suppression-unused",
        family="suppressions",
        severity="warning",
        summary="Unused suppression comment",
        why=(
            "The problem it suppressed is gone, or the rule code is misspelled. If left in place, it would "
            "hide the next such problem."
        ),
        before="<!-- promptls: ignore link-dead the page comes later -->\n[there](exists.md)",
        after="[there](exists.md)",
        help="Remove the comment, or fix its code.",
        found_in=("suppressions",),
        fix="offered",
    ),
)
