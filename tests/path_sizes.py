"""Sizes that have the length of paths in them: they depend on where a test is, and are tested for themselves."""

from __future__ import annotations

import re

from promptls.core.model import Elided, Prompt
from promptls.harnesses.claude_code.files.at_start import MEMORY
from promptls.harnesses.claude_code.setup import EXCLUDE_DYNAMIC, NO_FILES
from promptls.harnesses.claude_code.versions import ROWS
from promptls.kit.versions import row

NAMES_PATHS = {
    "gemini-cli": ("rest of the system prompt",),
    "opencode": ("command init",),
    "claude-code": ("notice that it runs in the background",),
}
# Characters of the directory of Claude Code's memory in the scenarios.
USUAL = 49
_WRITTEN = re.compile(
    "(?<=⟪rest of the system prompt of gemini-cli, )[0-9]+"
    "|(?<=⟪command init of opencode, )[0-9]+"
    "|(?<=⟪own prompt of Claude Code, )[0-9]+"
    "|(?<=⟪notice that it runs in the background of Claude Code, )[0-9]+"
)


def size_of(prompt: Prompt, elided: Elided) -> str:
    """The size of a text of the program's own; "…" where paths count."""
    if elided.name in NAMES_PATHS.get(prompt.session.harness, ()):
        return "…"
    has_path = any(each.path.endswith(f"/{MEMORY}") for each in prompt.candidates if each.path)
    if elided.name == "own prompt" and not has_path and any(NO_FILES in each.reason for each in prompt.candidates):
        return "…"
    return str(without_memory(prompt, elided) or "")


def without_memory(prompt: Prompt, elided: Elided) -> int | None:
    """A size as if the path of Claude Code's memory had the usual length, where the text names it."""
    facts = row(ROWS, prompt.session.version)
    if prompt.session.harness != "claude-code" or elided.name != "own prompt" or facts.own_prompt_unknown is None:
        return elided.size
    looked = (each for each in prompt.candidates if each.outcome != "disabled" or NO_FILES in each.reason)
    paths = (each.path for each in looked if each.path and each.path.endswith(f"/{MEMORY}"))
    named = next(paths, None) if EXCLUDE_DYNAMIC not in prompt.session.args else None
    longer = len(named) - len(MEMORY) - USUAL if named else 0
    return None if elided.size is None else elided.size - longer


def without_path_sizes(text: str) -> str:
    """What is sent, or shown of it, with "…" for such sizes."""
    return _WRITTEN.sub("…", text)
