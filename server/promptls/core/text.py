"""Positions in text: one line index for all modules, and decoding of bytes as harnesses do it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate, pairwise

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from promptls.core.model import Range

    Encoding = Literal["utf-8", "utf-16", "utf-32"]

# Editors break lines at these only; str.splitlines() knows seven more and would shift every line after them.
_LINE_END = regex(r"\r\n|\n|\r")

# How much text is indexed at once. The rest is only counted, which is much faster: each keystroke needs a new index.
_BLOCK = 1 << 16

# The units of a line are counted once per this many characters.
_STRIDE = 128

BOM = "\ufeff"

# What stands in XML for letters that mean something there, in the order in which a text is escaped.
ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;"))

# A file counts as binary by its first bytes: a zero, or too many control characters other than white space.
_BINARY_HEAD = 4096
_ODD_BYTES = bytes([*range(9), *range(14, 32)])
_ODD_SHARE = 0.3


class LineIndex:
    """Converts between offsets (code points) and LSP positions (line, character) of one text.

    A character counts units of ``encoding``: UTF-16 unless a client asked for another. Nothing raises:
    what lies outside a line or the text is clamped to its end. A line's end mark is not part of the line.
    """

    __slots__ = ("_ascii", "_before", "_blocks", "_marks", "_starts", "encoding", "text")

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        """Count the line ends of ``text``, block by block."""
        self.text = text
        self.encoding = encoding
        self._ascii = text.isascii()
        # Where each block begins and how many lines end before it; the last entry is the end of the text.
        self._blocks = _blocks(text)
        self._before = list(accumulate(_line_ends(text, self._blocks), initial=0))
        # Where the lines start whose ends are before them in a block, for the blocks that were looked into.
        self._starts: dict[int, list[int]] = {}
        # The units before every so many letters of the last line that was asked for, and where that begins.
        self._marks: tuple[int, list[int]] = (-1, [])

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, character) of an offset."""
        offset = min(max(offset, 0), len(self.text))
        block = max(bisect_left(self._blocks, offset) - 1, 0)
        line = self._before[block] + bisect_right(self._starts_in(block), offset)
        start = self._start(line)
        if offset > start and self.text[offset - 1] == "\r":  # between the two halves of a line's end
            offset -= 1
        if self._ascii:
            return line, offset - start
        if offset - start < _STRIDE:
            return line, units(self.text[start:offset], self.encoding)
        mark = (offset - start) // _STRIDE
        counted = self._units_before(line)[mark]
        return line, counted + units(self.text[start + mark * _STRIDE : offset], self.encoding)

    def offset(self, line: int, character: int) -> int:
        """The offset of an LSP position; a position inside a character is the place after it."""
        if line < 0:
            return 0
        if line > self._before[-1]:
            return len(self.text)
        start, end = self._start(line), self._end(line)
        character = max(character, 0)
        if self._ascii:
            return min(start + character, end)
        marks = self._units_before(line) if end - start > _STRIDE else [0]
        mark = bisect_right(marks, character) - 1
        first, at = start + mark * _STRIDE, marks[mark]
        for step, letter in enumerate(self.text[first : min(first + _STRIDE, end)]):
            if at >= character:
                return first + step
            at += units(letter, self.encoding)
        return min(first + _STRIDE, end)

    def _end(self, line: int) -> int:
        """The end of the line, before its line ending."""
        if line == self._before[-1]:
            return len(self.text)
        end = self._start(line + 1) - 1
        return end - 1 if self.text[end] == "\n" and self.text[end - 1 : end] == "\r" else end

    def _units_before(self, line: int) -> list[int]:
        """The units before each mark of a line: a long line is counted only once."""
        start, end = self._start(line), self._end(line)
        if self._marks[0] != start:
            pieces = (self.text[at : min(at + _STRIDE, end)] for at in range(start, end, _STRIDE))
            self._marks = start, [0, *accumulate(units(piece, self.encoding) for piece in pieces)]
        return self._marks[1]

    def _start(self, line: int) -> int:
        """The start of an existing line: after the end of the previous one."""
        if line == 0:
            return 0
        block = bisect_left(self._before, line) - 1
        return self._starts_in(block)[line - 1 - self._before[block]]

    def _starts_in(self, block: int) -> list[int]:
        if block not in self._starts:
            begin, end = self._blocks[block : block + 2]
            self._starts[block] = [begin + start for start in _line_starts(self.text[begin:end])]
        return self._starts[block]

    def range(self, start: int, end: int) -> Range:
        """The LSP range of the offsets ``start`` to ``end``."""
        # Late: the language server indexes texts long before it needs the model, which takes 10 ms to import.
        from promptls.core.model import Range  # noqa: PLC0415 - costs the start of the server 10 ms

        return Range(*self.position(start), *self.position(end))


