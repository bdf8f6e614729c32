"""Ends processes, on every system."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

# Windows has no groups of processes: what a process has started is left to end by itself.
HAS_GROUPS = hasattr(os, "killpg")


def leads_group() -> bool:
    """Whether this process leads a session, and so a group of processes that is ended with it."""
    return HAS_GROUPS and os.getsid(0) == os.getpid()


def end_group(process: Popen[bytes]) -> None:
    """End a process that leads a group, with the whole group, at once.

    Raises:
        OSError: it has just ended.
    """
    if HAS_GROUPS:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def end_own_group() -> None:
    """End this process with the group that it leads.

    Raises:
        OSError: it does not lead one.
    """
    if HAS_GROUPS:
        os.killpg(os.getpid(), signal.SIGKILL)
