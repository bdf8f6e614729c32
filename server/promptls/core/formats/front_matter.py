"""Front matter: YAML between two lines of three dashes at the very beginning of a Markdown file."""

from __future__ import annotations

import re

from promptls.core.formats import yaml
from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Document

_OPENING = regex(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = regex(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``document`` is the YAML, its offsets counted from ``start``; ``body`` is where the text after it begins.

    ``document`` is None where there is no front matter, or no end of it; ``body`` is then 0.
    """

    document: Document | None
    start: int
    body: int


def split(text: str) -> FrontMatter:
    """Find the front matter of ``text``."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return FrontMatter(None, 0, 0)
    return FrontMatter(yaml.parse(text[opening.end() : closing.start()]), opening.end(), closing.end())
