"""Runs a command for as long as standard input is open: once it is closed, nobody waits for the outcome any more.

The command is interrupted as by Ctrl-C, so that it ends what it has started and leaves nothing behind.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from promptls.cli import main


def attended() -> int:
    """Run the command line of this process."""
    # What is started in the background of a shell ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_interrupt_at_end, daemon=True).start()
    return main(sys.argv[1:])


def _interrupt_at_end() -> None:
    while os.read(0, 4096):
        pass
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
