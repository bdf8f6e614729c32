"""The pages that people read, and what is shown in them as code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACES = (
    "*.md",
    "changes/*.md",
    "docs/**/*.md",
    "examples/**/README.md",
    "tests/editors/transcripts/*.md",
    "vscode-extension/README.md",
)
PAGES = sorted({path for place in PLACES for path in ROOT.glob(place)})
FENCE = re.compile(r"\s*(`{3,})(.*)")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is code."""
    fence, was_blank, is_indented = "", True, False
    for line in text.splitlines():
        found = FENCE.match(line)
        if fence:
            yield line, True
            if found and found[1].startswith(fence) and not found[2]:
                fence = ""
            continue
        if found:
            fence = found[1]
            yield line, True
            continue
        is_indented = bool(line.startswith("    ") and (was_blank or is_indented))
        yield line, is_indented
        was_blank = not line.strip()


def prose(text: str) -> str:
    """The text without code blocks."""
    return "\n".join("" if is_code else line for line, is_code in lines(text))


def code(text: str) -> list[str]:
    """The lines of all code blocks."""
    return [line.strip() for line, is_code in lines(text) if is_code]


def anchors(text: str) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(text), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", each).lower()) for each in headings)
    return {each.strip().replace(" ", "-") for each in words}
