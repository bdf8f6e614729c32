"""The row of a version as a tree of values: of which numbers a size is made, and the row with other values.

A place in a row is the names and numbers that lead to a value: ``("tools", "sent", "Bash")``.
"""

from __future__ import annotations

from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Self, TypeAlias

    Place: TypeAlias = tuple[str | int, ...]
    Change: TypeAlias = tuple[Place, Any]

# The value of a change that takes an entry away.
GONE = "gone"
# The value of a change that puts an entry into a list, before the one of its number, or into a table is an object: a
# copy of the entry LIKE, with other values for the names beside it.
LIKE = "like"
# Fields that say which row it is.
OWN = ("version",)


class Number(int):
    """A number of a row, or one that is made of some: ``terms`` has the place of each, and how often it counts.

    Only sums and differences are followed; all else makes a plain number.
    """

    terms: Mapping[Place, int]

    def __new__(cls, value: int, terms: Mapping[Place, int]) -> Self:
        """A number with its terms."""
        made = super().__new__(cls, value)
        made.terms = terms
        return made

    def __getnewargs__(self) -> Any:
        """What a copy is made of, in another process too."""
        return int(self), self.terms

    def _combined(self, other: object, sign: int, own: int = 1) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        terms = {place: own * count for place, count in self.terms.items()}
        for place, count in other.terms.items() if isinstance(other, Number) else ():
            terms[place] = terms.get(place, 0) + sign * count
        return Number(own * int(self) + sign * int(other), {place: count for place, count in terms.items() if count})

    def __add__(self, other: object) -> Any:
        """The sum."""
        return self._combined(other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        """The difference."""
        return self._combined(other, -1)

    def __rsub__(self, other: object) -> Any:
        """The difference the other way around."""
        return self._combined(other, 1, -1)

    def __neg__(self) -> Any:
        """The same below nothing."""
        return self._combined(0, 1, -1)

    def __mul__(self, other: object) -> Any:
        """A multiple."""
        if type(other) is not int:
            return int(self) * other if isinstance(other, int | float) else NotImplemented
        return Number(int(self) * other, {place: count * other for place, count in self.terms.items()})

    __rmul__ = __mul__


def leaves(value: object, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value of a row that has no parts, with its place."""
    parts = list(_members(value))
    if not parts and not isinstance(value, dict | tuple | frozenset):
        yield place, value
    for name, each in parts:
        if place or name not in OWN:
            yield from leaves(each, (*place, name))


def nodes(value: object, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value of a row that has parts, with its place."""
    for name, each in _members(value):
        if isinstance(each, dict | tuple) or hasattr(type(each), "__match_args__"):
            yield (*place, name), each
            yield from nodes(each, (*place, name))


def _members(value: object) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, tuple):
        yield from enumerate(value)
    else:
        yield from ((name, getattr(value, name)) for name in getattr(type(value), "__match_args__", ()))


def mapped(row: Any, change: Callable[[Place, Any], Any], place: Place = ()) -> Any:
    """A row with each value replaced by what ``change`` makes of it; the same object where nothing differs."""
    parts = list(_members(row))
    if not parts:
        return change(place, row)
    made = {name: each if not place and name in OWN else mapped(each, change, (*place, name)) for name, each in parts}
    if all(made[name] is each for name, each in parts):
        return row
    if isinstance(row, dict):
        return made
    return (
        tuple(made.values())
        if isinstance(row, tuple)
        else replace(row, **{str(name): each for name, each in made.items()})
    )


def traced(row: Any) -> Any:
    """A row whose whole numbers know where they are from."""
    return mapped(row, lambda place, value: Number(value, {place: 1}) if type(value) is int else value)


def gaps(row: Any, other: Any) -> Iterator[Change]:
    """The numbers of another row that stand where this one has none, alone or in all of a table."""
    known, tables = dict(leaves(row)), dict(nodes(row))
    for place, value in leaves(other):
        is_open = known[place] is None if place in known else tables.get(place[:-1], row) == {}
        if type(value) is int and is_open:
            yield place, value


def with_changes(row: Any, changes: Iterable[Change]) -> Any:
    """A row with other values; a change that leads nowhere is left out."""
    for place, value in changes:
        row = _changed(row, place, value)
    return row


def _changed(row: Any, place: Place, value: Any) -> Any:
    name, rest = place[0], place[1:]
    if isinstance(row, dict):
        if not rest:
            others = {key: each for key, each in row.items() if key != name}
            if isinstance(value, dict) and LIKE in value:
                return {**row, name: _copied(row, value)}
            return others if value == GONE else {**row, name: value}
        return {**row, name: _changed(row[name], rest, value)} if name in row else row
    if isinstance(row, tuple):
        if not isinstance(name, int) or not 0 <= name <= len(row):
            return row
        if isinstance(value, dict) and not rest:
            return (*row[:name], _copied(row, value), *row[name:])
        if name == len(row):
            return row if rest or value == GONE else (*row, value)
        made = [_changed(row[name], rest, value)] if rest else [] if value == GONE else [value]
        return (*row[:name], *made, *row[name + 1 :])
    if not isinstance(name, str) or name not in getattr(type(row), "__match_args__", ()):
        return row
    return replace(row, **{name: _changed(getattr(row, name), rest, value) if rest else value})


def _copied(row: Any, value: Mapping[str, Any]) -> Any:
    """The entry of a list or a table that another one is like, with its own values."""
    return replace(row[value[LIKE]], **{key: each for key, each in value.items() if key != LIKE})
