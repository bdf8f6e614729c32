"""Edits of the core as a client can carry them out."""

from __future__ import annotations

import os

from lsprotocol import types

from promptls.lsp.convert import client_range
from promptls.lsp.uris import uri_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Edit
    from promptls.lsp.capabilities import ClientFeatures
    from promptls.lsp.documents import Documents


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
