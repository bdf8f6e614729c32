"""An editor around a real server process: frames on pipes, a time limit on every wait, stderr kept."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

LIMIT = 60.0
"""Seconds that any single step may take."""

PRODUCT = "from promptls.lsp.main import serve; serve()"
WORKSHOP = "from tests.lsp.workshop import serve; serve()"
"""The same server with handlers of the tests' own."""


class ServerProcess:
    """A server that runs; as a context manager it is killed at the end if it still does."""

    def __init__(self, code: str = PRODUCT, env: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        self._stderr = b""
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self._waiting: list[dict[str, Any]] = []
        self._count = itertools.count(1)
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        for stream in (self._stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def start(self) -> dict[str, Any]:
        """``initialize`` and ``initialized``."""
        reply = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})
        return reply

    def request(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and wait for its reply: the whole message."""
        return self.reply(self.ask(method, params))

    def ask(self, method: str, params: Any = None) -> int:
        """Send a request; returns its id."""
        msg_id = next(self._count)
        self.send({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})
        return msg_id

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Any) -> None:
        """Send any JSON."""
        body = json.dumps(message, ensure_ascii=False).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        """Send anything."""
        self._stdin.write(data)
        self._stdin.flush()

    def reply(self, msg_id: int | str | None) -> dict[str, Any]:
        """Wait for the reply to ``msg_id``."""
        while True:
            for message in self._waiting:
                if "method" not in message and message["id"] == msg_id:
                    self._waiting.remove(message)
                    return message
            self._waiting.append(self._messages.get(timeout=LIMIT))

    def end_input(self) -> None:
        """Close the server's standard input."""
        self._stdin.close()

    def code(self) -> int:
        """Wait for the end; the exit code."""
        code = self._process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        return code

    def rest(self) -> list[dict[str, Any]]:
        """What nobody took, junk between the messages too; only after the end."""
        return self._waiting + [self._messages.get_nowait() for _ in range(self._messages.qsize())]

    def stderr(self) -> str:
        """What was written to standard error; only after the end."""
        return self._stderr.decode()

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while line := stdout.readline():
            if not line.startswith(b"Content-Length: "):
                self._messages.put({"junk": line, "method": None})
                continue
            while stdout.readline().strip():
                pass  # other servers, which are measured against this one, send more headers
            self._messages.put(json.loads(stdout.read(int(line.split()[1]))))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._stderr = self._process.stderr.read()
