"""Lets a command that a signal ends clean up first: what it has started is ended, what it has written is deleted."""

from __future__ import annotations

import contextlib
import signal
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextlib.contextmanager
def unwinding() -> Iterator[None]:
    """Until the end of the block, the first signal raises SystemExit and all others are ignored.

    So every ``finally`` is run. What is ignored already, such as SIGHUP under nohup, stays so.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
        before = {each: signal.getsignal(each) for each in numbers if signal.getsignal(each) != signal.SIG_IGN}

    def end(number: int, _: object) -> NoReturn:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    try:
        for each in before:
            signal.signal(each, end)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
