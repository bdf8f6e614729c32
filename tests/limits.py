"""A limit on the time of a step: what hangs fails instead."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

# A busy machine may take so many times as long.
FACTOR = 12


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fail what takes more processor time, or waits much longer, in a system call too. In the main thread only."""

    def stop(*_: object) -> None:
        raise AssertionError(f"this took more than {seconds} s")

    limits = [(signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, FACTOR * seconds)]
    before = [signal.signal(name, stop) for name, _, _ in limits]
    for _, timer, limit in limits:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (name, timer, _), handler in zip(limits, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(name, handler)
