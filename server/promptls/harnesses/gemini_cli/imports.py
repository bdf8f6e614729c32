"""Gemini CLI's imports: ``@path`` in a context file (specification, "Imports"; source: memoryImportProcessor).

A file with its imports is a list of pieces that tile what is sent: text of files, each with its place, and the
program's own frame. Pieces can be trimmed like the whole text, and become segments at the end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Origin, Segment
from promptls.core.text import BOM, LineIndex, decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.candidates import STATE_SAYS, Rule, our_cut
from promptls.harnesses.frames import WHY_FRAME
from promptls.harnesses.gemini_cli.versions import ROWS
from promptls.harnesses.shared.javascript import SPACE
from promptls.harnesses.shared.paths import is_absolute, is_below, native, parent, resolve, upwards
from promptls.harnesses.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import CandidateState, Cut, Frame, Layer, Outcome
    from promptls.harnesses.draft import Draft

# A limit of ours, in characters: files that import each other many times over would never end.
MAX_IMPORTED = 16_000_000
COST_OF_IMPORT = 10_000

_IMPORT = regex(r"(?<![^ \t\n\r])@([^ \t\n\r]+)")
_IMPORT_START = regex(r"[A-Za-z./]")
_URL = regex(r"(file|https?)://")
_BACKTICKS = regex(r"`+")
_NEWLINES = regex(r"\n*")
_MANY_NEWLINES = regex(r"\n{3,}")
# What Node says of a file that it cannot open or read.
_ERRNO = {
    "missing": "ENOENT: no such file or directory, access '{path}'",
    "broken-link": "ENOENT: no such file or directory, access '{path}'",
    "directory": "EISDIR: illegal operation on a directory, read",
    "unreadable": "EACCES: permission denied, open '{path}'",
}


class File:
    """A file that was read: ``text`` with its byte order mark, and places in it without."""

    __slots__ = ("_index", "_offset", "cut", "path", "text")

    def __init__(self, path: str, text: str, cut: Cut | None) -> None:
        """``cut`` is our own limit, where it applied."""
        self.path = path
        self.text = text
        self.cut = cut
        self._offset = int(text.startswith(BOM))
        self._index: LineIndex | None = None

    def origin(self, start: int, end: int, *, again: bool = False, name: str | None = None) -> Origin:
        """The place of ``text[start:end]``."""
        if self._index is None:
            self._index = LineIndex(self.text[self._offset :])
        where = self._index.range(start - self._offset, end - self._offset)
        return Origin("file", path=self.path, range=where, name=name, again=again)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text: from ``start`` of ``file``, or, without one, the program's own."""

    text: str
    file: File | None = None
    start: int = 0
    frame: Frame | None = None
    title: str = ""
    # The path that a label announces.
    announces: str | None = None


def before(text: str, announces: str | None = None) -> Piece:
    """A label before a text."""
    return Piece(text, frame="head", announces=announces)


def after(text: str) -> Piece:
    """A closing label or a join after a text."""
    return Piece(text, frame="tail")


