"""prompt/map: the page of ``promptls map --html`` for a folder of the workspace, with what is typed and not saved."""

from __future__ import annotations

import asyncio

from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.workspace.request import OF_TEAM, Sources, project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pydantic import BaseModel

    from promptls.core.settings import Settings
    from promptls.lsp.params import MapParams


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.request("prompt/map", _params)
    async def map_(params: MapParams) -> dict[str, Any]:
        root, html = await page_for(server, path_of(params.text_document.uri) if params.text_document else None)
        return {"root": root, "html": html}


async def page_for(server: PromptServer, path: str | None) -> tuple[str, str]:
    """The folder of a file, or the first one that is open, and its page.

    Raises:
        UsageError: no folder is open.
    """
    context = server.context
    folder = (context.folder_of(path) if path else None) or next(iter(context.folders), None)
    root = folder.path if folder else None
    if root is None:
        raise UsageError("A prompt map needs a folder; open one first.")
    await context.settings.ready()
    settings = replace(context.settings.of(folder), urls_enabled=False)
    buffers, is_trusted = server.previews.buffers(), not context.settings.untrusted
    sources = replace(OF_TEAM, buffers=buffers, is_trusted=is_trusted)
    # Not on the thread of the previews: they go on while a large folder is looked at.
    loop = asyncio.get_running_loop()
    return root, await loop.run_in_executor(None, lambda: _page(root, settings, sources))


def _page(root: str, settings: Settings, sources: Sources) -> str:
    # Rarely asked for, so all of it is imported only now.
    from secrets import token_urlsafe  # noqa: PLC0415 - see above

    from promptls.checks.merge import GRAVITY  # noqa: PLC0415 - the same
    from promptls.git.listing import Listing  # noqa: PLC0415 - the same
    from promptls.page import page  # noqa: PLC0415 - the same
    from promptls.workspace.folder_check import problems_below  # noqa: PLC0415 - the same
    from promptls.workspace.folder_map import map_of  # noqa: PLC0415 - the same
    from promptls.workspace.folder_prompts import budgets_of, folder_prompts  # noqa: PLC0415 - the same

    with Listing(root, is_trusted=sources.is_trusted) as listing:
        looked = folder_prompts(root, listing, sources, settings=settings)
    project = project_of(root)
    with Listing(project, is_trusted=sources.is_trusted) as listing:
        found, _ = problems_below(root, looked, project, listing)
    problems = sorted(found, key=lambda each: GRAVITY.index(each.severity))
    return page(map_of(root, looked), problems, budgets_of(looked), nonce=token_urlsafe(16))


def _params() -> type[BaseModel]:
    from promptls.lsp.params import MapParams  # noqa: PLC0415 - pydantic is too slow for the start

    return MapParams
