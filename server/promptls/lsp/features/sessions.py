"""prompt/sessions: the sessions that programs recorded of a folder."""

from __future__ import annotations

import os

from promptls.errors import UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.lsp.payloads import SessionsParams


def register(server: PromptServer) -> None:
    """Claim the request."""
    context = server.context

    @server.request("prompt/sessions", _params)
    async def sessions(params: SessionsParams) -> dict[str, Any]:
        await context.settings.ready()
        if context.settings.untrusted:
            raise UsageError("Recorded sessions are not read in an untrusted folder; trust the folder to see them.")
        path = path_of(params.text_document.uri) if params.text_document else None
        folder = context.folder_of(path) if path else next(iter(context.folders), None)
        place = folder.path if folder else path
        return await server.previews.run(lambda: _found(place or home()))


def _found(place: str) -> dict[str, Any]:
    from promptls.workspace import recordings  # noqa: PLC0415 - sqlite and the readers are needed only here
    from promptls.workspace.record_store import LocalStore  # noqa: PLC0415 - the same

    folder = recordings.folder_of(place)
    store = LocalStore(home(), os.environ)
    try:
        found = [each for each in recordings.find(store, folder) if each.parent is None]
    finally:
        store.close()
    return {"sessions": [recordings.as_json(each) for each in found], "unread": store.said}


def _params() -> type[BaseModel]:
    from promptls.lsp.payloads import SessionsParams  # noqa: PLC0415 - pydantic is too slow for the start

    return SessionsParams
