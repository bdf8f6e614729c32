"""prompt/table: what each harness in use takes for a file, as ``promptls FILE`` shows it on the command line."""

from __future__ import annotations

from promptls.core.paths import parent
from promptls.core.table import table
from promptls.core.table_text import table_lines
from promptls.core.visible import visible
from promptls.errors import PromptlsError, UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.lsp.virtual import PreviewRequest
from promptls.workspace.machine import local_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.core.model import Prompt
    from promptls.lsp.payloads import TableParams

# Wide enough for every harness: an editor scrolls.
WIDTH = 1000


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.request("prompt/table", _params)
    async def compared(params: TableParams) -> dict[str, Any]:
        uri = params.text_document.uri
        path = path_of(uri)
        if path is None:
            raise UsageError("Only saved files can be compared; save the document first.")
        prompts: list[Prompt] = []
        for name in await server.previews.in_use(path):
            try:
                view, _ = await server.previews.view(PreviewRequest(uri, harness=name))
            except PromptlsError:  # the settings name a harness that does not exist; the preview says so
                continue
            prompts.append(view.prompt)
        folder = server.context.folder_of(path)
        root = (folder.path if folder else None) or parent(path)
        made = await server.previews.run(lambda: table([[each] for each in prompts], local_host().realpath))
        lines = [visible(line.text) for line in table_lines(made, root, path, width=WIDTH)] if prompts else []
        return {"text": "\n".join([*lines, ""]), "harnesses": [each.session.harness for each in prompts]}


def _params() -> type[BaseModel]:
    from promptls.lsp.payloads import TableParams  # noqa: PLC0415 - pydantic is too slow for the start

    return TableParams
