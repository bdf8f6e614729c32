"""What happens when anything changes that a preview may have looked at: who shows it is told.

Typing, files, URLs and settings all come here. The client hears of a virtual document only if its text changed.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types

from promptls.errors import PromptlsError
from promptls.lsp.progress import Progress
from promptls.lsp.server import PromptServer

# Seconds: changes that come closer together are handled as one.
TOGETHER = 0.03
# Seconds between looks for a client that cannot watch files.
LOOK_EVERY = 2.0


def register(server: PromptServer) -> None:
    """Listen to everything that changes."""
    pending: set[asyncio.TimerHandle] = set()

    def later(_: object = None) -> None:
        if not pending:
            pending.add(asyncio.get_running_loop().call_later(TOGETHER, now))

    def now() -> None:
        pending.clear()
        server.spawn(_tell(server), "a change")

    server.document_changed.listen(later)
    server.folders_changed.listen(later)
    server.settings_changed.listen(later)
    server.files_changed.listen(later)
    server.urls_changed.listen(later)
    server.time_passed.listen(later)

    answered: list[asyncio.Event] = []

    @server.urls_asked.listen
    def asked(any_runs: bool) -> None:
        if any_runs:
            answered.append(asyncio.Event())
            server.spawn(_show_progress(server, answered[-1]), "the progress of URLs")
        elif answered:
            answered.pop().set()

    @server.initialized.listen
    def start(_: None) -> None:
        if not (server.client.watched_files and server.client.relative_patterns):
            server.spawn(_look_now_and_then(server), "the look for changes")


async def _look_now_and_then(server: PromptServer) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY)
        server.time_passed.emit(None)


async def _show_progress(server: PromptServer, answered: asyncio.Event) -> None:
    async with Progress(server, "promptls: fetching instructions", server.fetch.stop):
        await answered.wait()


async def _tell(server: PromptServer) -> None:
    uris: list[str] = []
    for request in server.shown.requests():
        try:
            view, _ = await server.previews.view(request)
        except PromptlsError:  # the harness it names is gone from the settings
            continue
        uris += server.shown.outdated(request, view)
    if uris:
        server.protocol.notify("prompt/didChange", {"uris": uris})
        if server.client.text_document_content:
            for uri in uris:
                server.workspace_text_document_content_refresh(types.TextDocumentContentRefreshParams(uri))
    server.previews_checked.emit(None)
