"""The server on standard input and output: frames in, frames out, and an end that nothing holds up.

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
from collections.abc import Iterator
from typing import BinaryIO, NoReturn, Protocol

# At the end of a line only: whatever a broken client wrote before it, the next message is found again.
_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,12})\s*$", re.IGNORECASE)
_LONGEST_LINE = 64 * 1024
_LONGEST_BODY = 256 * 1024 * 1024


class Receiver(Protocol):
    """What messages are handed to; ``exit_code`` is None until it has ended."""

    exit_code: int | None

    def attach(self, sink: Sink) -> None:
        """Write to ``sink`` from now on, from this loop only."""

    def receive_bytes(self, body: bytes) -> None:
        """Handle the body of one message; never raises."""

    def hang_up(self) -> None:
        """The client is gone."""


class Sink(Protocol):
    """Where whole frames are written."""

    def write(self, data: bytes, /) -> object:
        """Write ``data`` at once."""

    def close(self) -> object:
        """No more is written: the end of the server, or of the client."""


class _Out:
    """Standard output; wakes the loop when no more can be written to it."""

    def __init__(self, stream: BinaryIO, inbox: asyncio.Queue[bytes | None]) -> None:
        self._stream = stream
        self._inbox = inbox

    def write(self, data: bytes, /) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        self._inbox.put_nowait(None)


def frames(source: BinaryIO) -> Iterator[bytes]:
    """The body of each message, until the end of ``source``. What is no header is skipped."""
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


async def run(receiver: Receiver, source: BinaryIO, sink: BinaryIO) -> int:
    """Serve until the end; returns the exit code: 0 after ``shutdown``, else 1."""
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[bytes | None] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before the input did
            with contextlib.suppress(OSError):
                for body in frames(source):
                    loop.call_soon_threadsafe(inbox.put_nowait, body)
            loop.call_soon_threadsafe(inbox.put_nowait, None)

    receiver.attach(_Out(sink, inbox))
    threading.Thread(target=read, name="stdin", daemon=True).start()
    while receiver.exit_code is None:
        body = await inbox.get()
        if body is None:
            receiver.hang_up()
        else:
            receiver.receive_bytes(body)
            # An async handler takes its first step, and its view of the documents, before the next message.
            await asyncio.sleep(0)
    return receiver.exit_code


def serve(receiver: Receiver, source: BinaryIO, sink: BinaryIO) -> NoReturn:
    """Serve until the end, then leave the process at once, whatever still runs in its threads."""
    loop = asyncio.new_event_loop()
    try:
        code = loop.run_until_complete(run(receiver, source, sink))
    except KeyboardInterrupt:
        code = 130  # as shells name it
    except BaseException:
        logging.getLogger(__name__).exception("The server has failed.")
        code = 1
    logging.shutdown()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)
