"""On the first line of a file: the prompt, the map and the verdict, as actions for every client.

An extension that shows virtual documents has commands of its own for these.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from promptls.core.paths import with_relative
from promptls.core.visible import visible
from promptls.errors import UsageError
from promptls.lsp.features import folder_map
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of
from promptls.lsp.virtual import PreviewRequest
from promptls.lsp.written import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = "promptls.show"
KIND = "source.promptls"
CONFIGURATIONS = (".json", ".jsonc", ".toml", ".yaml", ".yml")
TITLES = {
    "preview": "Show the prompt that a coding agent gets here",
    "map": "Show what each coding agent gets in each directory",
    "verdict": "Say which coding agents get this file",
}


def register(server: PromptServer) -> None:
    """Offer the command, if the client does not have its own."""
    context = server.context

    @context.events.initializing.listen
    def offer_command(_: None) -> None:
        if not context.client.text_document_content:

            @server.command(COMMAND)
            async def shown(what: Any, uri: Any) -> dict[str, Any]:
                return {"text": await _shown(server, what, uri)}


def actions(server: PromptServer, uri: str) -> Iterator[types.CodeAction]:
    """One for each view; none in a configuration, whose only line may have much else to offer."""
    if not server.context.client.text_document_content and not uri.endswith(CONFIGURATIONS):
        for what, title in TITLES.items():
            yield types.CodeAction(title, KIND, command=types.Command(title, COMMAND, arguments=[what, uri]))


async def _shown(server: PromptServer, what: Any, uri: Any) -> str:
    path = path_of(uri) if isinstance(uri, str) else None
    if what not in TITLES or path is None:
        raise UsageError(f"{COMMAND} takes one of {', '.join(TITLES)} and the URI of a saved file.")
    if what == "preview":
        view, _ = await server.previews.view(PreviewRequest(uri), drawn=True)
        await show(server, uri, view.text)
        return view.text
    if what == "map":
        root, html = await folder_map.page_for(server, path)
        await show(server, f"{root}-map", html, ending=".html", external=True)
        return html
    _, verdicts = await server.judged.of(path)
    top = server.judged.top(path)
    lines = [with_relative(each.line, top) if top else each.line for each in verdicts]
    text = "\n".join(map(visible, lines)) or "No coding agent that is known here gets this file."
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return text
