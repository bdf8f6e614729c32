"""Public vocabularies, which are in the package: nothing is downloaded, and nothing is built from a list.

A text is cut into pieces, and a piece that is no token itself is put together from its bytes by the ranks of the
vocabulary, the lowest first. Counts are those of the reference (tests/core/test_vocabularies.py).
``tools/vocabulary.py`` writes the lists and describes them; the terms of each stand beside it.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Bytes of the longest token, of a number, and of a piece that is put together in the plain way; letters of a cut.
LONGEST, NUMBER, PLAIN = 128, 4, 64
# Pieces and tokens that are remembered.
MOST = 100_000
# In place of each letter, mark or digit beyond ASCII stands one of its class, so that the pattern stays small.
_CLASSES = {
    **dict.fromkeys(("Lu", "Lt"), "A"),
    "Ll": "a",
    **dict.fromkeys(("Lm", "Lo"), "\u00aa"),
    **dict.fromkeys(("Mn", "Mc", "Me"), "\u0300"),
    **dict.fromkeys(("Nd", "Nl", "No"), "0"),
}
_END = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
_HEAD = "[^\\r\\nA-Za-z\u00aa0-9]?"
_UPPER, _LOWER = "[A-Z\u00aa\u0300]", "[a-z\u00aa\u0300]"
_PIECES = {
    "o200k_base": (
        rf"{_HEAD}{_UPPER}*{_LOWER}+{_END}|{_HEAD}{_UPPER}+{_LOWER}*{_END}|[0-9]{{1,3}}"
        "| ?[^\\sA-Za-z\u00aa0-9]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
    )
}


@lru_cache(maxsize=len(_PIECES))
def exact(name: str) -> Callable[[str], int]:
    """The tokens of a text in a public vocabulary."""
    return Vocabulary(name).count


class Vocabulary:
    """One vocabulary; ``_starts`` and ``_counts`` say where its tokens of each length are, by number."""

    def __init__(self, name: str) -> None:
        self._data = _read(name)
        self._pattern = re.compile(_PIECES[name])
        self._counts = [0] * (LONGEST + 1)
        self._firsts = [0] * (LONGEST + 1)
        self._places = [0] * (LONGEST + 1)
        number, place = 0, NUMBER * LONGEST
        for length in range(1, LONGEST + 1):
            at = NUMBER * (length - 1)
            self._counts[length] = int.from_bytes(self._data[at : at + NUMBER], "little")
            self._firsts[length], self._places[length] = number, place
            number, place = number + self._counts[length], place + length * self._counts[length]
        self._planes = place, place + number, place + 2 * number
        self._ranks: dict[bytes, int | None] = {}
        self._pieces: dict[str, int] = {}

    def count(self, text: str) -> int:
        """The tokens of ``text``."""
        if len(self._pieces) > MOST:
            self._pieces.clear()
        if len(self._ranks) > MOST:
            self._ranks.clear()
        known, total = self._pieces, 0
        for piece in self._cut(text):
            tokens = known.get(piece)
            if tokens is None:
                tokens = known[piece] = self._of_piece(piece.encode("utf-8", "replace"))
            total += tokens
        return total

    def _cut(self, text: str) -> list[str]:
        """The pieces of a text, in which tokens never cross."""
        if text.isascii():
            return self._pattern.findall(text)
        letters = {ord(each): _CLASSES.get(unicodedata.category(each)) for each in set(text) if each > "\x7f"}
        classes = text.translate({code: letter for code, letter in letters.items() if letter})
        return [text[found.start() : found.end()] for found in self._pattern.finditer(classes)]

    def _of_piece(self, piece: bytes) -> int:
        if self._rank(piece) is not None:
            return 1
        return self._merged(piece) if len(piece) <= PLAIN else self._merged_long(piece)

    def _rank(self, token: bytes) -> int | None:
        """The rank of a token; None if there is no such token."""
        ranks = self._ranks
        if token not in ranks:
            ranks[token] = self._find(token)
        return ranks[token]

    def _find(self, token: bytes) -> int | None:
        length = len(token)
        if length > LONGEST:
            return None
        data, place = self._data, self._places[length]
        count = self._counts[length]
        low = bisect_left(range(count), token, key=lambda at: data[place + at * length : place + (at + 1) * length])
        at = place + low * length
        if low == count or data[at : at + length] != token:
            return None
        number = self._firsts[length] + low
        return sum(data[plane + number] << shift for plane, shift in zip(self._planes, (0, 8, 16), strict=True))

    def _merged(self, piece: bytes) -> int:
        parts = [piece[at : at + 1] for at in range(len(piece))]
        ranks = [self._rank(one + other) for one, other in pairwise(parts)]
        while (least := min((rank for rank in ranks if rank is not None), default=None)) is not None:
            at = ranks.index(least)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            ranks.pop(at)
            if at:
                ranks[at - 1] = self._rank(parts[at - 1] + parts[at])
            if at < len(ranks):
                ranks[at] = self._rank(parts[at] + parts[at + 1])
        return len(parts)

    def _merged_long(self, piece: bytes) -> int:
        """The same by a heap: a plain loop would be quadratic."""
        size = len(piece)
        before, ends = list(range(-1, size - 1)), list(range(1, size + 1))  # an end of 0: swallowed
        heap: list[tuple[int, int, int]] = []

        def add(start: int, end: int) -> None:
            rank = self._rank(piece[start:end])
            if rank is not None:
                heapq.heappush(heap, (rank, start, end))

        for at in range(size - 1):
            add(at, at + 2)
        total = size
        while heap:
            _, left, end = heapq.heappop(heap)
            right = ends[left]
            if not right or right >= size or ends[right] != end:
                continue
            ends[left], ends[right], total = end, 0, total - 1
            if end < size:
                before[end] = left
                add(left, ends[end])
            if before[left] >= 0:
                add(before[left], end)
        return total


@lru_cache(maxsize=len(_PIECES))
def _read(name: str) -> bytes:
    """The list of a vocabulary, from wherever the package is."""
    loader = __spec__.loader
    data: bytes = loader.get_data(f"{__path__[0]}/{name}.bin")  # type: ignore[union-attr] # a package has one
    return data