@dataclass(slots=True)
class Importer:
    """What resolving imports needs. ``markers`` end the walk up to the root that imports must stay in."""

    draft: Draft
    host: Host
    markers: tuple[str, ...]
    at: str
    left: int = MAX_IMPORTED

    def tree(self, file: File) -> list[Piece]:
        """``file`` with its imports in the place of their mentions."""
        return list(self._tree(file, self._root(file), 0, frozenset()))

    def flat(self, file: File) -> list[Piece]:
        """``file`` and after it every imported file in a block of its own, mentions last to first."""
        pieces: list[Piece] = []
        for at, (label, each) in enumerate(self._flat(file, self._root(file)).items()):
            pieces.append(before(f"{JOIN if at else ''}--- File: {native(label)} ---\n"))
            pieces += trimmed([Piece(each.text, each)])
            pieces.append(after(f"\n--- End of File: {native(label)} ---"))
        return pieces

    def _root(self, file: File) -> str:
        directory = parent(file.path)
        return nearest_marked(self.host, directory, self.markers) or directory

    def _tree(self, file: File, root: str, depth: int, chain: frozenset[str]) -> Iterator[Piece]:
        """Each path is imported once in a chain, but again beside it (wire: imports-tree)."""
        at = 0
        # At the limit the mentions stay as they are, silently (wire: imports-depth).
        most = row(ROWS, self.draft.session.version).import_depth
        mentions = find_imports(file.text) if depth < most else ()
        if depth == most:
            for mention in find_imports(file.text):
                why = f"imports end at a depth of {most}, so it stays as it is"
                self._note(file, mention, "excluded", why, state="too-deep")
        for mention in mentions:
            if self._gives_up():
                break
            named, path = mention[1], resolve(parent(file.path), mention[1])
            yield Piece(file.text[at : mention.start()], file, at)
            at = mention.end()
            if not self._is_inside(named, path, root):
                why = f"it must lie below {root}; the model gets an error in its place"
                self._note(file, mention, "outside", why)
                yield failure(f"<!-- Import failed: {named} - Path traversal attempt -->", named)
            elif path in chain:
                why = "it is being imported already"
                self._note(file, mention, "duplicate", why, state="cycle", other=path)
                yield failure(f"<!-- File already processed: {named} -->", named)
            elif isinstance(imported := self._read(file, mention), File):
                yield before(f"<!-- Imported from: {named} -->\n")
                yield from self._tree(imported, root, depth + 1, chain | {path})
                yield after(f"\n<!-- End of import from: {named} -->")
            else:
                yield failure(f"<!-- Import failed: {named} - {imported} -->", named)
        yield Piece(file.text[at:], file, at)

    def _flat(self, file: File, root: str) -> dict[str, File]:
        """Label to file. The main file is known by its directory, so it may come again (wire: imports-flat)."""
        blocks = {parent(file.path): file}
        waiting = [(file, mention) for mention in find_imports(file.text)]
        while waiting and not self._gives_up():
            importing, mention = waiting.pop()
            path = resolve(parent(importing.path), mention[1])
            if not self._is_inside(mention[1], path, root):
                self._note(importing, mention, "outside", f"it must lie below {root}")
            elif path in blocks:
                self._note(importing, mention, "duplicate", "it was imported already", other=path)
            elif isinstance(imported := self._read(importing, mention), File):
                blocks[path] = imported
                waiting += [(imported, each) for each in find_imports(imported.text)]
        return blocks

    def _gives_up(self) -> bool:
        if self.left <= 0 and GIVEN_UP not in self.draft.notes:
            self.draft.notes.append(GIVEN_UP)
        return self.left <= 0

    def _is_inside(self, named: str, path: str, root: str) -> bool:
        return not _URL.match(named) and is_below(self.host.realpath(path), self.host.realpath(root))

    def _read(self, file: File, mention: re.Match[str]) -> File | str:
        """The file that a mention names, or what Node says of it."""
        path = resolve(parent(file.path), mention[1])
        contents = self.host.read(path)
        if contents.state == "file":
            self.left -= len(contents.data) + COST_OF_IMPORT
            cut = our_cut(contents)
            outcome: Outcome = "cut" if cut else "loaded" if contents.data else "empty"
            self._note(file, mention, outcome, cut.limit if cut else "")
            return File(path, decode(contents.data, keep_bom=True), cut)
        missing = contents.state in ("missing", "broken-link")
        self._note(file, mention, "missing" if missing else "failed", STATE_SAYS[contents.state], state=contents.state)
        if missing and any(self.host.kind(place) == "file" for place in upwards(parent(path))):
            return f"ENOTDIR: not a directory, access '{native(path)}'"
        return _ERRNO.get(contents.state, "⟪an error⟫").format(path=native(path))

    def _note(
        self,
        file: File,
        mention: re.Match[str],
        outcome: Outcome,
        reason: str,
        *,
        state: CandidateState | None = None,
        other: str | None = None,
    ) -> None:
        rule = Rule(WHY_IMPORT, file.origin(mention.start(), mention.end(), name=mention[0]), at=self.at)
        path = resolve(parent(file.path), mention[1])
        self.draft.candidates.append(rule.candidate(outcome, path, reason, state=state, other=other))


GIVEN_UP = "There are too many imports: promptls does not follow all of them, so this is not all that is sent."
WHY_IMPORT = "gemini-cli treats every @ before a letter, a dot or a slash as an import"
JOIN = "\n\n"


