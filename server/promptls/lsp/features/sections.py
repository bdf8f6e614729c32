"""Refactorings of an instruction file: a section becomes an imported file, or moves to a nested instruction file.

Each is offered only where a preview with the edits applied has the section at its new place.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from lsprotocol import types

from promptls import harnesses
from promptls.core import paths, places, sections, specs
from promptls.core.formats.markdown import links
from promptls.core.host import Buffers
from promptls.core.text import LineIndex
from promptls.core.values import replace
from promptls.core.visible import visible
from promptls.errors import PromptlsError
from promptls.lsp.convert import document_at, workspace_edit
from promptls.lsp.server import PromptServer
from promptls.sessions.of_file import file_below
from promptls.sessions.start import noting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats.markdown import Heading
    from promptls.core.model import Edit, Session
    from promptls.lsp.documents import Document
    from promptls.lsp.view import View

EXTRACT, MOVE = types.CodeActionKind.RefactorExtract, types.CodeActionKind.RefactorMove
# At most this many directories are offered for one section.
MANY = 3


def refactorings(
    server: PromptServer, document: Document, views: Sequence[View], line: int
) -> Iterator[types.CodeAction]:
    """The refactorings of the section whose heading is on ``line``."""
    context = server.context
    path = document.path or ""
    folder = context.folder_of(path)
    heading = sections.section_at(document.text, line)
    if heading is None or folder is None or folder.path is None or not _is_loaded(views, path):
        return
    found = [*_extraction(server, document, views, heading)]
    found += _moves(server, document, views, heading)
    for title, kind, edits in found:
        edit = workspace_edit(context.documents, context.client, edits)
        if edit is not None:
            yield types.CodeAction(visible(title), kind, edit=edit)


_Found = tuple[str, types.CodeActionKind, "tuple[Edit, Edit]"]


def _is_loaded(views: Sequence[View], path: str) -> bool:
    return places.is_read((view.prompt for view in views), path)


def _extraction(server: PromptServer, document: Document, views: Sequence[View], heading: Heading) -> Iterator[_Found]:
    path = document.path or ""
    directory = paths.parent(path)
    name = sections.file_name(heading.title, lambda name: os.path.lexists(paths.join(directory, name)))
    new = paths.join(directory, name)
    for mention in (f"@{name}", f"@./{name}"):
        edits = sections.extracted(path, document.text, heading, new, mention)
        if any(_arrives(server, view.prompt.session, edits, new, path) for view in views):
            yield f"Extract section to {name} and import it", EXTRACT, edits
            return


def _moves(server: PromptServer, document: Document, views: Sequence[View], heading: Heading) -> Iterator[_Found]:
    path, host = document.path or "", server.previews.sources().host()
    directory = paths.parent(path)
    section = document.text[heading.start : heading.end]
    named = sections.directories(section, directory, lambda place: host.kind(place) == "directory")
    for place in named[:MANY]:
        for view in views:
            session = view.prompt.session
            spec = specs.of(session.harness)
            names, is_read = spec.nested, spec.is_nested_on_read
            name = paths.name(path) if paths.name(path) in names else next(iter(names), "")
            new = paths.join(place, name)
            read = file_below(host, place, new)
            if not (name and is_read and read) or not _has(view, path):
                continue
            old_text = document_at(server.context.documents, new).text
            section = sections.renamed(path, document.text, heading, new, _names(document, views))
            edits = sections.moved(path, document.text, heading, section, new, old_text)
            if _arrives(server, replace(session, turns=noting(session.harness, (read,))), edits, new, ""):
                yield f"Move section to {paths.relative(new, directory)}", MOVE, edits
                break


def _has(view: View, path: str) -> bool:
    return any(each.path == path and each.outcome == "loaded" for each in view.prompt.candidates)


def _names(document: Document, views: Sequence[View]) -> dict[tuple[int, int], str]:
    """The imports and links of a document: the offsets of each name, and the file that it means."""
    path, found = document.path or "", {}
    index = LineIndex(document.text)
    for named in places.named_in((view.prompt for view in views), path):
        there, name = named.files(but=path), named.name.removeprefix("@")
        start = index.offset(named.range.start_line, named.range.start_character)
        end = index.offset(named.range.end_line, named.range.end_character)
        at = document.text.find(name, start, end)
        if there and name and at >= 0:
            found[at, at + len(name)] = there[0]
    for link in links(document.text):
        name = link.target.partition("#")[0]
        target = paths.resolve(paths.parent(path), unquote(name))
        if name and ":" not in name and not name.startswith("/") and os.path.exists(target):
            found[link.start, link.start + len(name)] = target
    return found


def _arrives(server: PromptServer, session: Session, edits: tuple[Edit, Edit], new: str, parent: str) -> bool:
    """Whether the prompt has the text at ``new`` once the edits are made; with ``parent``, which imports it."""
    context = server.context
    texts = {document.path: document.text for document in context.documents if document.path}
    for edit in edits:
        before = document_at(context.documents, edit.path).text
        texts[edit.path] = sections.applied(before, iter((edit,)))
    try:
        prompt = harnesses.preview(session, replace(server.previews.sources(), buffers=Buffers(texts)).host())
    except PromptlsError:
        return False
    there = [each for each in prompt.candidates if each.path == new and each.outcome == "loaded"]
    if not there or (parent and all(each.origin.path != parent for each in there)):
        return False
    if prompt.stopped:  # for example until the user trusts the folder
        return True
    segments = [segment for message in prompt.messages for segment in message.segments]
    sent = "".join(segment.text for segment in segments if segment.origin.path == new)
    return _squeezed(edits[0].text) in _squeezed(sent)


def _squeezed(text: str) -> str:
    """``text`` as a harness keeps it: some trim lines."""
    return re.sub(r"\s+", " ", text).strip()
