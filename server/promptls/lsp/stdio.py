"""The server on standard input and output: frames in, frames out, and an exit that nothing delays.

Three things run here. A daemon thread reads standard input and does nothing else, so messages are read
however busy the handlers are. The loop handles them one by one. Only the loop writes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO, NoReturn, Protocol, TypeAlias

from promptls import git
from promptls.core.lazy import regex
from promptls.lsp.arrived import ARRIVED

Inbox: TypeAlias = "asyncio.Queue[tuple[bytes, float] | None]"
# At the end of a line only: whatever a broken client wrote before it, the next message is still found.
_LENGTH = regex(rb"content-length:[ \t]*(\d{1,12})\s*$", re.IGNORECASE)
_LONGEST_LINE = 64 * 1024
_LONGEST_BODY = 256 * 1024 * 1024
# Seconds that a message may wait for a client that no longer sends anything.
_STUCK = 1.0


class Receiver(Protocol):
    """Receives the messages; ``exit_code`` is None until it has finished."""

    exit_code: int | None

    def attach(self, sink: Sink) -> None:
        """Write to ``sink`` from now on, from this loop only."""

    def receive_bytes(self, body: bytes) -> None:
        """Handle the body of one message; never raises."""

    def hang_up(self) -> None:
        """The client has disconnected."""


class Sink(Protocol):
    """Receives complete frames."""

    def write(self, data: bytes, /) -> object:
        """Write ``data`` at once."""

    def close(self) -> object:
        """Nothing more is written: the server or the client has ended."""


class _Out:
    """Standard output; wakes the loop when no more can be written to it."""

    def __init__(self, stream: BinaryIO, inbox: Inbox) -> None:
        self._stream = stream
        self._inbox = inbox
        self._began: float | None = None

    @property
    def is_stuck(self) -> bool:
        """Whether a message has been waiting for long because the client reads nothing; from any thread."""
        began = self._began
        return began is not None and time.monotonic() - began > _STUCK

    def write(self, data: bytes, /) -> None:
        self._began = time.monotonic()
        self._stream.write(data)
        self._stream.flush()
        self._began = None

    def close(self) -> None:
        self._inbox.put_nowait(None)


def message_bodies(source: BinaryIO) -> Iterator[bytes]:
    """The body of each message, until the end of ``source``. Anything that is not a header is skipped."""
    length: int | None = None
    while line := source.readline(_LONGEST_LINE):
        if match := _LENGTH.search(line):
            length = int(match[1])
        elif not line.strip() and length is not None:
            if length <= _LONGEST_BODY:
                body = source.read(length)
                if len(body) < length:
                    return
                yield body
            length = None


async def run(receiver: Receiver, source: BinaryIO, sink: BinaryIO, give_up: Callable[[], object] | None = None) -> int:
    """Serve until the end; returns the exit code: 0 after ``shutdown``, else 1.

    ``give_up`` is called, on a thread, if the input has ended and the loop cannot hear of it, as it waits for a
    client that does not read either.
    """
    loop = asyncio.get_running_loop()
    # The body of each message and when it came; None at the end.
    inbox: Inbox = asyncio.Queue()
    out = _Out(sink, inbox)

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before the input did
            with contextlib.suppress(OSError):
                for body in message_bodies(source):
                    loop.call_soon_threadsafe(inbox.put_nowait, (body, time.monotonic()))
            loop.call_soon_threadsafe(inbox.put_nowait, None)
        if give_up is not None:
            while not out.is_stuck:
                time.sleep(_STUCK / 4)
            give_up()

    receiver.attach(out)
    threading.Thread(target=read, name="stdin", daemon=True).start()
    while receiver.exit_code is None:
        message = await inbox.get()
        if message is None:
            receiver.hang_up()
        else:
            body, arrived = message
            ARRIVED.set(arrived)
            receiver.receive_bytes(body)
            # An async handler takes its first step, and its view of the documents, before the next message.
            await asyncio.sleep(0)
    return receiver.exit_code


def serve(receiver: Receiver, source: BinaryIO, sink: BinaryIO) -> NoReturn:
    """Serve until the end, then exit the process at once, whatever still runs in its threads."""
    loop = asyncio.new_event_loop()
    try:
        code = loop.run_until_complete(run(receiver, source, sink, lambda: os._exit(1)))
    except KeyboardInterrupt:
        code = 130  # as in shells
    except BaseException:
        logging.getLogger(__name__).exception("The server failed.")
        code = 1
    git.stop_all()
    logging.shutdown()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
