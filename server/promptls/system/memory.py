"""How the memory of a process that runs for days is kept."""

from __future__ import annotations

import sys
from contextlib import suppress

# Of mallopt(3), glibc: how many arenas there may be.
ARENAS = -8


def share_memory() -> None:
    """Have the threads that are started from now on take memory from one place; elsewhere than on Linux, nothing.

    Otherwise glibc gives each a place of its own, and what one has let go of is never another's.
    """
    if sys.platform != "linux":
        return
    # Not there in every Python, and not in every C library.
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - takes longer to import than the rest

        ctypes.CDLL(None).mallopt(ARENAS, 1)
