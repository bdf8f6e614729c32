"""Servers that speak the older protocol, with a stream of events, and those that npx has loaded."""

from __future__ import annotations

import json
import os
import queue
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, Self

import httpx
import pytest

from promptls.core.servers import ServerStart
from promptls.errors import ServerError
from promptls.kit.launch import Client
from promptls.wire.packages import loaded_by_npx
from promptls.wire.server_client import Told, ask

CLIENT = Client("x", "2024-11-05")


class Streaming(BaseHTTPRequestHandler):
    """A server that answers on a stream, as its path says."""

    waiting: ClassVar[queue.Queue[str | None]] = queue.Queue()
    seen: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.send_response(200 if "stream" in self.path else 404)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        if "stream" not in self.path:
            return
        where = "http://elsewhere.invalid/messages" if "elsewhere" in self.path else "/messages?session=1"
        self.wfile.write(b": hello\n\n" if "silent" in self.path else f"event: endpoint\ndata: {where}\n\n".encode())
        self.wfile.flush()
        while "silent" not in self.path and (text := self.waiting.get()) is not None:
            self.wfile.write(f"event: message\ndata: {text}\n\n".encode())
            self.wfile.flush()

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append((message["method"], self.headers.get("authorization", "")))
        if "id" in message:
            result: dict[str, Any] = {"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}
            if message["method"] == "initialize":
                result = {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "old"}}
            self.waiting.put(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
            self.waiting.put(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        self.send_response(202)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    Streaming.seen.clear()
    Streaming.waiting = queue.Queue()
    with ThreadingHTTPServer(("127.0.0.1", 0), Streaming) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        Streaming.waiting.put(None)
        server.shutdown()
        thread.join()


def asked(url: str) -> Told:
    start = ServerStart("old", "claude-code", "/w/.mcp.json", url=url, kind="sse", headers=("Authorization",))
    given = {"Authorization": "Bearer ${KEY}"}
    return ask(start, CLIENT, "1", cwd="/", workspace="/", env={"KEY": "k1"}, given=given, network=True)


def test_a_server_answers_on_its_stream(address: str) -> None:
    told = asked(f"{address}/stream")
    assert [each["name"] for each in told.answer["tools"]] == ["search"]
    assert told.server == {"name": "old"}
    assert Streaming.seen == [
        ("initialize", "Bearer k1"),
        ("notifications/initialized", "Bearer k1"),
        ("tools/list", "Bearer k1"),
    ]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("stream/elsewhere", "old sends its client to another host, which is not asked."),
        ("stream/silent", "old does not say where to ask; its address may be one of the newer protocol."),
        ("nothing", "old answers to the stream with status 404; check its address."),
    ],
)
def test_a_stream_that_is_none(path: str, says: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[httpx.Client] = []

    class Counted(httpx.Client):
        def __enter__(self) -> Self:
            opened.append(self)
            return super().__enter__()

    monkeypatch.setattr(httpx, "Client", Counted)
    with pytest.raises(ServerError) as error:
        asked(f"{address}/{path}")
    assert str(error.value) == says
    assert Streaming.seen == []
    assert [each.is_closed for each in opened] == [True]


def test_what_npx_has_loaded_is_started_by_itself(tmp_path: Path) -> None:
    modules = tmp_path / ".npm/_npx/ab12/node_modules"
    (modules / "@x/server/").mkdir(parents=True)
    (modules / ".bin").mkdir()
    (modules / ".bin/server").write_text("#!/usr/bin/env node\n", "utf-8")
    (modules / "@x/server/package.json").write_text(json.dumps({"bin": "dist/index.js"}), "utf-8")
    (modules.parent / "package.json").write_text(json.dumps({"_npx": {"packages": ["@x/server@1.2"]}}), "utf-8")
    home = os.fspath(tmp_path)
    found = loaded_by_npx(("/usr/bin/npx", "-y", "@x/server@1.2", "--port", "1"), home)
    assert found == (f"{home}/.npm/_npx/ab12/node_modules/.bin/server", "--port", "1")
    # Another version is another package, and other programs and options are not known.
    assert loaded_by_npx(("/usr/bin/npx", "-y", "@x/server"), home) is None
    assert loaded_by_npx(("/usr/bin/npx", "--package", "@x/server@1.2", "server"), home) is None
    assert loaded_by_npx(("/usr/bin/npx",), home) is None
    assert loaded_by_npx(("/usr/bin/node", "@x/server@1.2"), home) is None
