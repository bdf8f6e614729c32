"""Skills, agents and commands: things with a name, each in a file, and the list that tells the model of them.

A harness says where they are, how it reads their files, which one of a name counts, and what a row looks like:

    ROW = Row("Demo", "skill", WHY, before="- {name}: ", after=" ({place})")

    for path in ...:
        text = text_at(host, path, rule, note)
        take(found, Named(name, words, path, origin, rule), note)
    segments = [segment for each in found.values() for segment in ROW.segments(each)]
"""

from __future__ import annotations

from itertools import accumulate, takewhile

from promptls.core.model import SKILL_FILE, Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import STATE_SAYS, own
from promptls.kit.paths import join, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol, TypeAlias, TypeVar

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Cut, Layer
    from promptls.kit.candidates import Rule

    # What candidates are told to.
    Note: TypeAlias = Callable[[Candidate], None]

    class HasName(Protocol):
        """What ``take`` has to know of a thing."""

        @property
        def name(self) -> str:
            """How it is called."""

        @property
        def path(self) -> str | None:
            """Its file; None where the program brings it."""

        @property
        def rule(self) -> Rule | None:
            """Why its file is read; None where the program brings it."""

    AnyNamed = TypeVar("AnyNamed", bound=HasName)

# What becomes of the other one of a name.
COMES_FIRST = "{} has the same name and comes first"


@dataclass(frozen=True, slots=True)
class Named:
    """A skill, an agent or a command. ``words`` are what a list says of it; ``origin`` is where they are in its file.

    ``path``, ``origin`` and ``rule``, which says why its file is read, are None where the program brings it; then
    ``size`` is that of its words. ``place`` is what a list says of its place; "" for ``path``. ``group``: things of one
    that follow each other are sorted together.
    """

    name: str
    words: str = ""
    path: str | None = None
    origin: Origin | None = None
    rule: Rule | None = None
    size: int | None = None
    place: str = ""
    group: str = ""
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """How ``program`` lists a thing, a ``what``: its frame before and after the words, to the letter.

    In both, ``{name}`` is its name and ``{place}`` its place, or else its path. A brace of the program's own is written
    twice. ``escaped`` is what becomes of names and words, ``of_path`` of a path. ``why``: "" for the rule of the thing.
    """

    program: str
    what: str
    why: str
    before: str
    after: str = ""
    layer: Layer = "tools"
    escaped: Callable[[str], str] = str
    of_path: Callable[[str], str] = str
    between: str = ""

    def rows(self, found: Iterable[Named]) -> Iterator[Segment]:
        """A row for each, with ``between`` before all but the first."""
        for number, each in enumerate(found):
            first, *others = self.segments(each)
            yield from (replace(first, text=self.between + first.text) if number else first, *others)

    def segments(self, each: Named) -> list[Segment]:
        """The row of one; a placeholder is in the place of words that are not known."""
        title = f"{self.what} {each.name}"
        before, after = self._frame(each)
        if each.origin is None:
            why = f"the {self.what} is built in"
            words = elided(self.layer, self.program, f"description of {title}", why=why, size=each.size)
        else:
            why = self.why or (each.rule.why if each.rule else "")
            words = Segment(self.layer, title, self.escaped(each.words), each.origin, why, cut=each.cut)
        row = [head(before, self.layer, path=each.path), words]
        return [*row, tail(after, self.layer)] if after else row

    def size(self, each: Named) -> int:
        """The characters of the row, as far as they are known."""
        words = len(self.escaped(each.words)) if each.origin is not None else each.size or 0
        return sum(map(len, self._frame(each))) + words

    def fitting(self, found: Iterable[Named], room: int) -> int:
        """How many of the first rows have room in so many characters."""
        return fitting(map(self.size, found), room)

    def _frame(self, each: Named) -> tuple[str, str]:
        place = each.place or self.of_path(native(each.path or ""))
        values = {"name": self.escaped(each.name), "place": place}
        return self.before.format_map(values), self.after.format_map(values)


def fitting(sizes: Iterable[int], room: int) -> int:
    """How many of the first have room together."""
    return sum(1 for _ in takewhile(lambda end: end <= room, accumulate(sizes)))


def take(
    found: dict[str, AnyNamed], new: AnyNamed, note: Note, *, is_last: bool = False, says: str = COMES_FIRST
) -> None:
    """Put a thing among those that were ``found``: of a name the first one counts, or the last one where ``is_last``.

    The last one takes the place of the first. ``says`` of the other one why it does not count; ``{}`` is the file that
    does.
    """
    first = found.setdefault(new.name, new)
    if first is new:
        return
    kept, other = (new, first) if is_last else (first, new)
    found[new.name] = kept
    if other.path is not None and other.rule is not None:
        note(other.rule.shadowed(other.path, says.format(kept.path or "one that is built in"), by=kept.path))


def text_at(
    host: Host,
    path: str,
    rule: Rule,
    note: Note,
    *,
    keep_bom: bool = False,
    is_whole: bool = False,
    only_utf_8: bool = False,
) -> str | None:
    """The text of a file, which may end with its front matter unless ``is_whole``; None if it cannot be read.

    ``only_utf_8``: another one, which has to be read as a whole, is left out.
    """
    contents = host.read(path) if is_whole else host.head(path)
    if contents.state != "file":
        note(rule.failed(path, STATE_SAYS[contents.state]))
        return None
    if only_utf_8 and (flaw := utf_8_flaw(contents.data)):
        note(rule.failed(path, f"{flaw}, so it is left out"))
        return None
    return decode(contents.data, keep_bom=keep_bom)


def utf_8_flaw(data: bytes) -> str:
    """Which byte is not UTF-8; "" if all are."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} is not UTF-8"
    return ""


def skills_in(host: Host, places: Iterable[str], why: str, note: Note) -> Iterator[Named]:
    """The skills in folders of each place, in its order, then by the names of the folders.

    One without a name and a description is left out. That the others are loaded is noted.
    """
    from promptls.core.formats import front_matter  # noqa: PLC0415 - only the harnesses without a reader of their own
    from promptls.core.formats.header import Header  # noqa: PLC0415 - for the same reason

    rule = own(why, use="skill")
    for place in places:
        for entry in sorted(host.entries(place), key=lambda each: each.name):
            path = join(place, entry.name, SKILL_FILE)
            text = text_at(host, path, rule, note) if host.kind(path) is not None else None
            if text is None:
                continue
            matter = front_matter.split(text)
            front = Header(text, matter.start, matter.document, matter.body)
            name, description = front.word("name"), front.value("description")
            if not name or description is None or not isinstance(description.data, str):
                note(rule.failed(path, "it has no name or no description, so it is left out"))
                continue
            note(rule.loaded(path))
            origin = Origin("file", path=path, range=front.range("description"))
            yield Named(name, description.data, path, origin, rule)
