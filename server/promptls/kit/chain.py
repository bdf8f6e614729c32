"""Which instruction files a program sends, how it reads them, and what it writes around them: as values.

``Chain`` names the files and the directories in which they are looked for, ``Reading`` says what becomes of their text,
``Frame`` what stands around them, and ``OnRead`` which files come with one that is read. ``kit/writer.py`` puts them
to use. What a program does otherwise stays code of its own: each part can be asked for on its own.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from promptls.core.model import START, Cut, Origin, Range, Segment
from promptls.core.text import BOM, LineIndex, newlines
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import STATE_SAYS, Rule, our_cut
from promptls.kit.paths import first_above, is_link, join, name, native, parent, relative, resolve, upwards
from promptls.kit.segments import head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Literal, TypeAlias

    from promptls.core.files import Contents
    from promptls.core.host import Host
    from promptls.core.model import Candidate, Layer

    # The stretches of a text that are sent: offsets, in order. None of them is empty.
    Parts: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]
    # The directories of a search, in the order in which their files are sent.
    Where: TypeAlias = Callable[[Host, str], Sequence[str]]
    # What a name is: a file that can be read, one that gives text, or anything at all.
    Choice: TypeAlias = Literal["file", "text", "entry"]


# -- where: the directories of a search --------------------------------------------------------------------------------


def only_cwd(_host: Host, cwd: str) -> list[str]:
    """The working directory."""
    return [cwd]


def from_git_root(host: Host, cwd: str) -> list[str]:
    """From the nearest directory that has a .git of any kind down to the working directory; without one, only that."""
    return [*upwards(cwd, first_above(host, cwd, ".git") or cwd)][::-1]


def only_git_root(host: Host, cwd: str) -> list[str]:
    """The nearest directory that has a .git of any kind, if there is one."""
    top = first_above(host, cwd, ".git")
    return [] if top is None else [top]


def from_disk_root(_host: Host, cwd: str) -> list[str]:
    """From the root of the disk down to the working directory."""
    return [*upwards(cwd)][::-1]


# -- parts: what of a text is sent -------------------------------------------------------------------------------------


def all_of_it(text: str) -> Iterator[tuple[int, int]]:
    """The text as it is."""
    if text:
        yield 0, len(text)


def without_space(text: str) -> Iterator[tuple[int, int]]:
    """The text without white space around it, as Python's ``strip`` knows it."""
    kept = text.strip()
    if kept:
        start = text.index(kept)
        yield start, start + len(kept)


def without_space_after(text: str) -> Iterator[tuple[int, int]]:
    """The text without white space at its end, as Python's ``rstrip`` knows it."""
    if kept := text.rstrip():
        yield 0, len(kept)


# -- reading -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileText:
    """What was found at a path. ``is_sent`` is false where nothing of it is; a sent file may have no text.

    ``ends``: why the program ends because of it, as a clause.
    """

    path: str
    directory: str
    candidate: Candidate
    segments: tuple[Segment, ...] = ()
    is_sent: bool = False
    ends: str = ""

    @property
    def text(self) -> str:
        """What is sent of it, without a frame."""
        return "".join(each.text for each in self.segments)

    def first(self, length: int, cut: Cut | None, candidate: Candidate) -> FileText:
        """Its first ``length`` characters, because of ``cut``; ``candidate`` says so. Nothing is sent of length 0."""
        kept = tuple(replace(each, cut=cut) for each in Stretches(self.segments).between(0, length))
        return replace(self, segments=kept, candidate=candidate, is_sent=bool(kept))


class Stretches:
    """Parts of a text that segments make, by offsets in it."""

    __slots__ = ("_lines", "_segments", "_starts")

    def __init__(self, segments: Sequence[Segment]) -> None:
        """Note where each segment begins."""
        self._segments = segments
        self._starts = [*accumulate((len(each.text) for each in segments), initial=0)]
        self._lines: dict[int, LineIndex] = {}

    def between(self, start: int, end: int) -> list[Segment]:
        """The segments from ``start`` to ``end``; of a file that was cut in two, the second part is there ``again``."""
        found: list[Segment] = []
        for at in range(max(bisect_right(self._starts, start) - 1, 0), len(self._segments)):
            begin, each = self._starts[at], self._segments[at]
            if begin >= end:
                break
            first, last = max(start - begin, 0), min(end - begin, len(each.text))
            if first < last:
                found.append(each if last - first == len(each.text) else self._cut_segment(at, first, last))
        return found

    def _cut_segment(self, at: int, start: int, end: int) -> Segment:
        whole = self._segments[at]
        place = whole.origin.range
        origin = replace(whole.origin, again=whole.origin.again or start > 0)
        if place is not None:
            lines = self._lines.setdefault(at, LineIndex(whole.text))
            (one, left), (other, right) = lines.position(start), lines.position(end)
            ahead = place.start_character
            where = Range(
                place.start_line + one,
                left + (0 if one else ahead),
                place.start_line + other,
                right + (0 if other else ahead),
            )
            origin = replace(origin, range=where)
        return replace(whole, text=whole.text[start:end], origin=origin)


