"""prompt/sessions, prompt/session and prompt/rules: what programs recorded of a folder.

Only the list is made here. What takes long is made in a process of its own, which ends with the request.
"""

from __future__ import annotations

import os

from promptls.core.visible import visible
from promptls.errors import UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.lsp.params import RulesParams, SessionPageParams, SessionsParams, TextDocumentIdentifier

UNTRUSTED = "Recorded sessions are not read in an untrusted folder; trust the folder to see them."


def register(server: PromptServer) -> None:
    """Claim the requests."""

    @server.request("prompt/sessions", _params)
    async def sessions(params: SessionsParams) -> dict[str, Any]:
        place = await _place(server, params.text_document)
        return await server.previews.run(lambda: _found(place))

    @server.request("prompt/session", _page_params)
    async def session(params: SessionPageParams) -> dict[str, Any]:
        from promptls.lsp.commanded import commanded  # noqa: PLC0415 - rarely asked for
        from promptls.workspace.recordings import folder_of  # noqa: PLC0415 - the same

        root = folder_of(await _place(server, params.text_document))
        only = [f"--harness={params.harness}"] if params.harness else []
        html = await commanded(["sessions", "--html=-", *only, "--", params.id, f"{root}/"])
        return {"root": root, "html": html.decode("utf-8", "replace")}

    @server.request("prompt/rules", _rules_params)
    async def rules(params: RulesParams) -> dict[str, Any]:
        from promptls.lsp.rule_counts import LAST, count  # noqa: PLC0415 - the same
        from promptls.workspace.recordings import folder_of  # noqa: PLC0415 - the same
        from promptls.workspace.rules_table import rules_lines  # noqa: PLC0415 - the same

        root = folder_of(await _place(server, params.text_document))
        tables = await count(root)
        text = "\n".join(visible(line.text) for line in rules_lines(tables, root))
        return {"root": root, "text": f"{text.rstrip()}\n", "last": LAST, "programs": tables}


async def _place(server: PromptServer, document: TextDocumentIdentifier | None) -> str:
    """The folder that is open, else the file.

    Raises:
        UsageError: records are not read there.
    """
    context = server.context
    await context.settings.ready()
    if context.settings.untrusted:
        raise UsageError(UNTRUSTED)
    path = path_of(document.uri) if document else None
    folder = context.folder_of(path) if path else next(iter(context.folders), None)
    return (folder.path if folder else path) or home()


def _found(place: str) -> dict[str, Any]:
    from promptls.workspace import recordings  # noqa: PLC0415 - sqlite and the readers are needed only here
    from promptls.workspace.record_store import LocalStore  # noqa: PLC0415 - the same

    folder = recordings.folder_of(place)
    store = LocalStore(home(), os.environ)
    try:
        found = [each for each in recordings.find(store, folder) if each.parent is None]
    finally:
        store.close()
    return {"sessions": [recordings.as_json(each) for each in found], "unread": store.unread}


def _params() -> type[BaseModel]:
    from promptls.lsp.params import SessionsParams  # noqa: PLC0415 - pydantic is too slow for the start

    return SessionsParams


def _page_params() -> type[BaseModel]:
    from promptls.lsp.params import SessionPageParams  # noqa: PLC0415 - the same

    return SessionPageParams


def _rules_params() -> type[BaseModel]:
    from promptls.lsp.params import RulesParams  # noqa: PLC0415 - the same

    return RulesParams
