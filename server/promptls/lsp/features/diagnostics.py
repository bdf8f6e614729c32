"""Diagnostics: pulled if the client can be asked to pull again, otherwise pushed; never both.

Unless told to refresh, a client pulls only when the document itself changes, and would keep showing problems that an
edit to another file resolved.

A file's problems are those that the last check of its folder has found. Where something has changed since, an open
document has those of the previews around it, and of the others the ones whose text is still there.
"""

from __future__ import annotations

import asyncio
import hashlib

from lsprotocol import types

from promptls.checks.merge import merge
from promptls.checks.rules.catalogue import RULES
from promptls.core.paths import with_relative
from promptls.core.values import replace
from promptls.lsp.context import DocumentEvent
from promptls.lsp.convert import client_range, location
from promptls.lsp.fading import faded
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of, uri_of
from promptls.workspace.machine import rule_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
    """Pull or push, as the client supports; check the folders when something changes."""
    context, events = server.context, server.context.events

    @events.initializing.listen
    def decide(_: None) -> None:
        if context.client.pull_diagnostics and context.client.diagnostic_refresh:
            _register_pull(server)
        else:
            _register_push(server)

    for event in (events.settings_changed, events.folders_changed, events.urls_changed):
        event.listen(lambda _: server.folder_checks.due())
    # Imported at the first event, not before: importing it takes longer than the start.
    events.time_passed.listen(lambda _: server.folder_checks.now_and_then())
    events.files_changed.listen(lambda paths: server.folder_checks.touched(paths))  # noqa: PLW0108 - see above
    events.document_changed.listen(lambda event: server.folder_checks.document(event))  # noqa: PLW0108 - see above