def find_imports(text: str) -> list[re.Match[str]]:
    """The mentions that are imports: at the start or after white space, up to white space, not in backticks."""
    code = code_regions(text)
    starts = [start for start, _ in code]

    def is_code(at: int) -> bool:
        region = bisect_right(starts, at) - 1
        return region >= 0 and at < code[region][1]

    return [found for found in _IMPORT.finditer(text) if _IMPORT_START.match(found[1]) and not is_code(found.start())]


def code_regions(text: str) -> list[tuple[int, int]]:
    r"""What gemini-cli takes for code: the matches of "(`+)[\s\S]*?\1", found in linear time.

    That is not Markdown's code: a run of backticks reaches to the next run that holds as many, over paragraphs; one
    without such an end gives up backticks until it has one, or closes itself.
    """
    runs = [found.span() for found in _BACKTICKS.finditer(text)]
    # The longest run from each one on.
    longest = [*accumulate((end - start for start, end in reversed(runs)), max)][::-1]
    regions: list[tuple[int, int]] = []
    number = at = 0
    while number < len(runs):
        start, end = max(runs[number][0], at), runs[number][1]
        length = end - start
        size = min(length, longest[number + 1]) if number + 1 < len(runs) else 0
        if size > length // 2:
            number = next(n for n in range(number + 1, len(runs)) if runs[n][1] - runs[n][0] >= size)
            at = runs[number][0] + size
            regions.append((start, at))
        elif length > 1:
            at = start + length // 2 * 2
            regions.append((start, at))
        else:
            at = end
        number += at >= runs[number][1]
    return regions


def nearest_marked(host: Host, directory: str, markers: Iterable[str]) -> str | None:
    """The nearest directory at or above with one of ``markers`` in it (specification, "Search")."""
    usable = [marker for marker in markers if not is_absolute(marker, directory) and ".." not in marker]
    for place in upwards(directory) if usable else ():
        if any(host.kind(resolve(place, marker)) is not None for marker in usable):
            return place
    return None


def failure(text: str, named: str) -> Piece:
    """What the model gets in the place of an import that failed."""
    return Piece(text, title=f"import of {named} failed")


def trimmed(pieces: list[Piece]) -> list[Piece]:
    """The pieces as JavaScript's ``trim`` would leave their text."""
    kept = [piece for piece in pieces if piece.text]
    while kept and not kept[0].text.strip(SPACE):
        kept.pop(0)
    while kept and not kept[-1].text.strip(SPACE):
        kept.pop()
    if kept:
        first = kept[0]
        text = first.text.lstrip(SPACE)
        kept[0] = replace(first, text=text, start=first.start + len(first.text) - len(text))
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip(SPACE))
    return kept


def without_empty_lines(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces with runs of more than two line feeds cut down to two, also across pieces (source)."""
    before = 0  # line feeds right before
    for piece in pieces:
        at = 0
        while at < len(piece.text):
            run = _NEWLINES.match(piece.text, at).end() - at  # type: ignore[union-attr] # of any length
            drop = max(min(run, before + run - 2), 0)
            found = _MANY_NEWLINES.search(piece.text, at + run)
            end = found.start() if found else len(piece.text)
            kept = piece.text[at + drop : end]
            if kept:
                yield replace(piece, text=kept, start=piece.start + at + drop)
            before = len(kept) - len(kept.rstrip("\n")) + (0 if kept.strip("\n") else before)
            at = end


def segments(pieces: Iterable[Piece], layer: Layer, why: str, seen: set[str]) -> Iterator[Segment]:
    """Segments of a message. ``seen`` are the files that the message has named before, and grows."""
    for piece in pieces:
        if piece.file is not None:
            if not piece.text:
                continue
            path, end = piece.file.path, piece.start + len(piece.text)
            origin = piece.file.origin(piece.start, end, again=path in seen)
            # White space between two imports is shown with the first of them.
            is_blank = not piece.text.strip()
            if not is_blank:
                seen.add(path)
            frame: Frame | None = "tail" if is_blank else None
            yield Segment(layer, path, piece.text, origin, why, cut=piece.file.cut, frame=frame)
        elif piece.frame is not None:
            known = piece.announces is not None and piece.announces not in seen
            origin = Origin("computed", path=piece.announces) if known else COMPUTED
            yield Segment(layer, "frame", piece.text, origin, WHY_FRAME, frame=piece.frame)
        else:
            yield Segment(layer, piece.title, piece.text, COMPUTED, WHY_IMPORT)
