"""Positions in text: one line index for everybody, and bytes to text as harnesses do it."""

from __future__ import annotations

import re
from bisect import bisect_right

from promptls.core.model import Range

# Editors break lines at these only; str.splitlines() knows seven more and would shift every line behind them.
_LINE_END = re.compile(r"\r\n|\n|\r")

BOM = "\ufeff"


class LineIndex:
    """Converts between offsets (code points) and LSP positions (line, UTF-16 units) of one text."""

    __slots__ = ("_ascii", "_starts", "text")

    def __init__(self, text: str) -> None:
        """Index ``text`` by its line ends."""
        self.text = text
        self._ascii = text.isascii()
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, character) of an offset; offsets outside the text are clamped."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        if self._ascii:
            return line, offset - start
        return line, units(self.text[start:offset])

    def offset(self, line: int, character: int) -> int:
        """The offset of an LSP position; past the end of a line is its end, past the text is its end."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)
        content = self.text[start:end].rstrip("\r\n")
        if self._ascii or content.isascii():
            return start + min(max(character, 0), len(content))
        at = 0
        for step, letter in enumerate(content):
            if at >= character:
                return start + step
            at += 2 if letter > "\uffff" else 1
        return start + len(content)

    def range(self, start: int, end: int) -> Range:
        """The LSP range of the offsets ``start`` to ``end``."""
        return Range(*self.position(start), *self.position(end))

    def whole(self) -> Range:
        """The LSP range of the whole text."""
        return self.range(0, len(self.text))


def units(text: str) -> int:
    """The length of ``text`` in UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(letter > "\uffff" for letter in text)


def decode(data: bytes, *, keep_bom: bool) -> str:
    """UTF-8 with U+FFFD for what is not, as JavaScript's decoders do it."""
    text = data.decode("utf-8", "replace")
    return text if keep_bom or not text.startswith(BOM) else text[1:]
