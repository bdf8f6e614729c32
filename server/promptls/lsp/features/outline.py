"""Symbols and folding of a preview, by message and segment, and the headings of all instruction files."""

from __future__ import annotations

from lsprotocol import types

from promptls.core import render, totals
from promptls.core.paths import is_absolute
from promptls.core.text import LineIndex, decode, units
from promptls.lsp.convert import location
from promptls.lsp.server import PromptServer
from promptls.lsp.virtual import is_preview, request_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.render import Line, Style
    from promptls.core.text import Encoding
    from promptls.lsp.view import View

# Symbols that one query answers at most.
MANY = 500


def register(server: PromptServer) -> None:
    """Claim the requests."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        if not is_preview(params.text_document.uri):
            return None
        view, _ = await server.previews.view(request_of(params.text_document.uri))
        return await server.previews.run(lambda: list(_symbols(view.lines, server.context.documents.encoding)))

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        if not is_preview(params.text_document.uri):
            return None
        view, _ = await server.previews.view(request_of(params.text_document.uri))
        return await server.previews.run(lambda: _folds(view.lines))

    @server.feature(types.WORKSPACE_SYMBOL)
    async def headings(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        views = server.previews.at_hand()
        return await server.previews.run(lambda: list(_headings(server, views, params.query.lower()))[:MANY])


def _folds(lines: Sequence[Line]) -> list[types.FoldingRange]:
    """The text under each heading: with all of it folded, every heading is left, as in a table of contents.

    What is not the reader's is of the kind of imports, which an editor can fold by itself: each part of the program's,
    and a message that has no other.
    """
    ends: tuple[Style, ...] = ("message", "segment")
    sections = {section: _kind(lines, section) for style in ends for section in _sections(lines, ends, style)}
    whole = {section: _kind(lines, section) for section in _sections(lines, ("message",))}
    sections |= {section: kind for section, kind in whole.items() if kind is not None}
    return [
        types.FoldingRange(start, end - 1, kind=kind)
        for (start, end), kind in sorted(sections.items(), key=lambda each: each[0])
        if _has_text(lines[start + 1 : end])
    ]


def _kind(lines: Sequence[Line], section: tuple[int, int]) -> types.FoldingRangeKind | None:
    start, end = section
    is_users = any(render.is_users(line.origin) for line in lines[start:end])
    return None if is_users else types.FoldingRangeKind.Imports


def _has_text(lines: Sequence[Line]) -> bool:
    return any(line.text for line in lines)


def _symbols(lines: Sequence[Line], encoding: Encoding) -> Iterator[types.DocumentSymbol]:
    segments = list(_sections(lines, ("message", "segment"), "segment"))

    def symbol(start: int, end: int, kind: types.SymbolKind) -> types.DocumentSymbol:
        whole = types.Range(types.Position(start, 0), types.Position(end, 0))
        heading = lines[start].text
        chosen = types.Range(types.Position(start, 0), types.Position(start, units(heading, encoding)))
        return types.DocumentSymbol(heading.lstrip("# ") or heading, kind, whole, chosen)

    for start, end in _sections(lines, ("message",)):
        message = symbol(start, end, types.SymbolKind.Module)
        inside = [(first, last) for first, last in segments if start < first < end]
        message.children = [symbol(first, last, types.SymbolKind.String) for first, last in inside]
        yield message


def _sections(lines: Sequence[Line], ends: tuple[Style, ...], style: Style = "message") -> Iterator[tuple[int, int]]:
    """First line, and the one after the last, of each section under a heading of ``style``; ``ends`` end it."""
    start: int | None = None
    for number, line in enumerate(lines):
        if line.style in ends:
            if start is not None:
                yield start, number
            start = number if line.style == style else None
    if start is not None:
        yield start, len(lines)


def _headings(server: PromptServer, views: Sequence[View], query: str) -> Iterator[types.SymbolInformation]:
    """The headings of the files that are in a prompt at hand, where the letters of ``query`` occur in order."""
    context = server.context
    from promptls.core.formats import markdown  # noqa: PLC0415 - too slow for the start

    seen: set[str] = set()
    for view in views:
        for path in totals.loaded_files(view.prompt):
            if path in seen or not is_absolute(path, path):
                continue
            seen.add(path)
            document = context.documents.at(path)
            text = document.text if document else decode(view.host.read(path).data, keep_bom=False)
            index = LineIndex(text)
            for heading in markdown.headings(text):
                if _fits(query, heading.title.lower()):
                    where = location(context.documents, path, index.range(heading.start, heading.start))
                    yield types.SymbolInformation(where, heading.title, types.SymbolKind.String)


def _fits(query: str, title: str) -> bool:
    letters = iter(title)
    return all(letter in letters for letter in query)
