"""Reacts to changes of anything that a preview may have looked at: clients that show it are notified.

Typing, files, URLs and settings all come here. The client hears of a virtual document only if its text changed.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types

from promptls.errors import PromptlsError
from promptls.lsp.server import PromptServer

# Seconds: changes closer together than this are handled as one.
TOGETHER = 0.03
# Seconds between checks for a client that cannot watch files.
LOOK_EVERY = 2.0


def register(server: PromptServer) -> None:
    """Listen to everything that changes."""
    context, events = server.context, server.context.events
    pending: set[asyncio.TimerHandle] = set()

    def later(_: object = None) -> None:
        if not pending:
            pending.add(asyncio.get_running_loop().call_later(TOGETHER, now))

    def now() -> None:
        pending.clear()
        server.spawn(_tell(server), "a change")

    events.document_changed.listen(later)
    events.folders_changed.listen(later)
    events.settings_changed.listen(later)
    events.files_changed.listen(later)
    events.urls_changed.listen(later)
    events.time_passed.listen(lambda _: server.spawn(_look(server), "a look for changes"))

    answered: list[asyncio.Event] = []

    @events.urls_asked.listen
    def asked(any_runs: bool) -> None:
        if any_runs:
            answered.append(asyncio.Event())
            server.spawn(_show_progress(server, answered[-1]), "the progress of URLs")
        elif answered:
            answered.pop().set()

    @events.initialized.listen
    def start(_: None) -> None:
        if not context.client.reports_files:
            server.spawn(_look_now_and_then(server), "the look for changes")


async def _look_now_and_then(server: PromptServer) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY)
        server.context.events.time_passed.emit(None)


async def _show_progress(server: PromptServer, answered: asyncio.Event) -> None:
    async with server.show_progress("promptls: fetching instructions", server.fetch.stop):
        await answered.wait()


async def _look(server: PromptServer) -> None:
    """What is shown is made again; if it changed, so may the problems have, and the check of the folder is due."""
    if await _tell(server):
        server.folder_checks.due()


async def _tell(server: PromptServer) -> bool:
    """Returns whether what is shown has changed."""
    context = server.context
    uris: list[str] = []
    for request in context.shown.requests():
        try:
            view, _ = await server.previews.view(request)
        except PromptlsError:  # the harness it names is gone from the settings
            continue
        uris += context.shown.outdated(request, view.version)
    if uris:
        server.protocol.notify("prompt/didChange", {"uris": uris})
        if context.client.text_document_content:
            for uri in uris:
                server.workspace_text_document_content_refresh(types.TextDocumentContentRefreshParams(uri))
    context.events.previews_checked.emit(None)
    return bool(uris)
