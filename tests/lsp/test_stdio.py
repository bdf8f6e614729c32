from __future__ import annotations

import asyncio
import io
import os
import threading

import pytest

from promptls.lsp.main import create
from promptls.lsp.stdio import Sink, message_bodies, run
from tests.lsp.client import LIMIT


@pytest.mark.parametrize(
    ("data", "bodies"),
    [
        (b"", []),
        (b"Content-Length: 2\r\n\r\n{}Content-Length: 1\r\nContent-Type: x\r\n\r\n1", [b"{}", b"1"]),
        (b"content-length:2\n\n{}", [b"{}"]),
        (b"Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1", [b"", b"1"]),
        (b"Content-Length: 5\r\n\r\n{}", []),
        (b"Content-Length: 2\r\nContent-Length: 1\r\n\r\n1", [b"1"]),
        (b"junk{}\x00Content-Length: 1\r\n\r\n1", [b"1"]),
        (b"\r\n\r\nContent-Length: 1x\r\n\r\nContent-Length: 1\r\n\r\n1", [b"1"]),
        (b"Content-Length: 1", []),
    ],
)
def test_frames(data: bytes, bodies: list[bytes]) -> None:
    assert list(message_bodies(io.BytesIO(data))) == bodies


async def test_a_client_that_no_longer_reads_ends_the_run() -> None:
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb") as source, os.fdopen(theirs, "wb") as client:
        body = b'{"jsonrpc":"2.0","id":1,"method":"shutdown"}'
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        client.flush()
        assert await asyncio.wait_for(run(create().protocol, source, Closed()), LIMIT) == 1
        client.close()
        for thread in threading.enumerate():
            if thread.name == "stdin":
                thread.join(LIMIT)


async def test_a_task_of_one_message_starts_before_the_next() -> None:
    source = Watched(b"".join(b"Content-Length: 1\r\n\r\n%d" % number for number in range(1, 4)))
    receiver = Slow(source)
    assert await asyncio.wait_for(run(receiver, source, io.BytesIO()), LIMIT) == 0
    assert receiver.seen == ["got 1", "task 1", "got 2", "task 2", "got 3", "task 3"]


class Watched(io.BytesIO):
    """Says when it has been read to its end."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.ended = threading.Event()

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line:
            self.ended.set()
        return line


class Slow:
    """Takes each message only when all have come; starts a task for each."""

    def __init__(self, source: Watched) -> None:
        self.exit_code: int | None = None
        self.seen: list[str] = []
        self._source = source
        self._tasks: list[asyncio.Task[None]] = []

    def attach(self, sink: Sink) -> None:
        pass

    def receive_bytes(self, body: bytes) -> None:
        assert self._source.ended.wait(LIMIT)
        self.seen.append(f"got {body.decode()}")
        self._tasks.append(asyncio.create_task(self._work(body.decode())))

    def hang_up(self) -> None:
        self.exit_code = 0

    async def _work(self, number: str) -> None:
        self.seen.append(f"task {number}")


class Closed(io.BytesIO):
    def write(self, data: object, /) -> int:
        raise BrokenPipeError(data)
