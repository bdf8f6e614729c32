"""How Copilot CLI puts files named by ``@path`` into an instruction file (section A; wire: imports-expanded).

The ``@path`` stays, and the other file's text follows it at once, also within a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from promptls.core.model import Candidate, Origin, Segment
from promptls.core.text import LineIndex
from promptls.harnesses.base import head, look_for_text, tail
from promptls.harnesses.mentions import Mention, mentions
from promptls.harnesses.paths import is_below, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.base import Draft, Found

DEPTH_SEEN = 3
# A limit of ours: files that import each other over and over again are not followed for ever.
MAX_IMPORTS = 200

WHY_IMPORT = "Copilot CLI puts the text of a file behind the @path that names it"


@dataclass(slots=True)
class Imports:
    """Expands imports in the files of one prompt. ``repository`` is what an import must not leave."""

    draft: Draft
    host: Host
    repository: str
    left: int = MAX_IMPORTS

    def expand(self, path: str, found: Found, why: str) -> list[Segment]:
        """The text of the file at ``path`` in pieces, with what it imports between them."""
        return list(self._pieces(path, found.text, (0, len(found.text)), why, (path,), found))

    def _pieces(  # noqa: PLR0917 - a part of a file, and how it came there
        self, path: str, text: str, part: tuple[int, int], why: str, chain: tuple[str, ...], found: Found
    ) -> Iterator[Segment]:
        lines = LineIndex(text)
        at, end = part
        is_first = True
        for mention in mentions(text):
            if not at <= mention.start < end:
                continue
            imported = self._imported(path, lines, mention, chain)
            if not imported:
                continue
            yield _piece(path, lines, (at, mention.end), why, found, is_first=is_first)
            yield from imported
            at, is_first = mention.end, False
        yield _piece(path, lines, (at, end), why, found, is_first=is_first)

    def _imported(self, path: str, lines: LineIndex, mention: Mention, chain: tuple[str, ...]) -> list[Segment]:
        """The import in its frame; nothing where the ``@path`` stays as it is, which it does silently."""
        target = resolve(parent(path), mention.target)
        where = lines.range(mention.start, mention.end)
        origin = Origin("file", path=path, range=where, name=f"@{mention.target}")
        if not mention.is_path and self.host.kind(target) != "file":
            return []
        if not is_below(target, self.repository):
            why = f"{WHY_IMPORT}: not for a file outside of {self.repository}"
            self.draft.candidates.append(Candidate("outside", why, origin, path=target))
            return []
        if target in chain:
            why = f"{WHY_IMPORT}: it imports itself; what Copilot CLI does then was not seen"
            self.draft.candidates.append(Candidate("duplicate", why, origin, path=target, other=target))
            return []
        if self.left <= 0:
            why = f"promptls follows {MAX_IMPORTS} imports at most; Copilot CLI may follow all of them"
            self.draft.candidates.append(Candidate("cut", why, origin, path=target))
            return []
        found = look_for_text(self.host, target, why=WHY_IMPORT, origin=origin, keep_bom=True)
        self.draft.candidates.append(found.candidate)
        part = _trimmed(found.text)
        if part[0] == part[1]:
            return []
        self.left -= 1
        if len(chain) > DEPTH_SEEN:
            self._note(f"Imports deeper than {DEPTH_SEEN} levels were not seen on the wire; they are shown expanded.")
        return [
            head(f'\n\n<imported_custom_instruction source="{target}">\n', path=target),
            *self._pieces(target, found.text, part, WHY_IMPORT, (*chain, target), found),
            tail("\n</imported_custom_instruction>"),
        ]

    def _note(self, says: str) -> None:
        if says not in self.draft.notes:
            self.draft.notes.append(says)


def _trimmed(text: str) -> tuple[int, int]:
    """Where the text begins and ends without white space around it (wire: imports-expanded, at the end)."""
    start = len(text) - len(text.lstrip())
    return start, max(start, len(text.rstrip()))


def _piece(path: str, lines: LineIndex, part: tuple[int, int], why: str, found: Found, *, is_first: bool) -> Segment:
    where = lines.range(*part)
    # A file counts as loaded where it begins; what follows an import only goes on with it.
    origin = replace(found.origin, range=where) if is_first else Origin("computed", name=path, range=where)
    return Segment("instructions", path, lines.text[part[0] : part[1]], origin, why, cut=found.cut)
