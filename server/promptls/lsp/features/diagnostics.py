"""Diagnostics: pulled where the client can be asked to pull again, else pushed; never both.

Without being asked a client pulls only when the document itself changes, and would keep what another file cured.

A document's problems are those that the previews of the harnesses in use there have in it: of a session that
starts in the workspace folder, and of one that starts where the document is.
"""

from __future__ import annotations

import hashlib
import os

from lsprotocol import types

from promptls.errors import PromptlsError
from promptls.harnesses import split
from promptls.lsp.server import DocumentEvent, PromptServer
from promptls.lsp.virtual import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Problem
    from promptls.lsp.documents import Document

SOURCE = "promptls"
SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def register(server: PromptServer) -> None:
    """Pull or push, as the client can."""

    @server.initializing.listen
    def decide(_: None) -> None:
        if server.client.pull_diagnostics and server.client.diagnostic_refresh:
            _register_pull(server)
        else:
            _register_push(server)


def _register_pull(server: PromptServer) -> None:
    reported: dict[str, str] = {}
    options = types.DiagnosticOptions(identifier=SOURCE, inter_file_dependencies=True, workspace_diagnostics=False)

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        found = await _diagnostics(server, document) if document else []
        reported[uri] = _id(found)
        if params.previous_result_id == reported[uri]:
            return types.RelatedUnchangedDocumentDiagnosticReport(reported[uri])
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=reported[uri])

    @server.document_changed.listen
    def closed(event: DocumentEvent) -> None:
        if event.kind == "closed":
            reported.pop(event.document.uri, None)

    @server.previews_checked.listen
    def refresh(_: None) -> None:
        if reported:
            server.spawn(_refresh(server, reported), "the refresh of diagnostics")


async def _refresh(server: PromptServer, reported: dict[str, str]) -> None:
    """Ask the client to pull again, once, if it has an old report of any document."""
    for uri, result_id in list(reported.items()):
        document = server.documents.get(uri)
        found = _id(await _diagnostics(server, document)) if document else result_id
        if found != result_id and reported.get(uri) == result_id:
            reported.clear()
            server.workspace_diagnostic_refresh(None)
            return


def _register_push(server: PromptServer) -> None:
    published: dict[str, str] = {}

    def publish(uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    async def push() -> None:
        for document in server.documents:
            found = await _diagnostics(server, document)
            # What was typed meanwhile brings the next round.
            if server.documents.get(document.uri) is document and published.get(document.uri) != _id(found):
                if found or document.uri in published:
                    publish(document.uri, document.version, found)
                published[document.uri] = _id(found)

    @server.previews_checked.listen
    def checked(_: None) -> None:
        server.spawn(push(), "diagnostics")

    @server.document_changed.listen
    def closed(event: DocumentEvent) -> None:
        if event.kind == "closed" and published.pop(event.document.uri, _id([])) != _id([]):
            publish(event.document.uri, None, [])


async def _diagnostics(server: PromptServer, document: Document) -> list[types.Diagnostic]:
    return [diagnostic(document, problem) for problem in await problems_of(server, document)]


async def problems_of(server: PromptServer, document: Document) -> list[Problem]:
    """The problems in a document, each once."""
    path = document.path
    if path is None:
        return []
    await server.settings.ready()
    setting = server.settings.of(server.folder_of(path)).harness
    names = [each.name for each in await server.previews.detected(path)]
    if setting and split(setting)[0] not in names:
        names.append(setting)
    place = server.previews.place(path)
    found: dict[Problem, None] = {}
    for name in names:
        harness = setting if setting and split(setting)[0] == name else name
        for cwd in (None, os.path.dirname(path)):
            try:
                view, _ = await server.previews.view(Request(place, cwd=cwd, harness=harness, reads=()))
            except PromptlsError:  # the settings name a harness that does not exist; the preview says so
                continue
            found.update(dict.fromkeys(problem for problem in view.problems if problem.path == path))
            if path in view.host.looked_at():
                break
    return list(found)


def diagnostic(document: Document, problem: Problem) -> types.Diagnostic:
    """A problem as the client shows it."""
    return types.Diagnostic(
        range=document.range(problem.range),
        message=problem.message,
        severity=SEVERITY[problem.severity],
        code=problem.code,
        source=SOURCE,
    )


def _id(found: list[types.Diagnostic]) -> str:
    return hashlib.sha256(repr(found).encode("utf-8", "replace")).hexdigest()[:16]
