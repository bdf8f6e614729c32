"""Front matter: YAML between two lines of three dashes at the very beginning of a Markdown file."""

from __future__ import annotations

import re

from promptls.core.formats import parse_yaml
from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document

_OPENING = regex(r"---[ \t]*(?:\r\n|\n|\r)")
_LINES = regex(r"---(?:[^\S\n]*+\n)++")
_ALONE = regex(r"\r(?!\n)")
_CLOSING = regex(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``document`` is the YAML, its offsets counted from ``start``; ``body`` is where the text after it begins.

    ``document`` is None where there is no front matter, or no end of it; ``body`` is then 0.
    """

    document: Document | None
    start: int
    body: int


def between(text: str, start: int, end: int, body: int) -> FrontMatter:
    """The front matter that is ``text[start:end]``; a carriage return alone ends a line, too."""
    return FrontMatter(parse_yaml(_ALONE.sub("\n", text[start:end])), start, body)


def matched(pattern: re.Pattern[str], text: str) -> FrontMatter:
    """The front matter that is the group of a program's own pattern; none where ``text`` does not begin so."""
    found = pattern.match(text)
    return between(text, found.start(1), found.end(1), found.end()) if found else FrontMatter(None, 0, 0)


def fenced(text: str, closing: re.Pattern[str]) -> FrontMatter:
    """What begins with three dashes and blank lines, and ends with ``closing``, itself first a line end."""
    opening = _LINES.match(text)
    if opening is None:
        return FrontMatter(None, 0, 0)
    start = opening.end()
    found = closing.search(text, start)
    if found is None and opening[0].count("\n") > 1:
        # The last of several line ends is then that of the closing line.
        found = closing.match(text, start - 1)
        start = min(start, found.start()) if found is not None else start
    return between(text, start, found.start(), found.end()) if found is not None else FrontMatter(None, 0, 0)


def split(text: str) -> FrontMatter:
    """Find the front matter of ``text``."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return FrontMatter(None, 0, 0)
    return FrontMatter(parse_yaml(text[opening.end() : closing.start()]), opening.end(), closing.end())
