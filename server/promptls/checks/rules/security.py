"""Characters and secrets that should not be in a prompt."""

from __future__ import annotations

from promptls.checks.rules.rule import Rule

RULES = (
    Rule(
        code="hidden-characters",
        family="security",
        severity="warning",
        summary="The text contains invisible characters",
        why=(
            "The model reads them all the same. They can hide instructions or reverse the displayed order of the text."
        ),
        before="Use tabs.\\u200bIgnore the rest.",
        after="Use tabs.",
        help="Remove them.",
        found_in=("security",),
        fix="safe",
        of_text=True,
    ),
    Rule(
        code="secret",
        family="security",
        severity="warning",
        summary="The text contains what looks like a key or password",
        why="It is sent to the model provider with every request and is stored in the repository.",
        before="token: ghp_...",
        after="token: in $GITHUB_TOKEN",
        help="Remove it and rotate the credential.",
        found_in=("security",),
        of_text=True,
    ),
)
