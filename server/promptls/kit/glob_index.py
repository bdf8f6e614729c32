"""Which of many patterns a path may match, by a name that both must have: with one look, whatever else there is."""

from __future__ import annotations

from collections import Counter

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


class Rules:
    """Rules by their numbers, found by the rarest name of each of their patterns."""

    def __init__(self, patterns: Iterable[Iterable[str]]) -> None:
        """``patterns`` of each rule, which may be for a path that matches one of them."""
        self._always: list[int] = []
        self._by_name: dict[str, list[int]] = {}
        named = [[_names_in(pattern) for pattern in each] for each in patterns]
        counts = Counter(name for of_rule in named for names in of_rule for name in names)
        for number, of_rule in enumerate(named):
            if not all(of_rule):
                self._always.append(number)
                continue
            for name in {min(names, key=counts.__getitem__) for names in of_rule}:
                self._by_name.setdefault(name, []).append(number)

    def near(self, path: str) -> Sequence[int]:
        """Those that may be for ``path``, an absolute one, in order."""
        found = {number for name in _names_of(path) for number in self._by_name.get(name, ())}
        return sorted(found.union(self._always))


class Paths:
    """Paths in their order, found by the names in them."""

    def __init__(self, paths: Sequence[str]) -> None:
        """``paths`` are absolute."""
        self.paths = paths
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            for name in _names_of(path):
                self._by_name.setdefault(name, []).append(path)

    def near(self, pattern: str) -> Sequence[str]:
        """Those that may match ``pattern``."""
        found = [self._by_name.get(name, []) for name in _names_in(pattern)]
        return self.paths if not found else min(found, key=len)