@dataclass(frozen=True, slots=True)
class Includes:
    """Places in the text of a file that name another file, whose text is sent there instead.

    ``pattern``: what is replaced; its first group is the path as it is written. ``depth``: how many files may lead to
    each other. ``target`` gives the path that is meant, from that of the importing file; None where the place stays as
    it is. ``before`` and ``after`` are the frame; ``{written}`` is the path as it is written. A file that imports
    itself, or that is not there, stays a name.
    """

    pattern: re.Pattern[str]
    depth: int
    why: str
    target: Callable[[Host, str, str], str | None] = lambda _host, file, written: resolve(parent(file), written)
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a program reads an instruction file. By default its text is sent as it is, unless it is empty.

    ``parts``: the stretches of the text that are sent. ``has_unix_lines``: each end of a line becomes a line feed.
    ``sends_empty``: a file without text is sent all the same; ``empty`` is what such a file means, as a clause.
    ``not_utf_8``: bytes that are no UTF-8 are replaced by U+FFFD or removed, or the file is left out.
    ``ends_if``: where the program ends with an error, and ``advice`` what to do about it. ``includes``: what in the
    text stands for another file; ``Writer.find`` puts that in.
    """

    keeps_bom: bool = True
    parts: Parts = all_of_it
    has_unix_lines: bool = False
    sends_empty: bool = False
    empty: str = "it is empty"
    not_utf_8: Literal["replaced", "removed", "left out"] = "replaced"
    follows_links: bool = True
    ends_if: tuple[Literal["missing", "unreadable", "not UTF-8"], ...] = ()
    advice: str = "Put a UTF-8 text file there or remove it."
    layer: Layer = "instructions"
    includes: Includes | None = None

    def file(self, host: Host, path: str, rule: Rule, directory: str = "") -> FileText:
        """What comes of the file at ``path``. Never raises."""
        contents = host.read(path)
        if contents.state != "file":
            kind = "missing" if contents.state in ("missing", "broken-link") else "unreadable"
            ends = STATE_SAYS[contents.state] if kind in self.ends_if else ""
            return FileText(path, directory, rule.unread(path, contents.state), ends=ends)
        if not self.follows_links and is_link(host, path):
            return FileText(path, directory, rule.excluded(path, "it is a link, and no link is followed", state="link"))
        text, flaw = self._decoded(contents)
        if flaw and ("not UTF-8" in self.ends_if or self.not_utf_8 == "left out"):
            ends = flaw if "not UTF-8" in self.ends_if else ""
            return FileText(path, directory, rule.failed(path, flaw, state=None if ends else "not-utf-8"), ends=ends)
        segments = tuple(self._segments(path, text, rule, our_cut(contents)))
        if not segments:
            empty = rule.empty(path, self.empty)
            return FileText(path, directory, empty, is_sent=self.sends_empty)
        return FileText(path, directory, rule.read(path, contents), segments, is_sent=True)

    def _decoded(self, contents: Contents) -> tuple[str, str]:
        """The text, and what is wrong with its bytes."""
        flaw = ""
        try:
            text = contents.data.decode("utf-8", "ignore" if contents.is_cut else "strict")
        except UnicodeDecodeError as error:
            flaw = f"byte {error.start + 1} is not UTF-8"
            text = contents.data.decode("utf-8", "ignore" if self.not_utf_8 == "removed" else "replace")
        return text if self.keeps_bom else text.removeprefix(BOM), flaw

    def _segments(self, path: str, text: str, rule: Rule, cut: Cut | None) -> Iterator[Segment]:
        lines: LineIndex | None = None
        for number, (start, end) in enumerate(self.parts(text)):
            lines = lines or LineIndex(text)
            said = newlines(text[start:end]) if self.has_unix_lines else text[start:end]
            origin = Origin("file", path=path, range=lines.range(start, end), again=number > 0)
            yield Segment(self.layer, path, said, origin, rule.why, cut=cut)


# -- searching ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chain:
    """Instruction files of known names, in each directory of a search.

    ``names``: all of them are sent, in this order; of names in brackets only the first that counts, and that is decided
    by ``takes_first``: a ``file`` that can be read, also a blank one; one with ``text``; or any ``entry``, also a
    directory, after which nothing else is looked for. ``why`` is the rule in one sentence, ``origin`` what says so
    where it is not the program itself. ``blank_hides`` is what a blank file means that hides others, as a clause.
    ``is_once``: a directory that is the same as an earlier one, by links or because it was read in before, is passed.
    """

    names: tuple[str | tuple[str, ...], ...]
    why: str
    where: Where = only_cwd
    reading: Reading = Reading()
    takes_first: Choice = "file"
    origin: Origin | None = None
    blank_hides: str = ""
    is_once: bool = False

    @property
    def every_name(self) -> tuple[str, ...]:
        """All names, without brackets."""
        return tuple(each for group in self.names for each in ([group] if isinstance(group, str) else group))

    def look(self, host: Host, directory: str, at: str = START) -> Iterator[FileText]:
        """What came of each name in a directory, in order; also of those that are not there."""
        rule = Rule(self.why, self.origin or Origin("computed", name=self.why), at=at)
        for group in self.names:
            if isinstance(group, str):
                yield self.reading.file(host, join(directory, group), rule, directory)
            else:
                yield from self._first(host, directory, group, rule)

    def _first(self, host: Host, directory: str, group: tuple[str, ...], rule: Rule) -> Iterator[FileText]:
        first: FileText | None = None
        for path in (join(directory, each) for each in group):
            if first is None:
                found = self.reading.file(host, path, rule, directory)
                if self._counts(host, found):
                    first = found
                    if self.blank_hides and found.candidate.outcome == "empty":
                        found = replace(found, candidate=rule.empty(path, self.blank_hides))
                yield found
            elif self._is_hidden(host, path) and not host.is_same(path, first.path):
                is_blank = first.candidate.outcome == "empty"
                reason = f"{first.path} comes first{' and is blank' if is_blank else ''}"
                yield FileText(path, directory, rule.shadowed(path, reason, by=first.path))

    def _is_hidden(self, host: Host, path: str) -> bool:
        kind = host.kind(path)
        return kind == "file" or (kind is not None and self.takes_first == "entry")

    def _counts(self, host: Host, found: FileText) -> bool:
        """Whether a name ends the search of those after it."""
        if self.takes_first == "entry":
            return host.kind(found.path) is not None
        if self.takes_first == "text":
            return bool(found.text)
        return host.read(found.path).state == "file" and found.candidate.state != "link"


# -- what stands around the files --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Frame:
    """What a program writes around its files, to the letter; nothing of it is there without a file.

    ``label`` and ``end`` stand around each file. In a label ``{path}`` is its absolute path, ``{relative}`` that from a
    directory which the caller names, ``{directory}`` where it was found, and ``{name}`` its name. A brace of the
    program's own is written twice.
    """

    before: str = ""
    label: str = ""
    end: str = ""
    between: str = ""
    after: str = ""
    layer: Layer = "instructions"

    def around(
        self, files: Iterable[FileText], *, base: str = "", intro: Iterable[Segment] = (), outro: Iterable[Segment] = ()
    ) -> list[Segment]:
        """The files that are sent, in their frame. ``intro`` stands after ``before``, ``outro`` before ``after``."""
        parts: list[Segment] = []
        for file in files:
            if file.is_sent:
                parts += [tail(self.between, self.layer)] if parts else []
                parts += [head(self._label(file, base), self.layer, path=file.path), *file.segments]
                parts += [tail(self.end, self.layer)] if self.end else []
        if not parts:
            return []
        return [tail(self.before, self.layer), *intro, *parts, *outro, tail(self.after, self.layer)]

    def _label(self, file: FileText, base: str) -> str:
        return self.label.format(
            path=native(file.path),
            relative=native(relative(file.path, base), base) if base else native(file.path),
            directory=native(file.directory),
            name=name(file.path),
        )


@dataclass(frozen=True, slots=True)
class OnRead:
    """Files that come with a file that is read: those of the directories on the way to it.

    They are looked for below the working directory, unless ``from_git_root``: then below the nearest directory that has
    a .git, if there is one. ``has_top``: in that directory, too. ``is_nearest_first``: their order; ``levels``: of at
    most so many directories, the nearest. Each directory is read in once, and not again if its files were sent at
    start.

    ``place``: ``after`` or ``before`` the text of the file in the result of the tool, ``instead`` of it, or in a
    message of its own after the results: of the role ``user`` or ``system``.
    """

    chain: Chain
    frame: Frame
    place: Literal["after", "before", "instead", "user", "system"] = "after"
    from_git_root: bool = False
    has_top: bool = False
    is_nearest_first: bool = False
    levels: int | None = None

    def top(self, host: Host, cwd: str) -> str:
        """The directory below which files are looked for."""
        return first_above(host, cwd, ".git") or cwd if self.from_git_root else cwd

    def directories(self, path: str, top: str) -> list[str]:
        """Those on the way from ``top`` to the file at ``path``, in the order of their files."""
        nearest = [each for each in upwards(parent(path), top) if self.has_top or each != top]
        nearest = nearest[: self.levels]
        return nearest if self.is_nearest_first else nearest[::-1]
