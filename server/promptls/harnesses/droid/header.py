"""Front matter as Droid reads it: YAML, and line by line where it is none [source].

What is no text, no truth value and nothing like a list becomes None: nothing asks for more.
"""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.lazy import regex
from promptls.kit.yaml_values import JAVASCRIPT, is_date

_FENCED = regex(r"---\r?\n(.*?)\r?\n---\r?\n?", re.DOTALL)
_TRUTHS = {"true": True, "false": False}


def header_of(text: str) -> Header:
    """The front matter of a skill or a droid (captured: front-forms)."""
    matter = front_matter.matched(_FENCED, text)
    return Header(text, matter.start, matter.document, matter.body)


def fields(front: Header) -> dict[str, object]:
    """The values (captured: front-forms, skill-forms)."""
    root = front.document.root if front.document is not None else None
    if root is None or root.kind != "object" or not front.is_taken(*JAVASCRIPT):
        return _of_lines(front.document.text if front.document is not None else "")
    said: dict[str, object] = {}
    for key, value in root.members:
        is_text = isinstance(value.data, str) and not is_date(front, value)
        other = root if value.kind == "object" else _TRUTHS.get(value.kind)
        said[str(key.data)] = value.data if is_text else other
    return said


def _of_lines(text: str) -> dict[str, object]:
    said: dict[str, object] = {}
    for row in text.split("\n"):
        key, colon, value = row.strip().partition(":")
        if colon and not key.startswith(("#", "- ")):
            word = value.strip()
            is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "'\""
            said[key.strip()] = word[1:-1] if is_quoted else _TRUTHS.get(word, word)
    return said
