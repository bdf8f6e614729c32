"""One thread that has time gives way to what users wait for.

Python runs one thread at a time. A check of a large folder would otherwise make every preview wait each time it
looks at a file.
"""

from __future__ import annotations

import gc
import sys
import threading
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Seconds that the one with time waits at most: it has to end, too.
PATIENCE = 1.0
# Seconds after which Python lets another thread run: fifty times as often as by default, while both have work.
SWITCH = 0.0001


class GivingWay:
    """Who is in a hurry, and who waits for them. Callable from any thread."""

    def __init__(self) -> None:
        self._hurried = 0
        self._free = threading.Condition()

    @contextmanager
    def hurry(self) -> Iterator[None]:
        """Somebody waits for what is done meanwhile."""
        with self._free:
            self._hurried += 1
        try:
            yield
        finally:
            with self._free:
                self._hurried -= 1
                self._free.notify_all()

    def give_way(self) -> None:
        """Wait while anybody is in a hurry."""
        if self._hurried:
            with self._free:
                self._free.wait_for(lambda: not self._hurried, PATIENCE)


@contextmanager
def unobtrusive() -> Iterator[None]:
    """Let other threads run sooner than usual, and never wait for a look at all the values that are made."""
    before, collects = sys.getswitchinterval(), gc.isenabled()
    sys.setswitchinterval(SWITCH)
    gc.disable()
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        if collects:
            gc.enable()
