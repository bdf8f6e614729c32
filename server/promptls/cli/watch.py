"""``check --watch``: checks again whenever something that was looked at, or the list of files, is different."""

from __future__ import annotations

import time

from promptls.cli.output import complain
from promptls.core.host import NO_BUFFERS
from promptls.git.listing import Listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from promptls.core.host import Host

    # Checks once and reports; returns the exit code, and the host that has read the files.
    Check = Callable[[], tuple[int, Host]]
    Wait = Callable[[float], None]

# Seconds between two looks, and how many times longer than a look the wait must be: it takes a twentieth of one core.
SHORTEST, SHARE = 0.5, 20


def watch(root: str, check: Check, wait: Wait = time.sleep, clock: Callable[[], float] = time.monotonic) -> int:
    """Check the folder ``root`` again and again, until Ctrl-C; the exit code is that of the last check."""
    code = 0
    try:
        while True:
            files = _files(root)
            code, host = check()
            complain("promptls: waiting for changes; Ctrl-C ends")
            took = 0.0
            while True:
                wait(max(SHORTEST, took * SHARE))
                began = clock()
                if not host.is_current(NO_BUFFERS) or _files(root) != files:
                    break
                took = clock() - began
    except KeyboardInterrupt:
        return code


def _files(root: str) -> list[str]:
    with Listing(root) as listing:
        return listing.files()
