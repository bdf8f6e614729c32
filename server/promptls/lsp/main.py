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
    gc.disable()  # otherwise a sixth of start-up goes into garbage collection among 554 new classes
    from promptls.system.streams import take_streams

    source, sink = take_streams()

    from promptls.lsp import stdio
    from promptls.lsp.log import Formatter

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Formatter())
    logging.basicConfig(handlers=[handler], level=logging.DEBUG if verbose else logging.WARNING)
    server = create()

    from promptls.harnesses import faults

    faults.tell(lambda sentence, error: logging.getLogger(__name__).error("%s", sentence, exc_info=error))
    gc.freeze()
    gc.enable()
    stdio.serve(server.protocol, source, sink)
