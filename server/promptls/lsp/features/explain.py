"""prompt/explain: what each harness does with a file."""

from __future__ import annotations

from promptls.errors import UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.lsp.params import ExplainParams


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.request("prompt/explain", _params)
    async def explain(params: ExplainParams) -> dict[str, Any]:
        path = path_of(params.text_document.uri)
        if path is None:
            raise UsageError("Only saved files can be explained; save the document first.")
        folder = server.context.folder_of(path)
        found = await server.previews.explain(path, folder.path if folder else None)
        return {"path": path, **found.json()}


def _params() -> type[BaseModel]:
    from promptls.lsp.params import ExplainParams  # noqa: PLC0415 - pydantic is too slow for the start

    return ExplainParams
