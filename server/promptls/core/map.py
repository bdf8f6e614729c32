"""A folder as a map: what each harness gets in each directory, at a start there and when a file there is read."""

from __future__ import annotations

from promptls.core.how import OF_OWN, first_of_each_kind, of_sizes
from promptls.core.sizes import sizes
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from promptls.core.how import How
    from promptls.core.model import Limit, Prompt
    from promptls.core.sizes import Kind, Size

    # What a text is, and the file or name that it comes from.
    _Key = tuple[Kind, str]

# What is not the user's own, or is there because somebody typed it.
OTHERS: tuple[Kind, ...] = ("tools", "harness", "typed")


@dataclass(frozen=True, slots=True)
class Sessions:
    """The prompts of a directory: of a start there, and of a start at the top that reads a file there, if one can."""

    start: Prompt
    read: Prompt | None


@dataclass(frozen=True, slots=True)
class Place:
    """What a harness gets in a directory; the sizes are those of the user's own text, the largest first.

    ``at_start`` is what a start there brings, ``on_read`` what reading a file there adds to a session that was started
    at the top, and ``only_at_start`` what such a session gets neither then nor at its start. ``limits`` are those of a
    start there. ``ways`` are the commands that find out sizes of these that nobody knows.
    """

    at_start: tuple[Size, ...]
    on_read: tuple[Size, ...]
    only_at_start: tuple[Size, ...]
    limits: tuple[Limit, ...]
    ways: tuple[How, ...] = ()


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory, and what it has for each harness."""

    path: str
    places: tuple[Place, ...]

    @property
    def matters(self) -> bool:
        """Whether some harness gets something here that a start at the top does not bring."""
        return any(each.on_read or each.only_at_start for each in self.places)


@dataclass(frozen=True, slots=True)
class Map:
    """The directories of ``root`` that matter, itself first; ``harnesses`` names those of the places, in order."""

    root: str
    harnesses: tuple[str, ...]
    directories: tuple[Directory, ...]

    def ways(self) -> tuple[How, ...]:
        """The first command of each kind that finds out a size of the user's own that nobody knows."""
        places = (place for directory in self.directories for place in directory.places)
        return first_of_each_kind(how for place in places for how in place.ways)


def made(
    root: str, sessions: Mapping[str, Sequence[Sessions]], target: Callable[[str], str] = str, *, here: str = ""
) -> Map:
    """The map of ``root``: for each directory, itself first, the prompts of each harness, in the same order.

    ``target`` resolves links: a file and the links to it are one text. ``here``: where commands are typed.
    """
    tops = [_by_key(each.start, target) for each in sessions.get(root, ())]
    directories = [
        Directory(path, tuple(_place(top, each, target, here) for top, each in zip(tops, found, strict=True)))
        for path, found in sessions.items()
    ]
    harnesses = tuple(each.start.session.harness for each in sessions.get(root, ()))
    return Map(root, harnesses, tuple(each for each in directories if each.path == root or each.matters))


def fullest(found: Map) -> list[tuple[str, str, Limit]]:
    """Each harness with each of its limits, and the directory where the least room is left below it."""
    worst: dict[tuple[str, str], tuple[str, Limit]] = {}
    for directory in found.directories:
        for harness, place in zip(found.harnesses, directory.places, strict=True):
            for limit in place.limits:
                before = worst.get((harness, limit.name))
                if before is None or limit.most - limit.used < before[1].most - before[1].used:
                    worst[harness, limit.name] = directory.path, limit
    return [(harness, path, limit) for (harness, _), (path, limit) in worst.items()]


def total(found: Iterable[Size]) -> int:
    """The tokens of ``found`` together."""
    return sum(each.tokens for each in found)


def _place(top: Mapping[_Key, Size], found: Sessions, target: Callable[[str], str], here: str) -> Place:
    start = _by_key(found.start, target)
    read = _by_key(found.read, target) if found.read is not None else top
    more = (replace(each, tokens=each.tokens - (top[key].tokens if key in top else 0)) for key, each in read.items())
    return Place(
        at_start=_largest_first(start.values()),
        on_read=_largest_first(each for each in more if each.tokens > 0),
        only_at_start=_largest_first(each for key, each in start.items() if key not in read),
        limits=found.start.limits,
        ways=_ways((found.start, *((found.read,) if found.read is not None else ())), here),
    )


def _ways(prompts: Iterable[Prompt], here: str) -> tuple[How, ...]:
    """The first command of each kind that finds out a size of the user's own."""
    found = (how for prompt in prompts for how in of_sizes(prompt, here))
    return first_of_each_kind(how for how in found if how.kind in OF_OWN)


def _by_key(prompt: Prompt, target: Callable[[str], str]) -> dict[_Key, Size]:
    """The user's own text in a prompt; what is in it twice, by two names, counts twice."""
    found: dict[_Key, Size] = {}
    for each in sizes(prompt, is_by_file=True):
        if each.kind not in OTHERS:
            key = (each.kind, target(each.name) if each.kind != "url" else each.name)
            before = found.get(key)
            found[key] = each if before is None else _together(before, each)
    return found


def _together(one: Size, other: Size) -> Size:
    """Of one file, by two names."""
    return replace(one, tokens=one.tokens + other.tokens, files=max(one.files, other.files))


def _largest_first(found: Iterable[Size]) -> tuple[Size, ...]:
    return tuple(sorted(found, key=lambda each: (-each.tokens, each.name)))
