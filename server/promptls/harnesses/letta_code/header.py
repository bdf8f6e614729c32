"""Front matter as Letta Code reads it, line by line [source: parseFrontmatter]."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, field
from promptls.kit.javascript import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Range

_END = r"(?:\r\n|\r|\n)"
_FENCED = regex(rf"\ufeff?---{_END}(.*?){_END}---(?:{_END}|\Z)", re.DOTALL)
_LINE = regex(r"[^\r\n]*")
_BLOCK = regex(r"([|>])([+-]?)")


@dataclass(frozen=True, slots=True)
class Lines:
    """The fields of a file: of each, its text and where it stands. ``body`` is where the text behind them begins."""

    text: str
    fields: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    body: int = 0

    def word(self, key: str) -> str:
        """A field without quotes around it; "" if there is none."""
        said = self.fields.get(key, ("", 0, 0))[0]
        return said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in "'\"" else said

    def range(self, key: str) -> Range | None:
        """Where a field stands."""
        if key not in self.fields:
            return None
        _, start, end = self.fields[key]
        return LineIndex(self.text).range(start, end)


def lines(text: str) -> Lines:
    """The fields of a file; the last of a name counts, and what is indented belongs to none but a block."""
    found = _FENCED.match(text)
    if found is None:
        return Lines(text)
    fields: dict[str, tuple[str, int, int]] = {}
    rows = [
        each for each in _LINE.finditer(text, found.start(1), found.end(1)) if each[0] or _begins(text, each.start())
    ]
    at = 0
    while at < len(rows):
        row, at = rows[at], at + 1
        key, colon, value = row[0].partition(":")
        if not colon or not key or key[0] in SPACE:
            continue
        said, start, end = value.strip(SPACE), row.start() + len(key) + 1, row.end()
        block = _BLOCK.fullmatch(said)
        if block is not None:
            first = at
            while at < len(rows) and (not rows[at][0].strip(SPACE) or rows[at][0][0] in SPACE):
                at += 1
            said = _block([each[0] for each in rows[first:at]], block[1], block[2])
            end = rows[at - 1].end()
        start += len(text[start:end]) - len(text[start:end].lstrip(SPACE))
        fields[key.strip(SPACE)] = (said, min(start, end), end)
    return Lines(text, fields, found.end())


def _begins(text: str, at: int) -> bool:
    """Whether an empty line is at an offset, and not the end of one between its two letters."""
    return text[at - 1 : at] in ("\n", "\r") and text[at - 1 : at + 1] != "\r\n"


def _block(rows: list[str], style: str, ending: str) -> str:
    indent = min((len(each) - len(each.lstrip(SPACE)) for each in rows if each.strip(SPACE)), default=0)
    bare = [each[indent:] if each.strip(SPACE) else "" for each in rows]
    said = "\n".join(bare) if style == "|" else _folded(bare)
    return f"{said}\n" if ending == "+" else said.rstrip("\n") + ("" if ending else "\n")


def _folded(rows: list[str]) -> str:
    said, breaks = "", 0
    for each in rows:
        if each:
            said += "\n" * breaks if breaks else " " if said else ""
            said += each
        breaks = 0 if each else breaks + 1
    return said + "\n" * breaks
