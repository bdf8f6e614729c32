"""prompt/preview, prompt/harnesses and the virtual documents of ``workspace/textDocumentContent``."""

from __future__ import annotations

import json

from lsprotocol import types

from promptls import harnesses
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.lsp.virtual import PreviewRequest, request_of, uri_of
from promptls.sessions.detect import is_undecided
from promptls.workspace.machine import home
from promptls.workspace.request import session_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.lsp.params import HarnessesParams, PreviewParams


def register(server: PromptServer) -> None:
    """Claim the requests."""
    context = server.context

    @server.request("prompt/preview", _preview_params)
    async def preview(params: PreviewParams) -> dict[str, Any]:
        request = _request(params)
        view, was_there = await server.previews.view(request, drawn=True)
        uri = uri_of(request)
        # A client with virtual documents asks for their text on its own.
        context.shown.add(uri, request, view.version, has_text=not context.client.text_document_content)
        return {
            **view.json,
            "uri": uri,
            "text": view.text,
            "ownLine": view.first_own_line,
            "version": view.version,
            "cacheKey": view.key,
            "cacheHit": was_there,
        }

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    async def content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        request = request_of(params.uri)
        view, _ = await server.previews.view(request, drawn=True)
        context.shown.add(params.uri, request, view.version, has_text=True)
        return types.TextDocumentContentResult(view.text)

    @server.request("prompt/harnesses", _harnesses_params)
    async def known(params: HarnessesParams) -> dict[str, Any]:
        uri = params.text_document.uri if params.text_document else None
        path = path_of(uri) if uri else None
        folder = context.folder_of(path) if path else next(iter(context.folders), None)
        place = path or (folder.path if folder else None) or home()
        here = await server.previews.detected(place)
        evidence = {each.name: list(each.evidence) for each in here.found}
        start = session_at(here)
        name, version = start.harness, start.version
        shown = harnesses.names() if params.all else harnesses.offered((*evidence, name))
        return {
            "harnesses": [
                {**each, "found": each["name"] in evidence, "evidence": evidence.get(each["name"], [])}
                for each in harnesses.describe()
                if each["name"] in shown
            ],
            "current": {
                "name": name,
                "version": harnesses.version(harnesses.get(name), version).name,
                "setting": context.settings.of(folder).harness,
            },
            "chosen": [harnesses.split(each)[0] for each in here.settings.harnesses or here.habits.chosen()],
            "undecided": is_undecided(here.found, here.settings, here.habits),
        }


def _request(params: PreviewParams) -> PreviewRequest:
    """What the parameters ask for."""
    opened = [each.model_dump(exclude_defaults=True) for each in params.open] if params.open is not None else None
    return PreviewRequest(
        uri=params.text_document.uri if params.text_document else None,
        cwd=params.cwd,
        harness=params.harness,
        model=params.model,
        agent=params.agent,
        reads=tuple(params.reads) if params.reads is not None else None,
        args=tuple(params.args) if params.args is not None else None,
        rev=params.rev,
        session=params.session.model_dump_json(exclude_defaults=True) if params.session else None,
        open=json.dumps(opened) if opened is not None else None,
        recorded=params.recorded,
        subagent=params.subagent,
    )


def _preview_params() -> type[BaseModel]:
    from promptls.lsp.params import PreviewParams  # noqa: PLC0415 - pydantic is too slow for the start

    return PreviewParams


def _harnesses_params() -> type[BaseModel]:
    from promptls.lsp.params import HarnessesParams  # noqa: PLC0415 - the same

    return HarnessesParams
