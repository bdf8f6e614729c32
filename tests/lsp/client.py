"""An editor in this process: speaks JSON to a server, and notices every message that nobody expected.

    client = Client(create())
    await client.start(capabilities={...}, folders=["/project"])
    client.open("file:///project/AGENTS.md", "text")
    assert await client.request("textDocument/hover", {...}) == {...}
    assert await client.next("textDocument/publishDiagnostics") == {...}
    client.finish()  # fails on whatever was not taken

Use the fixture ``client`` of conftest.py, which does the last step and looks at the log.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import os
from collections.abc import Callable
from typing import Any

from promptls.lsp.server import PromptServer
from promptls.lsp.stdio import message_bodies
from promptls.lsp.uris import uri_of

LIMIT = 60.0
"""Seconds that any single step may take."""

HERE = os.path.dirname(__file__)
PUBLISH = "textDocument/publishDiagnostics"


class ReplyError(Exception):
    """The server answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.keys = set(error)


def recorded(name: str) -> dict[str, Any]:
    """``clientInfo`` and ``capabilities`` of an editor: emacs, neovim and vscode as pytest-lsp has recorded them,
    emacs-28 and neovim-0.7 as those programs have sent them here, helix, zed and lsp4ij as their public sources say."""
    with open(os.path.join(HERE, "clients", f"{name}.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


class Client:
    """Drives one server. Replies go to who asked; everything else waits in ``inbox`` until it is taken."""

    def __init__(self, server: PromptServer) -> None:
        self.server = server
        self.inbox: list[dict[str, Any]] = []
        self.settings: dict[str, Any] = {}
        self.checks_folders = False
        """Whether the server may check whole folders; most tests are about one file."""
        self.watched: list[tuple[str, str]] = []
        """Base URI and pattern of each file watch, as registered last."""
        self.answers: dict[str, Callable[[Any], Any]] = {
            "workspace/configuration": lambda params: [self.settings for _ in params["items"]],
            "client/registerCapability": self._register,
            "client/unregisterCapability": lambda _: None,
        }
        """What to answer to requests of the server, by method; those without wait in ``inbox``."""
        # A test that neither pulls diagnostics nor waits for some is not about them.
        self._watches_diagnostics = False
        self._replies: dict[object, asyncio.Future[Any]] = {}
        self._count = itertools.count(1)
        self._versions: dict[str, int] = {}
        self._came = asyncio.Event()
        server.protocol.attach(self)

    # Towards the server.

    async def start(
        self,
        capabilities: dict[str, Any] | None = None,
        folders: list[str] | None = None,
        options: dict[str, Any] | None = None,
        **params: Any,
    ) -> Any:
        """``initialize`` and ``initialized``; ``folders`` are paths. Returns the result of the first."""
        # What a client that pulls is not sent: only one that can also be asked to pull again is left to pull.
        offered = capabilities or {}
        self._watches_diagnostics = "diagnostic" in offered.get("textDocument", {}) and offered.get(
            "workspace", {}
        ).get("diagnostics", {}).get("refreshSupport", False)
        if not self.checks_folders:
            options = {"checkWorkspace": False, **(options or {})}
        named = [{"uri": uri_of(path), "name": os.path.basename(path)} for path in folders or []]
        result = await self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": capabilities or {},
                "workspaceFolders": named,
                "initializationOptions": options,
                **params,
            },
        )
        await self.notify("initialized", {})
        return result

    async def request(self, method: str, params: Any = None) -> Any:
        """The result; raises ReplyError."""
        return await asyncio.wait_for(self.ask(method, params)[1], LIMIT)

    async def refusal(self, method: str, params: Any = None) -> ReplyError:
        """The error that ``method`` is answered with."""
        try:
            result = await self.request(method, params)
        except ReplyError as error:
            return error
        raise AssertionError(f"{method} was answered with {result!r}")

    def ask(self, method: str, params: Any = None) -> tuple[int, asyncio.Future[Any]]:
        """Send a request without waiting: its id, and the reply to come."""
        msg_id = next(self._count)
        self._replies[msg_id] = asyncio.get_running_loop().create_future()
        self.send({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})
        return msg_id, self._replies[msg_id]

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, and let async handlers take their first step."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})
        await asyncio.sleep(0)

    def send(self, message: Any) -> None:
        """Send any JSON."""
        self.server.protocol.receive_bytes(json.dumps(message).encode())

    # Documents.

    async def open(self, uri: str, text: str, language: str = "markdown") -> None:
        """textDocument/didOpen, as version 1."""
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        await self.notify("textDocument/didOpen", {"textDocument": item})

    async def change(self, uri: str, *changes: str | dict[str, Any]) -> None:
        """textDocument/didChange: whole texts, or changes as LSP writes them."""
        self._versions[uri] += 1
        item = {"uri": uri, "version": self._versions[uri]}
        edits = [{"text": each} if isinstance(each, str) else each for each in changes]
        await self.notify("textDocument/didChange", {"textDocument": item, "contentChanges": edits})

    async def close_document(self, uri: str) -> None:
        """textDocument/didClose."""
        await self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    # From the server.

    def write(self, data: bytes, /) -> None:
        """Take what the server writes."""
        for body in message_bodies(io.BytesIO(data)):
            self._receive(json.loads(body))

    def close(self) -> None:
        """The server hangs up."""

    def _register(self, params: Any) -> None:
        for registration in params["registrations"]:
            if registration["method"] == "workspace/didChangeWatchedFiles":
                watchers = registration["registerOptions"]["watchers"]
                self.watched = [(w["globPattern"]["baseUri"], w["globPattern"]["pattern"]) for w in watchers]

    async def next(self, method: str | None) -> Any:
        """The next message of ``method``, taken from the inbox: the params of a notification, the whole of
        a request; None takes errors that answer to no request."""
        self._watches_diagnostics = self._watches_diagnostics or method == PUBLISH
        async with asyncio.timeout(LIMIT):
            while True:
                for message in self.inbox:
                    if message.get("method") == method:
                        self.inbox.remove(message)
                        return message if method is None or "id" in message else message.get("params")
                self._came.clear()
                await self._came.wait()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for messages until ``condition`` holds."""
        async with asyncio.timeout(LIMIT):
            while not condition():
                self._came.clear()
                await self._came.wait()

    def answer(self, request: dict[str, Any], result: Any) -> None:
        """Answer a request of the server."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def finish(self) -> None:
        """Fail unless every reply came, once, and every message was taken."""
        missing = [msg_id for msg_id, reply in self._replies.items() if not reply.done()]
        assert not missing, f"no reply to the requests {missing}"
        left = [each for each in self.inbox if self._watches_diagnostics or each.get("method") != PUBLISH]
        assert not left, f"nobody took {left}"

    async def stop(self) -> None:
        """End what still runs in the server."""
        self.server.protocol.hang_up()
        self.server.fetch.close()
        running = [task for task in self.server.protocol._tasks if isinstance(task, asyncio.Future)]
        if running:
            await asyncio.wait(running, timeout=LIMIT)
        await asyncio.sleep(0)

    def _receive(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None and message.get("id") is not None:
            reply = self._replies[message["id"]]
            assert not reply.done(), f"a second reply: {message}"
            if "error" in message:
                reply.set_exception(ReplyError(message["error"]))
            else:
                reply.set_result(message["result"])
        elif "id" in message and method in self.answers:
            answer = self.answers[method](message.get("params"))
            asyncio.get_running_loop().call_soon(self.answer, message, answer)
        else:
            self.inbox.append(message)
        self._came.set()
