"""How Copilot CLI puts files named by ``@path`` into an instruction file (section A; wire: imports-expanded).

The ``@path`` stays, and the other file's text follows it at once, also within a sentence.
"""

from __future__ import annotations

from promptls.core.model import Candidate, Origin, Segment
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, field, replace
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
    # The files that the message has named so far.
    named: set[str] = field(default_factory=set)

    def expand(self, path: str, found: Found, why: str) -> list[Segment]:
        """The text of the file at ``path`` in pieces, with what it imports between them."""
        return list(self._pieces((path,), found, (0, len(found.text)), why))

    def announced(self, path: str) -> str | None:
        """``path``, unless the message has named it before."""
        return None if path in self.named else path

    def _pieces(self, chain: tuple[str, ...], found: Found, part: tuple[int, int], why: str) -> Iterator[Segment]:
        """A part of the last file of ``chain``, in which each file imports the next."""
        path, lines = chain[-1], LineIndex(found.text)
        at, end = part
        for mention in mentions(found.text):
            target = resolve(parent(path), mention.target)
            imported = self._imported(path, lines, mention, target, chain) if at <= mention.start < end else None
            if imported is None:
                continue
            yield self._piece(path, lines, (at, mention.end), why, found)
            opening = f'\n\n<imported_custom_instruction source="{target}">\n'
            yield head(opening, path=self.announced(target))
            yield from self._pieces((*chain, target), imported, _trimmed(imported.text), WHY_IMPORT)
            yield tail("\n</imported_custom_instruction>")
            at = mention.end
        yield self._piece(path, lines, (at, end), why, found)

    def _imported(
        self, path: str, lines: LineIndex, mention: Mention, target: str, chain: tuple[str, ...]
    ) -> Found | None:
        """The imported file; None where the ``@path`` stays as it is, which it does silently."""
        origin = Origin("file", path=path, range=lines.range(mention.start, mention.end), name=f"@{mention.target}")
        candidates = self.draft.candidates
        if not mention.is_path and self.host.kind(target) != "file":
            return None
        if not is_below(target, self.repository):
            why = f"{WHY_IMPORT}: not for a file outside of {self.repository}"
            candidates.append(Candidate("outside", why, origin, path=target))
            return None
        if target in chain:
            why = f"{WHY_IMPORT}: it imports itself; what Copilot CLI does then was not seen"
            candidates.append(Candidate("duplicate", why, origin, path=target, other=target, state="cycle"))
            return None
        if self.left <= 0:
            why = f"promptls follows {MAX_IMPORTS} imports at most; Copilot CLI may follow all of them"
            candidates.append(Candidate("cut", why, origin, path=target))
            return None
        found = look_for_text(self.host, target, why=WHY_IMPORT, origin=origin, keep_bom=True)
        candidates.append(found.candidate)
        if not found.text.strip():
            return None
        self.left -= 1
        deep = f"Imports deeper than {DEPTH_SEEN} levels were not seen on the wire; they are shown expanded."
        if len(chain) > DEPTH_SEEN and deep not in self.draft.notes:
            self.draft.notes.append(deep)
        return found

    def _piece(self, path: str, lines: LineIndex, part: tuple[int, int], why: str, found: Found) -> Segment:
        origin = replace(found.origin, range=lines.range(*part), again=path in self.named)
        self.named.add(path)
        return Segment("instructions", path, lines.text[part[0] : part[1]], origin, why, cut=found.cut)


def _trimmed(text: str) -> tuple[int, int]:
    """Where the text begins and ends without white space around it (wire: imports-expanded, at the end)."""
    return len(text) - len(text.lstrip()), len(text.rstrip())
