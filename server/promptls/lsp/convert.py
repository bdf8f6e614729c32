"""Converts ranges of the core to the client's units, also in files that are not open."""

from __future__ import annotations

import os

from lsprotocol import types

from promptls.core import files
from promptls.core.text import LineIndex, decode
from promptls.lsp.documents import Document
from promptls.lsp.uris import uri_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Edit, Range
    from promptls.lsp.capabilities import ClientFeatures
    from promptls.lsp.documents import Documents


def document_at(documents: Documents, path: str) -> Document:
    """The open document of the file at ``path``, else the file as it is on the disk ("" if it cannot be read)."""
    document = documents.at(path)
    if document is not None:
        return document
    text = decode(files.read(path).data, keep_bom=False)
    return Document(uri_of(path), "", 0, text, path, LineIndex(text, documents.encoding))


def location(documents: Documents, path: str, where: Range) -> types.Location:
    """A range in the file at ``path``."""
    return types.Location(uri_of(path), client_range(documents, path, where))


def client_range(documents: Documents, path: str, where: Range) -> types.Range:
    """``where``, which is in UTF-16, in the client's units."""
    if documents.encoding == "utf-16":
        start = types.Position(where.start_line, where.start_character)
        return types.Range(start, types.Position(where.end_line, where.end_character))
    return document_at(documents, path).range(where)


def line_range(line: int) -> types.Range:
    """The beginning of a line."""
    return types.Range(types.Position(line, 0), types.Position(line, 0))


def holds(span: types.Range, position: types.Position) -> bool:
    """Whether ``position`` is in ``span`` or at one of its ends."""
    return (span.start.line, span.start.character) <= (position.line, position.character) and (
        (position.line, position.character) <= (span.end.line, span.end.character)
    )


def inner(document: Document, where: Range) -> types.Range:
    """A range without the quotes around it, in the client's units."""
    span = document.range(where)
    start, end = (document.lines.offset(each.line, each.character) for each in (span.start, span.end))
    text = document.text[start:end]
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        start, end = start + 1, end - 1
    return offsets_range(document, start, end)


def offsets_range(document: Document, start: int, end: int) -> types.Range:
    """The offsets ``start`` to ``end``, in the client's units."""
    first, last = document.lines.position(start), document.lines.position(end)
    return types.Range(types.Position(*first), types.Position(*last))


def workspace_edit(documents: Documents, client: ClientFeatures, edits: Sequence[Edit]) -> types.WorkspaceEdit | None:
    """``edits`` as one change, renames last; None if the client would have to create or rename a file but cannot."""
    texts: dict[str, list[types.TextEdit]] = {}
    renames = [types.RenameFile(uri_of(edit.path), uri_of(edit.rename)) for edit in edits if edit.rename]
    for edit in edits:
        if not edit.rename:
            where = client_range(documents, edit.path, edit.range)
            texts.setdefault(edit.path, []).append(types.TextEdit(where, edit.text))
    new = [path for path in texts if documents.at(path) is None and not os.path.lexists(path)]
    if (new and "create" not in client.resource_operations) or (renames and "rename" not in client.resource_operations):
        return None
    if not client.document_changes:
        return types.WorkspaceEdit(changes={_named(documents, path).uri: found for path, found in texts.items()})
    creations = [types.CreateFile(uri_of(path), options=types.CreateFileOptions(ignore_if_exists=True)) for path in new]
    changed = [types.TextDocumentEdit(_named(documents, path), list(found)) for path, found in texts.items()]
    return types.WorkspaceEdit(document_changes=[*creations, *changed, *renames])


def _named(documents: Documents, path: str) -> types.OptionalVersionedTextDocumentIdentifier:
    document = documents.at(path)
    if document is None:
        return types.OptionalVersionedTextDocumentIdentifier(uri_of(path))
    return types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
