"""`promptls serve`: assembles and runs the server. Only the command line imports it, and late."""

from __future__ import annotations

import gc
import logging
import sys
from typing import NoReturn

# Imports are inside the functions: standard output is guarded first, and the garbage collector is off meanwhile.
# ruff: noqa: PLC0415

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from lsprotocol import types

    from promptls.lsp.server import PromptServer


def create() -> PromptServer:
    """The server with all its features."""
    from promptls.lsp.features import (
        actions,
        changes,
        comparison,
        completion,
        configuration,
        diagnostics,
        explain,
        folder_map,
        folders,
        hints,
        hover,
        how,
        lens,
        links,
        outline,
        preview,
        renames,
        sessions,
        show,
        sync,
        trim,
        unify,
        use,
        verify,
        watching,
    )
    from promptls.lsp.server import PromptServer

    server = PromptServer()
    for feature in (
        *(sync, folders, configuration, watching, changes),
        *(preview, use, explain, sessions, verify, comparison, folder_map, diagnostics),
        *(links, hover, lens, hints, outline, completion, actions, how, show, trim, unify, renames),
    ):
        feature.register(server)
    return server


def serve(*, verbose: bool = False) -> NoReturn:
    """Serve on standard input and output; the process ends with the connection.

    The log goes to standard error: warnings, or everything if ``verbose``.
    """
    gc.disable()  # until _settle: otherwise a sixth of start-up goes into it, among 554 new classes
    from promptls.system.streams import take_streams

    source, sink = take_streams()

    import asyncio

    from promptls.lsp import stdio
    from promptls.lsp.log import Formatter

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter())
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.WARNING)
    server = create()

    from promptls.harnesses import faults

    faults.tell(lambda sentence, error: logging.getLogger(__name__).error("%s", sentence, exc_info=error))
    begin = server.protocol.on_initialize

    def begin_and_settle(params: Mapping[str, Any]) -> types.ServerCapabilities:
        asyncio.get_running_loop().call_soon(_settle)  # once the reply is written
        return begin(params)

    server.protocol.on_initialize = begin_and_settle
    stdio.serve(server.protocol, source, sink)


def _settle() -> None:
    """Let go of the 10 MB that imports leave behind, before anything else needs memory, and look at the rest no more.

    They are the first form of each class of lsprotocol: attrs makes a second one, with slots.
    """
    from promptls.system.memory import share_memory

    share_memory()
    gc.collect()
    gc.freeze()
    gc.enable()
