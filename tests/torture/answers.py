"""Answers of a web server that is broken or hostile: the preview comes, in time, and says what became of the URL."""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.folder import lay_out

LIMIT = 90.0


def _body(data: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = "\r\n".join((f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", *headers))
    return head.encode("utf-8", "surrogateescape") + b"\r\n\r\n" + data


# Those that take a while to make are made when they are sent.
ANSWERS: dict[str, bytes | Callable[[], bytes]] = {
    "nothing": b"",
    "half a line": b"HTTP/1.1 20",
    "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
    "old version": b"HTTP/0.9 200 OK\r\n\r\ntext",
    "odd status": b"HTTP/1.1 99999 X\r\n\r\n",
    "no status": b"HTTP/1.1\r\n\r\n",
    "informational for ever": b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000,
    "a length that is too long": b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\ntext",
    "a length below zero": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\ntext",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 9\r\n\r\ntext",
    "length and chunks": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk of a size that is no number": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\ntext",
    "a chunk that is too large": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\ntext",
    "a header of 1 MB": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n",
    "100,000 headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
    "a NUL in a header": b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n",
    "a line break in a header": b"HTTP/1.1 200 OK\r\nX: a\n b\r\n\r\n",
    "gzip that is none": _body(b"text", "Content-Encoding: gzip"),
    "gzip that is cut": _body(gzip.compress(b"x" * 9_999)[:40], "Content-Encoding: gzip"),
    "gzip in gzip": lambda: _body(gzip.compress(gzip.compress(bytes(50_000_000))), "Content-Encoding: gzip, gzip"),
    "a bomb": lambda: _body(zlib.compress(bytes(200_000_000)), "Content-Encoding: deflate"),
    "an encoding that nobody knows": _body(b"text", "Content-Encoding: x-own"),
    "not UTF-8": _body(b"\xff\xfe\x00caf\xe9", "Content-Type: text/plain; charset=utf-8"),
    "a charset that nobody knows": _body(b"text", "Content-Type: text/plain; charset=\xff"),
    "a charset that runs code": _body(b"text", "Content-Type: text/plain; charset=zlib_codec"),
    "escape sequences": _body(b"\x1b]0;owned\x07\n::error::x\n"),
    "5 MB": _body(b"x" * 5_000_000),
    "a redirect to itself": _body(b"", "Location: /", status="302 Found"),
    "a redirect to a file": _body(b"", "Location: file:///etc/passwd", status="302 Found"),
    "a redirect to nowhere": _body(b"", "Location: http://[", status="302 Found"),
    "a redirect without a place": _body(b"", status="302 Found"),
    "a redirect to metadata": _body(b"", "Location: http://169.254.169.254/latest/", status="302 Found"),
    "a login": _body(b"", 'WWW-Authenticate: Basic realm="x"', status="401 Unauthorized"),
    "a cookie": _body(b"text", "Set-Cookie: a=b; Domain=localhost"),
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
}


@contextmanager
def serving(answer: bytes) -> Iterator[int]:
    """A server on loopback that sends ``answer`` to whatever it is asked, to 20 connections at most."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LIMIT)

        def serve() -> None:
            for _ in range(20):
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.settimeout(LIMIT)
                    try:
                        connection.recv(65_536)
                        connection.sendall(answer)
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(LIMIT)


def run(seed: int, count: int) -> None:
    """``count`` of the answers, in a random order."""
    names = random.Random(seed).sample(sorted(ANSWERS), min(count, len(ANSWERS)))  # noqa: S311 - it can be repeated
    for name in names:
        answer = ANSWERS[name]
        made = answer if isinstance(answer, bytes) else answer()
        with serving(made) as port, tempfile.TemporaryDirectory() as place:
            _ask(Path(place).resolve(), f"http://127.0.0.1:{port}/", name)


def _ask(top: Path, url: str, name: str) -> None:
    folder = lay_out(top / "project", {"opencode.json": {"instructions": [url]}, "AGENTS.md": "root\n"})
    environment = {**os.environ, "HOME": str(top), "PROMPTLS_CACHE_DIR": str(top / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "promptls", "preview", "--harness", "opencode", "--format", "json", str(folder)],
        capture_output=True,
        env=environment,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{name}: {done.stderr.decode()[-500:]}"
    shown = json.loads(done.stdout)
    outcomes = [each["outcome"] for each in shown["candidates"] if each.get("url") == url]
    assert outcomes, f"{name}: nothing is said of the URL"
    assert "root:" not in shown["messages"][0]["text"], f"{name}: a file of the machine was sent"