@lru_cache(maxsize=64)
def lines_of(text: str) -> LineIndex:
    """The index of a text that is searched for many places, one at a time."""
    return LineIndex(text)


def whole(text: str) -> Range:
    """The LSP range of all of ``text``, in UTF-16."""
    from promptls.core.model import Range  # noqa: PLC0415 - see LineIndex.range

    if "\r" in text:
        return LineIndex(text).range(0, len(text))
    # Without an index: every file that is sent is measured.
    return Range(0, 0, text.count("\n"), units(text[text.rfind("\n") + 1 :]))


def early_range(text: str, start: int, end: int) -> Range:
    """The LSP range of a place near the beginning of ``text``, in UTF-16: only what is before its end is counted."""
    from promptls.core.model import Range  # noqa: PLC0415 - see LineIndex.range

    head = text[:end]
    if "\r" in head:
        return LineIndex(head).range(start, end)
    last, begin = head.count("\n"), head.rfind("\n") + 1
    if begin <= start:
        first, before = last, begin
    else:
        first, before = head.count("\n", 0, start), head.rfind("\n", 0, start) + 1
    return Range(first, units(head[before:start]), last, units(head[begin:]))


def units(text: str, encoding: Encoding = "utf-16") -> int:
    """The length of ``text`` in units of ``encoding``."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def newlines(text: str) -> str:
    """``text`` with each kind of line end as a line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unescaped(text: str) -> str:
    """What stands in XML as ``text``; the same text where nothing in it is escaped."""
    if "&" in text:
        for sign, name in reversed(ESCAPES):
            text = text.replace(name, sign)
    return text


def decode(data: bytes, *, keep_bom: bool) -> str:
    """UTF-8 with U+FFFD for invalid bytes, as in JavaScript's decoders."""
    text = data.decode("utf-8", "replace")
    return text if keep_bom or not text.startswith(BOM) else text[1:]


def is_binary(data: bytes) -> bool:
    """Whether read tools treat a file as binary, as npm's ``isbinaryfile`` and similar packages do."""
    head = data[:_BINARY_HEAD]
    odd = len(head) - len(head.translate(None, _ODD_BYTES))
    return b"\0" in head or odd > len(head) * _ODD_SHARE


def _blocks(text: str) -> list[int]:
    """Where the blocks begin, and the end of the last one; none ends between the two halves of a line's end."""
    places = [0]
    while (place := places[-1] + _BLOCK) < len(text):
        places.append(place + (text[place - 1 : place + 1] == "\r\n"))
    return [*places, len(text)]


def _line_ends(text: str, blocks: list[int]) -> Iterator[int]:
    """How many lines end in each block."""
    has_returns = "\r" in text
    for begin, end in pairwise(blocks):
        count = text.count("\n", begin, end)
        if has_returns:
            count += text.count("\r", begin, end) - text.count("\r\n", begin, end)
        yield count


def _line_starts(text: str) -> list[int]:
    """The start of each line except the first."""
    if "\r" in text:
        return [match.end() for match in _LINE_END.finditer(text)]
    lengths = map(len, text.split("\n")[:-1])  # twice as fast as searching for each
    return [end + line for line, end in enumerate(accumulate(lengths), 1)]


def shared_start(one: str, other: str) -> int:
    """How many letters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
