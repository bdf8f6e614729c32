"""What a client is to show that has no virtual documents: a file of ours, opened by ``window/showDocument``."""

from __future__ import annotations

import os
import re

from lsprotocol import types

from promptls.lsp.server import PromptServer
from promptls.lsp.uris import uri_of


async def show(server: PromptServer, name: str, text: str, *, ending: str = ".md", external: bool = False) -> str:
    """Write a text and open it; a client that opens no documents is told where it is. Returns the path.

    ``external``: in the program that the system has for it, such as a browser.
    """
    path = await server.previews.run(lambda: _write(f"{name}{ending}", text))
    if server.context.client.show_document:
        params = types.ShowDocumentParams(uri_of(path), external=external or None, take_focus=True)
        server.spawn(server.window_show_document_async(params), "the preview")
    else:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"Open {path}"))
    return path


def _write(name: str, text: str) -> str:
    from promptls.net.cache import Cache  # noqa: PLC0415 - the first preview that is shown so needs it

    directory = os.path.join(os.path.dirname(Cache().directory), "previews")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    path = os.path.join(directory, re.sub(r"[^\w.-]", "_", name.rpartition("/")[2]))
    with open(path, "w", encoding="utf-8", errors="replace", opener=_private) as file:
        file.write(text)
    return path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
