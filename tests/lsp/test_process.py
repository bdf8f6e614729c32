"""What only a real process shows: streams, exit codes, threads, and that nothing holds up the end."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.lsp.process import LIMIT, WORKSHOP, ServerProcess

BUSY = 40
"""More blocked handlers than any pool has threads."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for the tests of this module; what it wrote to standard error is looked at last."""
    with ServerProcess(WORKSHOP) as server:
        server.start()
        yield server
        assert server.request("shutdown")["result"] is None
        server.notify("exit")
        assert server.code() == 0
        assert server.rest() == []
        # Only what test_who_prints prints; it may not have run.
        assert server.stderr() in {"", "from print\nfrom C\nfrom a child\n"}


@pytest.mark.ordinary_too
def test_a_whole_life() -> None:
    with ServerProcess() as server:
        assert server.request("textDocument/hover", {})["error"]["code"] == -32002
        assert server.start()["result"]["serverInfo"]["name"] == "promptls"
        assert server.request("shutdown")["result"] is None
        assert server.request("shutdown")["error"]["code"] == -32600
        server.notify("exit")
        assert server.code() == 0
        assert (server.stderr(), server.rest()) == ("", [])


def test_what_the_start_does_not_import() -> None:
    """Each of these costs a start that nobody needs yet; and the command line pays for pygls only late."""
    code = """
import sys
import promptls.lsp.main
print("pygls" in sys.modules)
promptls.lsp.main.create()
print(*sorted({"httpx", "pydantic", "tree_sitter", "rich", "wcmatch"} & {*sys.modules}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=LIMIT)
    assert done.stdout.decode().split("\n") == ["False", "", ""]


def test_what_imports_leave_behind_is_not_kept() -> None:
    """Each class of lsprotocol is made twice, and the first is garbage then: half of what the start takes."""
    code = """
import gc
from promptls.lsp import main
create = main.create

def create_counting():
    server = create()

    @server.feature("count")
    def count(params):
        kept = [each.__name__ for each in object.__subclasses__() if each.__module__ == "lsprotocol.types"]
        return {"names": len({*kept}), "classes": len(kept), "collects": gc.isenabled()}

    return server

main.create = create_counting
main.serve()
"""
    with ServerProcess(code) as server:
        server.start()
        found = server.request("count", {})["result"]
    assert found == {"names": found["names"], "classes": found["names"], "collects": True}
    assert found["names"] > 400


def test_exit_waits_for_no_handler() -> None:
    """Without ``shutdown`` it is a failure; the handlers that still run are neither awaited nor logged."""
    with ServerProcess(WORKSHOP) as server:
        server.start()
        for _ in range(BUSY):
            server.ask("workshop/block", {})
        server.ask("workshop/forever", {})
        server.notify("exit")
        begun = time.monotonic()
        assert server.code() == 1
        assert time.monotonic() - begun < LIMIT / 2
        assert server.stderr() == ""


@pytest.mark.ordinary_too
def test_the_end_of_the_input_is_the_end() -> None:
    with ServerProcess() as server, ServerProcess() as said_so:
        server.end_input()
        said_so.start()
        assert said_so.request("shutdown")["result"] is None
        said_so.end_input()
        assert server.code() == 1
        assert said_so.code() == 0
        assert (server.stderr(), server.rest()) == ("", [])
        assert (said_so.stderr(), said_so.rest()) == ("", [])


def test_the_end_of_the_input_is_the_end_for_a_client_that_does_not_read_either() -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"nosuch","params":null}'
    command = [sys.executable, "-m", "promptls", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        try:
            server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) * 5000)  # more replies than fit
            server.stdin.close()
            assert server.wait(LIMIT) == 1
        finally:
            server.kill()


@pytest.mark.ordinary_too
def test_who_prints_prints_to_stderr(server: ServerProcess) -> None:
    assert server.request("workshop/print", {})["result"] == ""


def test_busy_handlers_do_not_stop_the_reading(server: ServerProcess) -> None:
    blocked = [server.ask("workshop/block", {}) for _ in range(BUSY)]
    assert server.request("workshop/echo", {"n": 1})["result"] == {"n": 1}
    assert server.request("workshop/release", {})["result"] is None
    assert [server.reply(each)["result"] for each in blocked] == [True] * BUSY


@pytest.mark.ordinary_too
def test_a_cancelled_request_is_answered(server: ServerProcess) -> None:
    msg_id = server.ask("workshop/forever", {})
    server.notify("$/cancelRequest", {"id": msg_id})
    assert server.reply(msg_id)["error"]["code"] == -32800


@pytest.mark.parametrize(
    "header",
    [
        b"hello\n\r\n\r\nContent-Length: many\r\n\r\nContent-Length: -5\r\n\r\n",
        b"Content-Length: 999999999999\r\n\r\n",
        b"\x00\xff" * 40_000,
        b"no line end",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
    ],
)
def test_junk_before_a_header_is_skipped(server: ServerProcess, header: bytes) -> None:
    server.send_bytes(header)
    assert server.request("workshop/echo", {"a": 1})["result"] == {"a": 1}


def test_the_form_of_a_header_is_free(server: ServerProcess) -> None:
    body = b'{"jsonrpc":"2.0","id":"x","method":"workshop/echo","params":[1]}'
    server.send_bytes(b"CONTENT-length:%d\n\n%s" % (len(body), body))
    assert server.reply("x")["result"] == [1]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe\xfd", b'{"jsonrpc": "2.0", '])
def test_a_junk_body_is_answered(server: ServerProcess, body: bytes) -> None:
    server.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert server.reply(None)["error"]["code"] == -32700
    assert server.request("workshop/echo", {"a": 1})["result"] == {"a": 1}


def test_unicode_and_keys_of_the_protocol_survive(server: ServerProcess) -> None:
    params = {"é": "😀\u2028\r\n", "jsonrpc": {"jsonrpc": "2.0", "id": 7, "method": "exit"}, "id": None}
    assert server.request("workshop/echo", params)["result"] == params


def test_a_big_payload_costs_little_more_than_its_json(server: ServerProcess) -> None:
    params = {
        "items": [{"name": f"item {n}", "range": {"start": {"line": n}, "end": {"line": n}}} for n in range(16_000)]
    }
    body = json.dumps(params)
    begun = time.process_time()
    json.loads(body)
    alone = time.process_time() - begun
    before = server.request("workshop/worked", {})["result"]
    assert server.request("workshop/echo", params)["result"] == params
    worked = server.request("workshop/worked", {})["result"] - before
    print(f"{len(body)} bytes: json.loads {alone * 1000:.0f} ms, there and back {worked * 1000:.0f} ms")  # noqa: T201 - shown when it fails
    # There and back are two loads and two dumps; a class for each object would be a hundred times as much.
    assert worked < 10 * alone + 1
