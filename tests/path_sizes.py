"""Sizes that have the length of paths in them: they depend on where a test is, and are tested for themselves."""

from __future__ import annotations

import re

from promptls.core.model import Elided

NAMES_PATHS = {
    "gemini-cli": "rest of the system prompt",
    "claude-code": "notice that it runs in the background",
}
_WRITTEN = re.compile(
    "(?<=⟪rest of the system prompt of gemini-cli, )[0-9]+"
    "|(?<=⟪notice that it runs in the background of Claude Code, )[0-9]+"
)


def size_of(harness: str, elided: Elided) -> str:
    """The size of a text of the program's own; "…" where paths count."""
    return "…" if NAMES_PATHS.get(harness) == elided.name else str(elided.size or "")


def without_path_sizes(text: str) -> str:
    """What is sent, or shown of it, with "…" for such sizes."""
    return _WRITTEN.sub("…", text)
