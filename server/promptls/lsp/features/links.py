"""Document links, definition and references: from a name to the file it means, from a preview to its sources, and back.

What a stretch of a file means is what the prompts of the harnesses in use made of it.
"""

from __future__ import annotations

import os

from lsprotocol import types

from promptls.core import places, render, totals
from promptls.core.model import Range
from promptls.core.paths import is_absolute
from promptls.core.text import decode, lines_of, units
from promptls.lsp.convert import document_at, holds, inner, line_range, location, offsets_range
from promptls.lsp.names import called_in, markdown_links, named_in
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import uri_of
from promptls.lsp.virtual import is_preview, request_of
from promptls.lsp.virtual import uri_of as preview_uri

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.render import SourceLine
    from promptls.core.text import Encoding
    from promptls.lsp.documents import Document
    from promptls.lsp.view import View

# A line of a preview is searched for this many lines around its place: a harness may have left lines out.
NEAR = 200


def register(server: PromptServer) -> None:
    """Claim the requests."""
    context = server.context

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def links(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        uri, run = params.text_document.uri, server.previews.run
        if is_preview(uri):
            view, _ = await server.previews.view(request_of(uri))
            return await run(lambda: list(_preview_links(view, context.documents.encoding)))
        document, views = await server.previews.of_document(uri)
        return await run(lambda: list(_links(document, views))) if document else []

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location] | list[types.LocationLink]:
        uri, run = params.text_document.uri, server.previews.run
        if is_preview(uri):
            view, _ = await server.previews.view(request_of(uri))
            spot = await run(lambda: _source(view, params.position.line))
            return [types.Location(uri_of(spot.path), line_range(spot.line))] if spot else []
        document, views = await server.previews.of_document(uri)
        found = await run(lambda: _targets(document, views, params.position)) if document else []
        if context.client.definition_links:
            top = line_range(0)
            return [types.LocationLink(uri_of(path), top, top, span) for span, path in found]
        return [types.Location(uri_of(path), line_range(0)) for _, path in found]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        document, views = await server.previews.of_document(params.text_document.uri)
        if document is None or document.path is None:
            return []
        path = document.path
        named = await server.previews.run(lambda: _targets(document, views, params.position))
        if named:
            path = named[0][1]
            views = await server.previews.views_of_file(path)
        return await server.previews.run(lambda: list(_references(server, views, path)))


def _links(document: Document, views: Sequence[View]) -> Iterator[types.DocumentLink]:
    """Every name that leads to a file, and every URL."""
    taken: set[int] = set()
    for named in named_in(document, views):
        files, urls = named.files(but=document.path or ""), named.urls()
        target = uri_of(files[0]) if files else next(iter(urls), None)
        if target is not None:
            taken.add(named.range.start_line)
            more = f", and {len(files) - 1} more" if len(files) > 1 else ""
            tip = f"{os.path.basename(files[0])}{more}" if files else None
            yield types.DocumentLink(inner(document, named.range), target, tip)
    for link, path in markdown_links(document, views):
        span = offsets_range(document, link.start, link.end)
        if span.start.line not in taken:
            yield types.DocumentLink(span, uri_of(path))
    for start, end, path in called_in(document, views):
        yield types.DocumentLink(offsets_range(document, start, end), uri_of(path), os.path.basename(path))


def _targets(document: Document, views: Sequence[View], position: types.Position) -> list[tuple[types.Range, str]]:
    """What the name at ``position`` means: its range, and each file."""
    for named in named_in(document, views):
        if holds(document.range(named.range), position) and (files := named.files(but=document.path or "")):
            return [(inner(document, named.range), path) for path in files]
    for link, path in markdown_links(document, views):
        if holds(span := offsets_range(document, link.start, link.end), position):
            return [(span, path)]
    for start, end, path in called_in(document, views):
        if holds(span := offsets_range(document, start, end), position):
            return [(span, path)]
    return []


def _references(server: PromptServer, views: Sequence[View], path: str) -> Iterator[types.Location]:
    """Entries and imports that name the file, Markdown links of instruction files, and its place in previews."""
    context = server.context
    origins = places.naming((view.prompt for view in views), path)
    seen: set[tuple[str, Range]] = set()
    for origin in origins:
        if origin.path and origin.range:
            seen.add((origin.path, origin.range))
            yield location(context.documents, origin.path, origin.range)
    read = dict.fromkeys(file for view in views for file in totals.loaded_files(view.prompt) if is_absolute(file, file))
    for file in read:
        document = document_at(context.documents, file)
        for link, target in markdown_links(document, views):
            if target == path and (file, lines_of(document.text).range(link.start, link.end)) not in seen:
                yield types.Location(uri_of(file), offsets_range(document, link.start, link.end))
    if context.client.text_document_content:
        for view in views:
            for number, line in enumerate(view.lines):
                if line.style == "segment" and line.origin is not None and line.origin.path == path:
                    yield types.Location(preview_uri(view.request), line_range(number))


def _preview_links(view: View, encoding: Encoding) -> Iterator[types.DocumentLink]:
    """From the headings of a preview to where each text begins."""
    for number, line in enumerate(view.lines):
        spot = render.source_line(line)
        if spot is not None and line.style in ("segment", "problem", "note"):
            start = len(line.text) - len(line.text.lstrip("# -"))
            span = types.Range(types.Position(number, start), types.Position(number, units(line.text, encoding)))
            yield types.DocumentLink(span, f"{uri_of(spot.path)}#L{spot.line + 1}")


def _source(view: View, number: int) -> SourceLine | None:
    """The line of a file that a line of the preview shows."""
    if not 0 <= number < len(view.lines):
        return None
    line = view.lines[number]
    spot = render.source_line(line)
    if spot is None or line.segment is None or not line.text.strip():
        return spot
    text = decode(view.host.read(spot.path).data, keep_bom=False)
    return render.nearest(spot, line.text, text, NEAR)
