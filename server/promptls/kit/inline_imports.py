"""``@path`` in a text of Markdown, which the text of that file replaces, within labels of the program's own.

The walk and the labels; where such a mention is, and which ones are followed, each program says itself.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import NOTHING, STATE_SAYS, Rule, our_cut
from promptls.kit.paths import is_absolute, is_below_file, native, parent, resolve, upwards
from promptls.kit.pieced_text import File, Piece, after, before, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from promptls.core.host import Host
    from promptls.core.model import CandidateState, Outcome
    from promptls.kit.draft import Draft

# A limit of ours, in characters: files that import each other many times over would never end.
MAX_IMPORTED = 16_000_000
COST_OF_IMPORT, COST_OF_MENTION = 10_000, 500
JOIN = "\n\n"
GIVEN_UP = "There are too many imports: promptls does not follow all of them, so this is not all that is sent."

_IMPORT = regex(r"(?<![^ \t\n\r])@([^ \t\n\r]+)")
_IMPORT_START = regex(r"[A-Za-z./]")
_URL = regex(r"(file|https?)://")
# What Node says of a file that it cannot open or read.
_ERRNO = {
    "missing": "ENOENT: no such file or directory, access '{path}'",
    "broken-link": "ENOENT: no such file or directory, access '{path}'",
    "directory": "EISDIR: illegal operation on a directory, read",
    "unreadable": "EACCES: permission denied, open '{path}'",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the programs do not have in common.

    ``why``: why a mention is an import. ``mentions``: those of a text. ``depth``: how deep they are followed.
    ``is_inside``: whether a path lies below the root of the file that begins. ``counts_itself``: a file that imports
    itself is known already. ``missing_stays``: the mention of a file that is not there stays as it is.
    """

    why: str
    mentions: Callable[[str], list[re.Match[str]]]
    depth: int
    is_inside: Callable[[str, str], bool]
    counts_itself: bool = False
    missing_stays: bool = False


@dataclass(slots=True)
class Importer:
    """What resolving imports needs."""

    draft: Draft
    host: Host
    dialect: Dialect
    at: str
    left: int = MAX_IMPORTED

    def tree(self, file: File, root: str) -> list[Piece]:
        """``file`` with its imports in the place of their mentions; those must lie below ``root``."""
        chain = frozenset((file.path,)) if self.dialect.counts_itself else frozenset()
        return list(self._tree(file, root, 0, chain))

    def _tree(self, file: File, root: str, depth: int, chain: frozenset[str]) -> Iterator[Piece]:
        """Each path is imported once in a chain, but again beside it."""
        at, most = 0, self.dialect.depth
        # At the limit the mentions stay as they are, silently.
        mentions = self.dialect.mentions(file.text) if depth < most else ()
        if depth == most:
            for mention in self.dialect.mentions(file.text):
                if self.gives_up():
                    break
                why = f"imports end at a depth of {most}, so it stays as it is"
                self.note(file, mention, "excluded", why, state="too-deep")
        for mention in mentions:
            if self.gives_up():
                break
            named, path = mention[1], resolve(parent(file.path), mention[1])
            yield Piece(file.text[at : mention.start()], file, at)
            at = mention.end()
            if not self.is_inside(named, path, root):
                why = f"it must lie below {root}; the model gets an error in its place"
                self.note(file, mention, "outside", why)
                yield self._failure(f"<!-- Import failed: {named} - Path traversal attempt -->", named)
            elif path in chain:
                why = "it is being imported already"
                self.note(file, mention, "duplicate", why, state="cycle", other=path)
                yield self._failure(f"<!-- File already processed: {named} -->", named)
            elif isinstance(imported := self.read(file, mention), File):
                yield before(f"<!-- Imported from: {named} -->\n")
                yield from self._tree(imported, root, depth + 1, chain | {path})
                yield after(f"\n<!-- End of import from: {named} -->")
            elif imported:
                yield self._failure(f"<!-- Import failed: {named} - {imported} -->", named)
            else:
                at = mention.start()
        yield Piece(file.text[at:], file, at)

    def _failure(self, text: str, named: str) -> Piece:
        """What the model gets in the place of an import that failed."""
        return Piece(text, title=f"import of {named} failed", why=self.dialect.why)

    def gives_up(self) -> bool:
        """Whether our own limit is reached, which a note then says."""
        if self.left <= 0:
            self.draft.note(GIVEN_UP)
        return self.left <= 0

    def is_inside(self, named: str, path: str, root: str) -> bool:
        """Whether what a mention names may be imported."""
        return not _URL.match(named) and self.dialect.is_inside(path, root)

    def read(self, file: File, mention: re.Match[str]) -> File | str:
        """The file that a mention names, or what Node says of it; "" where the mention stays as it is."""
        path = resolve(parent(file.path), mention[1])
        contents = self.host.read(path)
        if contents.state == "file":
            self.left -= len(contents.data) + COST_OF_IMPORT
            cut = our_cut(contents)
            outcome: Outcome = "cut" if cut else "loaded" if contents.data else "empty"
            self.note(file, mention, outcome, cut.limit if cut else "")
            return File(path, decode(contents.data, keep_bom=True), cut)
        missing = contents.state in NOTHING
        self.note(file, mention, "missing" if missing else "failed", STATE_SAYS[contents.state], state=contents.state)
        if missing and is_below_file(self.host, path):
            return f"ENOTDIR: not a directory, access '{native(path)}'"
        if missing and self.dialect.missing_stays:
            return ""
        return _ERRNO.get(contents.state, "⟪an error⟫").format(path=native(path))

    def note(
        self,
        file: File,
        mention: re.Match[str],
        outcome: Outcome,
        reason: str,
        *,
        state: CandidateState | None = None,
        other: str | None = None,
    ) -> None:
        """Remember what came of a mention."""
        self.left -= COST_OF_MENTION
        rule = Rule(self.dialect.why, file.origin(mention.start(), mention.end(), name=mention[0]), at=self.at)
        path = resolve(parent(file.path), mention[1])
        self.draft.candidates.append(rule.candidate(outcome, path, reason, state=state, other=other))


def file_blocks(files: Mapping[str, File]) -> list[Piece]:
    """Each file in a block of its own, under the path that its label names."""
    pieces: list[Piece] = []
    for at, (label, each) in enumerate(files.items()):
        pieces.append(before(f"{JOIN if at else ''}--- File: {native(label)} ---\n"))
        pieces += trimmed([Piece(each.text, each)])
        pieces.append(after(f"\n--- End of File: {native(label)} ---"))
    return pieces


def find_mentions(text: str, is_code: Callable[[int], bool]) -> list[re.Match[str]]:
    """``@path`` at the start or after white space, up to white space; not where ``is_code`` holds of its offset."""
    found = _IMPORT.finditer(text)
    return [each for each in found if _IMPORT_START.match(each[1]) and not is_code(each.start())]


def nearest_marked(host: Host, directory: str, markers: Iterable[str]) -> str | None:
    """The nearest directory at or above with one of ``markers`` in it."""
    usable = [marker for marker in markers if not is_absolute(marker, directory) and ".." not in marker]
    for place in upwards(directory) if usable else ():
        if any(host.kind(resolve(place, marker)) is not None for marker in usable):
            return place
    return None
