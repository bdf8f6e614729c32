"""prompt/table: what each harness in use takes for a file or in a folder, as ``promptls`` itself shows it."""

from __future__ import annotations

import asyncio

from promptls.core import specs
from promptls.core.paths import parent
from promptls.core.table import table
from promptls.core.table_text import table_lines
from promptls.core.values import replace
from promptls.core.visible import visible
from promptls.errors import PromptlsError, UsageError
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.lsp.virtual import PreviewRequest, uri_of
from promptls.workspace.machine import home
from promptls.workspace.request import HERE, Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pydantic import BaseModel

    from promptls.core.model import Prompt
    from promptls.core.settings import Settings
    from promptls.core.table import Table
    from promptls.lsp.params import TableParams

# So wide is a column beside a preview; harnesses that do not fit side by side follow below.
WIDTH = 44


def register(server: PromptServer) -> None:
    """Claim the request."""

    @server.request("prompt/table", _params)
    async def compared(params: TableParams) -> dict[str, Any]:
        if params.text_document is None:
            return await _of_folder(server)
        return await _of_file(server, params.text_document.uri)


async def _of_file(server: PromptServer, uri: str) -> dict[str, Any]:
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
    made = await server.previews.run(lambda: table([[each] for each in prompts], HERE.host().realpath))
    return _result(made, prompts, root, path, lambda harness: PreviewRequest(uri, harness=harness))


async def _of_folder(server: PromptServer) -> dict[str, Any]:
    """Of a start in the first folder. Its virtual documents are followed: the client hears when one has changed."""
    context = server.context
    folder = next(iter(context.folders), None)
    root = folder.path if folder else None
    if folder is None or root is None:
        raise UsageError("A table without a file is one of a folder; open a folder first.")
    await context.settings.ready()
    settings = replace(context.settings.of(folder), urls_enabled=False)
    sources = Sources(buffers=server.previews.buffers(), is_trusted=not context.settings.untrusted)
    loop = asyncio.get_running_loop()
    # Not on the thread of the previews: they go on while a large folder is looked at.
    made, prompts = await loop.run_in_executor(None, lambda: _table_of_folder(root, settings, sources))

    def start(harness: str) -> PreviewRequest:
        return PreviewRequest(folder.uri, harness=harness, reads=())

    for column in made.columns:
        request = start(column.harness)
        view, _ = await server.previews.view(request)
        context.shown.add(uri_of(request), request, view.version, has_text=not context.client.text_document_content)
    return _result(made, prompts, root, None, start)


def _table_of_folder(root: str, settings: Settings, sources: Sources) -> tuple[Table, list[Prompt]]:
    from promptls.git.listing import Listing  # noqa: PLC0415 - not for the table of a file
    from promptls.workspace.folder_prompts import folder_prompts  # noqa: PLC0415 - the same

    with Listing(root, is_trusted=sources.is_trusted) as listing:
        looked = folder_prompts(root, listing, sources, settings=settings)
    prompts = looked.by_harness()
    return table(prompts, looked.host.realpath), [first for first, *_ in prompts]


def _result(
    made: Table, prompts: list[Prompt], root: str, path: str | None, request: Callable[[str], PreviewRequest]
) -> dict[str, Any]:
    from promptls.core.how import ways  # noqa: PLC0415 - not for the start
    from promptls.core.map_json import table_json  # noqa: PLC0415 - not for the start

    json = table_json(made)
    lines = list(_lines(made, root, path)) if made.columns else []
    more = [{"title": specs.of(each.harness).title, "uri": uri_of(request(each.harness))} for each in made.columns]
    return {
        "text": "\n".join([*lines, ""]),
        "harnesses": [each.harness for each in made.columns],
        "root": root,
        "columns": [{**column, **each} for column, each in zip(json["columns"], more, strict=True)],
        "rows": json["rows"],
        "how": ways(prompts),
    }


def _lines(made: Table, root: str, path: str | None) -> Iterator[str]:
    """The lines of the table; a sentence below it takes as many as it needs."""
    import textwrap  # noqa: PLC0415 - not for the start

    for line in table_lines(made, root, path, width=WIDTH, home=home()):
        text = visible(line.text)
        yield from textwrap.wrap(text, WIDTH) if len(text) > WIDTH else (text,)


def _params() -> type[BaseModel]:
    from promptls.lsp.params import TableParams  # noqa: PLC0415 - pydantic is too slow for the start

    return TableParams