def _register_pull(server: PromptServer) -> None:
    events = server.context.events
    reported: dict[str, str] = {}
    options = types.DiagnosticOptions(identifier=SOURCE, inter_file_dependencies=True, workspace_diagnostics=True)

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        found = await _diagnostics(server, uri)
        reported[uri] = _id(found)
        if params.previous_result_id == reported[uri]:
            return types.RelatedUnchangedDocumentDiagnosticReport(reported[uri])
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=reported[uri])

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def pull_all(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        return await _pull_all(server, params)

    @events.document_changed.listen
    def closed(event: DocumentEvent) -> None:
        if event.kind == "closed":
            reported.pop(event.document.uri, None)

    def refresh(_: object) -> None:
        if reported:
            server.spawn(_refresh(server, reported), "the refresh of diagnostics")

    @events.initialized.listen
    def start(_: None) -> None:
        events.previews_checked.listen(refresh)
        server.folder_checks.changed.listen(refresh)


async def _pull_all(server: PromptServer, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """Reports what differs from what the client has; a client asks again at once, so wait until something differs."""
    before = {each.uri: each.value for each in params.previous_result_ids}
    async with server.show_progress("promptls: checking the workspace", token=params.work_done_token):
        await server.folder_checks.ready()
    while True:
        news = server.folder_checks.news
        reports = await _reports(server, before)
        if reports or not before:
            return types.WorkspaceDiagnosticReport(reports)
        await news.wait()


async def _reports(server: PromptServer, before: Mapping[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
    """All problems of each file whose problems differ from those that the client has."""
    context = server.context
    opened = [document.uri for document in context.documents if document.path is not None]
    files = [uri_of(path) for path in server.folder_checks.paths() if context.documents.at(path) is None]
    reports: list[types.WorkspaceDocumentDiagnosticReport] = []
    for uri in dict.fromkeys([*opened, *files, *before]):
        found = await _diagnostics(server, uri)
        result_id = _id(found)
        if before.get(uri, _id([])) != result_id:
            document = context.documents.get(uri)
            version = document.version if document else None
            reports.append(types.WorkspaceFullDocumentDiagnosticReport(uri, found, version, result_id=result_id))
        await asyncio.sleep(0)
    return reports


async def _refresh(server: PromptServer, reported: dict[str, str]) -> None:
    """Ask the client to pull again, once, if it has an old report of any document."""
    for uri, result_id in list(reported.items()):
        found = _id(await _diagnostics(server, uri)) if server.context.documents.get(uri) else result_id
        if found != result_id and reported.get(uri) == result_id:
            reported.clear()
            server.workspace_diagnostic_refresh(None)
            return


def _register_push(server: PromptServer) -> None:
    events = server.context.events
    pushed = _Pushed(server)

    @events.initialized.listen
    def start(_: None) -> None:
        events.previews_checked.listen(lambda _: server.spawn(pushed.push_open(), "diagnostics"))
        server.folder_checks.changed.listen(lambda paths: server.spawn(pushed.push(paths), "diagnostics"))
        events.document_changed.listen(pushed.document)


class _Pushed:
    """What the client was sent, by URI; a file is sent again when its problems change."""

    def __init__(self, server: PromptServer) -> None:
        self._server = server
        self._published: dict[str, str] = {}

    def publish(self, uri: str, found: list[types.Diagnostic]) -> None:
        if self._published.get(uri, _id([])) == _id(found):
            return
        self._published[uri] = _id(found)
        document = self._server.context.documents.get(uri)
        version = document.version if document else None
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    async def push_open(self) -> None:
        for document in self._server.context.documents:
            found = await _diagnostics(self._server, document.uri)
            # Edits made in the meantime start the next round.
            if self._server.context.documents.get(document.uri) is document:
                self.publish(document.uri, found)

    async def push(self, paths: frozenset[str]) -> None:
        await self.push_open()
        for path in sorted(paths):
            if self._server.context.documents.at(path) is None:
                self.publish(uri_of(path), _of_file(self._server, path))
                await asyncio.sleep(0)  # typing takes precedence

    def document(self, event: DocumentEvent) -> None:
        uri, path = event.document.uri, event.document.path
        is_otherwise = path is None or uri != uri_of(path)  # than we spell it
        if event.kind == "closed":
            if is_otherwise:
                self.publish(uri, [])
            if path is not None:
                self.publish(uri_of(path), _of_file(self._server, path))
        elif event.kind == "opened" and is_otherwise and path is not None:
            self.publish(uri_of(path), [])


async def _diagnostics(server: PromptServer, uri: str) -> list[types.Diagnostic]:
    """The problems of a document, or of a file that is not open."""
    document = server.context.documents.get(uri)
    if document is not None:
        problems = [diagnostic(server, problem) for problem in await problems_of(server, document)]
        return [*problems, *await faded(server, document)]
    path = path_of(uri)
    return _of_file(server, path) if path is not None else []


def _of_file(server: PromptServer, path: str) -> list[types.Diagnostic]:
    return [diagnostic(server, problem) for problem in once(server.folder_checks.still_true(path))]


async def problems_of(server: PromptServer, document: Document) -> list[Problem]:
    """The problems in a document, one for each code and place."""
    path = document.path
    if path is None:
        return []
    await server.context.settings.ready()
    if server.folder_checks.is_fresh(path, document.text):
        return once(server.folder_checks.still_true(path))
    live = await _live(server, path)
    return once([*live, *server.folder_checks.still_true(path, document.text)])


async def _live(server: PromptServer, path: str) -> list[Problem]:
    """The problems that the previews of the harnesses in use have in the file at ``path``.

    Of each: of a session that starts in the workspace folder, and of one that starts where the file is.
    """
    found = await server.previews.problems(await server.previews.starts(path))
    return merge((name, [each for each in problems if each.path == path]) for name, problems in found)


def once(found: Iterable[Problem]) -> list[Problem]:
    """One problem for each code, place and harness: the first, with the fixes of another if it has none."""
    kept: list[Problem] = []
    for problem in found:
        same = [at for at, each in enumerate(kept) if (each.code, each.range) == (problem.code, problem.range)]
        reported = {name for at in same for name in kept[at].harnesses}
        if not same or not reported.issuperset(problem.harnesses):
            kept.append(problem)
        elif problem.fixes and not any(kept[at].fixes for at in same):
            kept[same[0]] = replace(kept[same[0]], fixes=problem.fixes)
    return kept


def diagnostic(server: PromptServer, problem: Problem) -> types.Diagnostic:
    """A problem as the client shows it: what lies in the workspace folder is named as it is there."""
    context = server.context
    folder = context.folder_of(problem.path)
    rule = RULES.get(problem.code)
    related = None
    if problem.related and context.client.related_information:
        related = [
            types.DiagnosticRelatedInformation(location(context.documents, each.path, each.range), each.message)
            for each in problem.related
        ]
    return types.Diagnostic(
        range=client_range(context.documents, problem.path, problem.range),
        message=with_relative(problem.message, folder.path) if folder and folder.path else problem.message,
        severity=SEVERITY[problem.severity],
        code=problem.code,
        code_description=types.CodeDescription(uri_of(rule_page(rule.code)))
        if rule and context.client.code_descriptions
        else None,
        source=SOURCE,
        related_information=related,
    )


def _id(found: list[types.Diagnostic]) -> str:
    return hashlib.sha256(repr(found).encode("utf-8", "replace")).hexdigest()[:16]
