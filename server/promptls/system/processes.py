"""Ends processes, on every system."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

from promptls.core.files import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from subprocess import Popen

# Runs the arguments that follow as a command line that ends when its standard input does (cli/attended.py). With -P, no
# module is imported from the working directory.
ATTENDED = (sys.executable, "-P", "-c", "import sys; from promptls.cli.attended import attended; sys.exit(attended())")
# Windows has no groups of processes: what a process has started is left to end by itself.
HAS_GROUPS = hasattr(os, "killpg")
# Bytes of a page of memory.
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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


def descendants() -> list[int]:
    """The ids of all processes below this one; () where the system does not say (other than Linux)."""
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        parent = waiting.pop()
        below = _children(parent)
        found += below
        waiting += below
    return found


def memory(processes: Iterable[int]) -> int:
    """The bytes of memory that these processes take together, as far as the system says."""
    return sum(map(_resident, processes)) * PAGE


def end_all(process: Popen[bytes], seconds: float) -> None:
    """End a process that leads a group, its group, and all that is below this process; they have ``seconds`` for it.

    What has left the group is found only where orphans become children of this process (Linux).
    """
    until = time.monotonic() + seconds
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        _signal(process, number)
        while time.monotonic() < until:
            _reap(process)
            if process.poll() is not None and not descendants():
                return
            time.sleep(0.02)
        until = time.monotonic() + seconds


def _signal(process: Popen[bytes], number: int) -> None:
    with suppress(OSError):  # it has ended
        # Once it has been waited for, its number may be another's.
        if HAS_GROUPS and process.returncode is None:
            os.killpg(process.pid, number)
        else:
            process.kill()
    for each in descendants():
        with suppress(OSError):  # the same
            os.kill(each, number)


def _reap(process: Popen[bytes]) -> None:
    """Take note of the end of orphans that became children of this process."""
    for each in _children(os.getpid()):
        if each != process.pid:
            with suppress(OSError):
                os.waitpid(each, os.WNOHANG)


def _children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError, ValueError):
        for task in os.listdir(f"/proc/{process}/task"):
            text = read(f"/proc/{process}/task/{task}/children").data
            found += map(int, text.split())
    return found


def _resident(process: int) -> int:
    fields = read(f"/proc/{process}/statm").data.split()
    return int(fields[1]) if len(fields) > 1 else 0
