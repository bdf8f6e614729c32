"""Standard input and output of a process that speaks a protocol on them."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the protocol alone.

    From then on, whoever prints (a library, a child process) writes to standard error, and whoever reads
    gets nothing. Call it before anything else is imported.
    """
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink
