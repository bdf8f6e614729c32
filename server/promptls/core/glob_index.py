"""Which of many patterns a path may match, and which of many paths a pattern, by a text that both must have."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from heapq import merge

from promptls.core.formats.patterns import alternatives, needed
from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Braces that mean more are not followed.
MAX_ALTERNATIVES = 20
# What is no name of its own: such a pattern may match without any of its names.
_ELSE = regex(r"[!{\[(\\]")
_NAME = regex(r"[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*")


def _names_in(pattern: str) -> list[str]:
    """Names of which a path that matches the pattern has each, in whatever dialect and letter case."""
    if _ELSE.search(pattern):
        return []
    return [part.lower() for part in pattern.split("/") if _NAME.fullmatch(part)]


def _names_of(path: str) -> set[str]:
    """The names in a path, as in ``_names_in``. A letter that is not ASCII may be one that is in another case."""
    names = path.split("/")
    folded = {each.lower() for each in names}
    if path.isascii():
        return folded
    return folded.union(each.upper().lower() for each in names if not each.isascii())


def _spelled(path: str) -> str | None:
    """The path in lower case, in which a text of ASCII stands as it is; None if a letter may be one of ASCII, too.

    A few letters are another case of one, such as the long s.
    """
    if path.isascii():
        return path.lower()
    others = {letter for letter in path if not letter.isascii()}
    folded = "".join(f"{each.lower()}{each.upper()}{each.casefold()}" for each in others)
    return None if any(letter.isascii() for letter in folded) else path.lower()


def _each_way(pattern: str) -> list[str]:
    """The pattern without braces, where they mean few patterns."""
    plain = alternatives(pattern) if "{" in pattern else None
    return plain if plain and len(plain) <= MAX_ALTERNATIVES else [pattern]


def _needed(patterns: Iterable[str]) -> set[str]:
    """Texts of which each path that matches one of the patterns has one; "" where that is not plain to see."""
    return {needed(each) for pattern in patterns for each in _each_way(pattern)}


class Rules:
    """Rules by their numbers: by the rarest name of each of their patterns, and then by what else these spell out."""

    def __init__(self, patterns: Iterable[Iterable[str]]) -> None:
        """``patterns`` of each rule, which may be for a path that matches one of them."""
        self._always: list[int] = []
        self._by_name: dict[str, list[int]] = {}
        each_of = [[one for pattern in each for one in _each_way(pattern)] for each in patterns]
        self._needed = [tuple(map(needed, each)) for each in each_of]
        named = [[_names_in(pattern) for pattern in each] for each in each_of]
        counts = Counter(name for of_rule in named for names in of_rule for name in names)
        for number, of_rule in enumerate(named):
            if not all(of_rule):
                self._always.append(number)
                continue
            for name in {min(names, key=counts.__getitem__) for names in of_rule}:
                self._by_name.setdefault(name, []).append(number)

    def near(self, path: str) -> Sequence[int]:
        """Those that may be for ``path``, an absolute one, in order."""
        found = {number for name in _names_of(path) for number in self._by_name.get(name, ())}.union(self._always)
        low = _spelled(path)
        if low is not None:
            found = {number for number in found if any(text in low for text in self._needed[number])}
        return sorted(found)


class Paths:
    """Paths in their order, found by the longest text that a pattern spells out: with one look through all of them."""

    def __init__(self, paths: Sequence[str]) -> None:
        """``paths`` are absolute."""
        self.paths = paths
        # No path has a NUL.
        spelled = [*map(_spelled, paths)]
        self._others = [number for number, text in enumerate(spelled) if text is None]
        texts = [f"{text or ''}\0" for text in spelled]
        self._text = "".join(texts)
        self._starts: list[int] = []
        at = 0
        for text in texts:
            self._starts.append(at)
            at += len(text)
        # By the text that is looked for: the rules of many programs have the same patterns.
        self._with: dict[str, tuple[int, ...]] = {}

    def near(self, *patterns: str) -> Sequence[str]:
        """Those that may match one of ``patterns``, in order."""
        wanted = _needed(patterns)
        if "" in wanted:
            return self.paths
        found = set(self._others).union(*map(self._numbers, wanted))
        return [self.paths[number] for number in sorted(found)]

    def below(self, directory: str, *patterns: str) -> Iterator[str]:
        """Those in or below a directory that may match one of ``patterns``; the paths are sorted.

        Each is looked for when it is asked for: most who look need a few.
        """
        head = directory.rstrip("/") + "/"
        # "0" is the letter after "/".
        first, end = (bisect_left(self.paths, each) for each in (head, f"{head[:-1]}0"))
        wanted = _needed(patterns)
        if "" in wanted:
            yield from map(self.paths.__getitem__, range(first, end))
            return
        others = self._others[bisect_left(self._others, first) : bisect_left(self._others, end)]
        last = -1
        for number in merge(others, *(self._between(each, first, end) for each in wanted)):
            if number != last:
                last = number
                yield self.paths[number]

    def _between(self, text: str, first: int, end: int) -> Iterator[int]:
        """Those of a part that have ``text``."""
        at, stop = (self._starts[each] if each < len(self._starts) else len(self._text) for each in (first, end))
        at = self._text.find(text, at, stop)
        while at >= 0:
            yield bisect_left(self._starts, at + 1) - 1
            at = self._text.find(text, self._text.index("\0", at), stop)

    def _numbers(self, text: str) -> tuple[int, ...]:
        """Those that have ``text``."""
        if text not in self._with:
            found = []
            at = self._text.find(text)
            while at >= 0:
                found.append(bisect_left(self._starts, at + 1) - 1)
                at = self._text.find(text, self._text.index("\0", at))
            self._with[text] = tuple(found)
        return self._with[text]
