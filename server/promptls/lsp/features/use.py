"""prompt/use: which harnesses the user has, in the file that the terminal writes too."""

from __future__ import annotations

from promptls.lsp.server import PromptServer
from promptls.workspace.choice import keep_of_user
from promptls.workspace.settings_file import chosen_by_user, of_user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.lsp.params import UseParams


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.request("prompt/use", _use_params)
    async def use(params: UseParams) -> dict[str, Any]:
        names, sources = params.harnesses, server.previews.sources()

        def work() -> tuple[str, tuple[str, ...] | None]:
            path = keep_of_user(sources.host(), names) if names is not None else None
            host = sources.host()
            return path or of_user(host.home, host.env), chosen_by_user(host)

        path, kept = await server.previews.run(work)
        if names is not None:
            server.context.events.files_changed.emit(frozenset((path,)))
        return {"path": path, "harnesses": list(kept or ()), "answered": kept is not None}


def _use_params() -> type[BaseModel]:
    from promptls.lsp.params import UseParams  # noqa: PLC0415 - pydantic is too slow for the start

    return UseParams
