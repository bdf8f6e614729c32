"""Versions of harnesses: how their names compare, and which known one is shown for a name. Nothing else compares them.

What a version does is a row of ``versions.py`` of its harness, and code asks the row.
"""

from __future__ import annotations

import re
from _thread import _local

from promptls.core.lazy import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from promptls.kit.base import Version

    class Row(Protocol):
        """What is in the table of a harness: a version and, in fields, what is known of it."""

        @property
        def version(self) -> Version:
            """The version."""

    AnyRow = TypeVar("AnyRow", bound=Row)
    # Its numbers, then whether it is released, then the parts of what comes before a release.
    Key = tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]

# At least two numbers: "9" is a typing error rather than a version. What follows + does not count.
_NUMBER = regex(r"v?(\d{1,9}(?:\.\d{1,9})+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)


def key(name: str) -> Key | None:
    """What a name compares by: 2.10.0 is newer than 2.9.9, 2.1.0-nightly.3 older than 2.1.0.

    None for a name that is no number, such as ``design`` or ``d1504ac``.
    """
    found = _NUMBER.fullmatch(name)
    if found is None:
        return None
    numbers = [int(part) for part in found[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    early = found[2].split(".") if found[2] else ()
    # A number comes before a word, as in semantic versions.
    parts = ((False, int(part), "") if part.isdigit() and len(part) <= LONGEST else (True, 0, part) for part in early)
    return tuple(numbers), not early, tuple(parts)


LONGEST = 9


def choose(versions: Sequence[Version], name: str) -> tuple[Version, str] | None:
    """The version that is shown for ``name``, and what it is among the known ones; "" if it is the one named.

    The first of ``versions`` is that for "". For an unknown number it is the newest one if that is older, the oldest
    one if that is newer, else the nearest. None if nothing can be said of ``name``.
    """
    for version in versions:
        if name in ("", version.name):
            return version, ""
    wanted = key(name)
    known = sorted(((at, each) for each in versions if (at := key(each.name))), key=lambda pair: pair[0])
    if wanted is None or not known:
        return None
    newer = [pair for pair in known if pair[0] >= wanted][:1]
    older = [pair for pair in known if pair[0] < wanted][-1:]
    if newer and newer[0][0] == wanted:
        return newer[0][1], ""
    # Of two that are as near, the newer one.
    _, version = min((*newer, *older), key=lambda pair: _gap(pair[0], wanted))
    return version, ("nearest" if newer and older else "oldest" if newer else "newest") if len(known) > 1 else "only"


def current(versions: Sequence[Version]) -> Iterator[str]:
    """The default version, and each whose sessions are those of one before it."""
    names = {each.name: each.like for each in versions}
    name = versions[0].name
    while name:
        yield name
        name = names.get(name, "")


def _gap(one: Key, other: Key) -> tuple[int, ...]:
    length = max(len(one[0]), len(other[0]))
    first, second = (each[0] + (0,) * (length - len(each[0])) for each in (one, other))
    return tuple(abs(a - b) for a, b in zip(first, second, strict=True))


_given = _local()


class given:  # noqa: N801 - used as a function
    """Inside, these are the rows of the versions that they are for: those that were learned on this machine."""

    __slots__ = ("_before", "_rows")

    def __init__(self, rows: Mapping[str, Any]) -> None:
        self._rows = rows

    def __enter__(self) -> None:
        """Keep what counted before."""
        self._before = getattr(_given, "rows", {})
        _given.rows = {**self._before, **self._rows}

    def __exit__(self, *_: object) -> None:
        """Let that count again."""
        _given.rows = self._before


def row(rows: Sequence[AnyRow], name: str) -> AnyRow:
    """The row of the version called ``name``; the first one for a name that is none of theirs."""
    learned = getattr(_given, "rows", {}).get(name)
    if isinstance(learned, type(rows[0])):
        return learned
    return next((each for each in rows if each.version.name == name), rows[0])
