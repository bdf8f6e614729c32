"""Bodies that are packed: a small one may hold gigabytes."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest

from promptls.net.cache import Cache
from promptls.net.client import BODY
from promptls.net.packed import Unpacker
from tests.net.loopback import Answer, Server
from tests.net.test_now import fetch

LARGE = 64 * BODY


def packed(coding: str, body: bytes) -> Answer:
    return Answer(body, headers={"Content-Encoding": coding})


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """64 MiB in 64 kB, which come in one piece."""
    packer = zlib.compressobj(wbits=31)
    return b"".join([*(packer.compress(b"a" * BODY) for _ in range(LARGE // BODY)), packer.flush()])


def test_a_body_is_unpacked_only_as_far_as_it_is_kept(server: Server, cache: Cache, bomb: bytes) -> None:
    url = server.url("/bomb", packed("gzip", bomb))
    fetch(url, cache)  # the imports are not measured
    tracemalloc.start()
    fetched = fetch(server.url("/again", packed("gzip", bomb)), cache)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (fetched.state, len(fetched.text), fetched.truncated) == ("ok", BODY, True)
    assert peak < 12 * BODY


def test_no_call_unpacks_more_than_is_asked_for(bomb: bytes) -> None:
    assert len(Unpacker("gzip").unpack(bomb, 1000)) == 1000


@pytest.mark.parametrize("coding", ["gzip, gzip", "gzip,gzip,gzip", "deflate, gzip", "gzip, identity, x-gzip"])
def test_what_is_packed_more_than_once_is_refused(server: Server, cache: Cache, coding: str, bomb: bytes) -> None:
    fetched = fetch(server.url("/a", packed(coding, gzip.compress(bomb))), cache)
    assert (fetched.state, fetched.text, fetched.detail) == ("refused", "", "its answer is compressed more than once")


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "x", "aes128gcm"])
def test_a_coding_that_was_not_asked_for_is_refused(server: Server, cache: Cache, coding: str) -> None:
    fetched = fetch(server.url("/a", packed(coding, b"text")), cache)
    assert (fetched.state, fetched.detail) == ("refused", "its answer is compressed in a format that was not requested")


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"text", mtime=0)),
        ("GZIP", gzip.compress(b"text", mtime=0)),
        ("x-gzip", gzip.compress(b"text", mtime=0)),
        ("identity", b"text"),
        ("identity, gzip", gzip.compress(b"text", mtime=0)),
        ("deflate", zlib.compress(b"text")),
        ("deflate", zlib.compress(b"text")[2:-4]),
        ("gzip", gzip.compress(b"text", mtime=0) + b"what follows"),
    ],
)
def test_what_was_asked_for_is_unpacked(server: Server, cache: Cache, coding: str, body: bytes) -> None:
    assert fetch(server.url("/a", packed(coding, body)), cache).text == "text"


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"plain", "its answer is not packed as it says"),
        (gzip.compress(b"text", mtime=0)[:-4], "its answer ends too early"),
        (gzip.compress(b"text" * 9, mtime=0)[:-9], "its answer ends too early"),
    ],
)
def test_what_is_not_packed_as_it_says_is_no_text(server: Server, cache: Cache, body: bytes, detail: str) -> None:
    fetched = fetch(server.url("/a", packed("gzip", body)), cache)
    assert (fetched.state, fetched.text, fetched.detail) == ("unreachable", "", detail)


def test_what_is_packed_into_nothing_ends(server: Server, cache: Cache) -> None:
    # Blocks of deflate that hold nothing, without an end.
    fetched = fetch(server.url("/a", packed("deflate", b"\x00\x00\x00\xff\xff" * BODY)), cache)
    assert fetched.state == "empty"
