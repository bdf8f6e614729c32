"""Gemini CLI's imports: ``@path`` in a context file (specification, "Imports"; source: memoryImportProcessor)."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from promptls.core.lazy import regex
from promptls.core.values import dataclass, replace
from promptls.harnesses.gemini_cli.versions import ROWS
from promptls.kit.inline_imports import Dialect, Importer, file_blocks, find_mentions, nearest_marked
from promptls.kit.paths import is_below, parent, resolve
from promptls.kit.pieced_text import File, Piece
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

_BACKTICKS = regex(r"`+")
_NEWLINES = regex(r"\n*")
_MANY_NEWLINES = regex(r"\n{3,}")

WHY_IMPORT = "gemini-cli treats every @ before a letter, a dot or a slash as an import"


@dataclass(frozen=True, slots=True)
class Imports:
    """The imports of context files. ``markers`` end the walk up to the root that they must stay in."""

    importer: Importer
    markers: tuple[str, ...]

    def tree(self, file: File) -> list[Piece]:
        """``file`` with its imports in the place of their mentions (wire: imports-tree, imports-depth)."""
        return self.importer.tree(file, self._root(file))

    def flat(self, file: File) -> list[Piece]:
        """``file`` and after it every imported file in a block of its own, mentions last to first."""
        return file_blocks(self._flat(file, self._root(file)))

    def _root(self, file: File) -> str:
        directory = parent(file.path)
        return nearest_marked(self.importer.host, directory, self.markers) or directory

    def _flat(self, file: File, root: str) -> dict[str, File]:
        """Label to file. The main file is known by its directory, so it may come again (wire: imports-flat)."""
        importer = self.importer
        blocks = {parent(file.path): file}
        waiting = [(file, mention) for mention in find_imports(file.text)]
        while waiting and not importer.gives_up():
            importing, mention = waiting.pop()
            path = resolve(parent(importing.path), mention[1])
            if not importer.is_inside(mention[1], path, root):
                importer.note(importing, mention, "outside", f"it must lie below {root}")
            elif path in blocks:
                importer.note(importing, mention, "duplicate", "it was imported already", other=path)
            elif isinstance(imported := importer.read(importing, mention), File):
                blocks[path] = imported
                waiting += [(imported, each) for each in find_imports(imported.text)]
        return blocks


def imports(draft: Draft, host: Host, markers: tuple[str, ...], at: str) -> Imports:
    """How the imports of context files are resolved; the root that they must stay in is that of links, too."""

    def is_inside(path: str, root: str) -> bool:
        return is_below(host.realpath(path), host.realpath(root))

    dialect = Dialect(WHY_IMPORT, find_imports, row(ROWS, draft.session.version).import_depth, is_inside)
    return Imports(Importer(draft, host, dialect, at), markers)


def find_imports(text: str) -> list[re.Match[str]]:
    """The mentions that are imports: at the start or after white space, up to white space, not in backticks."""
    code = code_regions(text)
    starts = [start for start, _ in code]

    def is_code(at: int) -> bool:
        region = bisect_right(starts, at) - 1
        return region >= 0 and at < code[region][1]

    return find_mentions(text, is_code)


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
