"""Standard input and output of a process that speaks a protocol on them."""

from __future__ import annotations

import os
import sys

from promptls.errors import PromptlsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def need_streams() -> None:
    """Nothing, where standard input and output are open.

    Raises:
        PromptlsError: one of them is closed.
    """
    if sys.stdin is None or sys.stdout is None:
        which = "input" if sys.stdin is None else "output"
        raise PromptlsError(f"Standard {which} is closed; start this command from the program that is to speak to it.")


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the protocol alone.

    From then on, whoever prints (a library, a child process) writes to standard error, and whoever reads
    gets nothing. Call it before anything else is imported.

    Raises:
        PromptlsError: one of them is closed.
    """
    need_streams()
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink
