"""textDocument/didOpen, didChange, didSave, didClose: keep the documents as the editor has them."""

from __future__ import annotations

from lsprotocol import types

from promptls.lsp.context import DocumentEvent
from promptls.lsp.documents import Edit
from promptls.lsp.server import PromptServer


def register(server: PromptServer) -> None:
    """Claim the four notifications."""
    context = server.context
    documents, changed = context.documents, context.events.document_changed

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        document = documents.open(item.uri, _language(item.language_id), item.version, item.text)
        changed.emit(DocumentEvent("opened", document))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        edits = [Edit(each.text, getattr(each, "range", None)) for each in params.content_changes]
        document = documents.change(params.text_document.uri, params.text_document.version, edits)
        if document is not None:
            changed.emit(DocumentEvent("changed", document))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        document = documents.get(params.text_document.uri)
        if document is not None:
            changed.emit(DocumentEvent("saved", document))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        document = documents.close(params.text_document.uri)
        if document is not None:
            changed.emit(DocumentEvent("closed", document))


def _language(name: types.LanguageKind | str) -> str:
    return name.value if isinstance(name, types.LanguageKind) else name
