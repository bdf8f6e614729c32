from __future__ import annotations

import asyncio
import io
import os
import threading

import pytest

from promptls.lsp.main import create
from promptls.lsp.stdio import frames, run
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
    assert list(frames(io.BytesIO(data))) == bodies


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


class Closed(io.BytesIO):
    def write(self, data: object, /) -> int:
        raise BrokenPipeError(data)
