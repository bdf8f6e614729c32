"""Positions in text: one line index for everybody, and bytes to text as harnesses do it."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from promptls.core.model import Range

    Encoding = Literal["utf-8", "utf-16", "utf-32"]

# Editors break lines at these only; str.splitlines() knows seven more and would shift every line behind them.
_LINE_END = re.compile(r"\r\n|\n|\r")

BOM = "\ufeff"

# A file is taken for binary by its first bytes: a zero, or too many control characters that are no white space.
_BINARY_HEAD = 4096
_ODD_BYTES = bytes([*range(9), *range(14, 32)])
_ODD_SHARE = 0.3


class LineIndex:
    """Converts between offsets (code points) and LSP positions (line, character) of one text.

    A character counts units of ``encoding``: UTF-16 unless a client asked for another. Nothing raises:
    what lies outside a line or the text is clamped to its end. A line's end mark is not part of the line.
    """

    __slots__ = ("_ascii", "_last", "_starts", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        """Index ``text`` by its line ends."""
        self.text = text
        self.encoding = encoding
        self._ascii = text.isascii()
        self._starts = _line_starts(text)
        # Start of the line, offset and units of the last position: in a long line the next is counted from there.
        self._last = (0, 0, 0)

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, character) of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        if offset > start and self.text[offset - 1] == "\r":  # between the two halves of a line's end
            offset -= 1
        if self._ascii:
            return line, offset - start
        last_start, last_offset, counted = self._last
        if last_start != start or last_offset > offset:
            last_offset, counted = start, 0
        counted += units(self.text[last_offset:offset], self.encoding)
        self._last = (start, offset, counted)
        return line, counted

    def offset(self, line: int, character: int) -> int:
        """The offset of an LSP position; a position inside of a letter is the place behind that letter."""
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
            at += units(letter, self.encoding)
        return start + len(content)

    def range(self, start: int, end: int) -> Range:
        """The LSP range of the offsets ``start`` to ``end``."""
        # Late: the language server indexes texts long before it needs the model, which takes 10 ms to import.
        from promptls.core.model import Range  # noqa: PLC0415 - costs the start of the server 10 ms

        return Range(*self.position(start), *self.position(end))


def whole(text: str) -> Range:
    """The LSP range of all of ``text``, in UTF-16."""
    from promptls.core.model import Range  # noqa: PLC0415 - see LineIndex.range

    if "\r" in text:
        return LineIndex(text).range(0, len(text))
    # Without an index: every file that is sent is measured.
    return Range(0, 0, text.count("\n"), units(text[text.rfind("\n") + 1 :]))


def units(text: str, encoding: Encoding = "utf-16") -> int:
    """The length of ``text`` in units of ``encoding``."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(letter > "\uffff" for letter in text)


def decode(data: bytes, *, keep_bom: bool) -> str:
    """UTF-8 with U+FFFD for what is not, as JavaScript's decoders do it."""
    text = data.decode("utf-8", "replace")
    return text if keep_bom or not text.startswith(BOM) else text[1:]


def is_binary(data: bytes) -> bool:
    """Whether read tools take a file for binary, as npm's ``isbinaryfile`` and its like do."""
    head = data[:_BINARY_HEAD]
    odd = len(head) - len(head.translate(None, _ODD_BYTES))
    return b"\0" in head or odd > len(head) * _ODD_SHARE


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(match.end() for match in _LINE_END.finditer(text))]
    lengths = map(len, text.split("\n"))  # twice as fast, and a text is indexed at each key
    ends = accumulate(lengths)
    return [0, *(end + line for line, end in enumerate(ends, 1))][:-1]
