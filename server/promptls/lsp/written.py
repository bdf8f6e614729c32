"""What a client is to show that has no virtual documents: a file of ours, opened by ``window/showDocument``."""

from __future__ import annotations

import os
import re
from zlib import crc32

from lsprotocol import types

from promptls.lsp.server import PromptServer
from promptls.lsp.uris import uri_of


async def show(server: PromptServer, name: str, text: str, *, ending: str = ".md", external: bool = False) -> str:
    """Write a text and open it; a client that opens no documents is told where it is. Returns the path.

    ``external``: in the program that the system has for it, such as a browser.
    """
    path = await server.previews.run(lambda: _write(name, text, ending))
    if server.context.client.show_document:
        # LSP4IJ opens nothing in an editor where it is not told which place.
        start = None if external else types.Range(types.Position(0, 0), types.Position(0, 0))
        params = types.ShowDocumentParams(uri_of(path), external=external or None, take_focus=True, selection=start)
        server.spawn(_open(server, params, path), "the preview")
    else:
        _name(server, path)
    return path


async def _open(server: PromptServer, params: types.ShowDocumentParams, path: str) -> None:
    if not (await server.window_show_document_async(params)).success:
        _name(server, path)


def _name(server: PromptServer, path: str) -> None:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"Open {path}"))


def _write(name: str, text: str, ending: str) -> str:
    from promptls.net.cache import Cache  # noqa: PLC0415 - the first preview that is shown so needs it

    directory = os.path.join(os.path.dirname(Cache().directory), "previews")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    # An editor that has a file open may show what it has: each name is another file.
    title = re.sub(r"[^\w.-]", "_", name.rpartition("/")[2])
    path = os.path.join(directory, f"{title}-{crc32(name.encode('utf-8', 'replace')):08x}{ending}")
    with open(path, "w", encoding="utf-8", errors="replace", opener=_private) as file:
        file.write(text)
    return path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
