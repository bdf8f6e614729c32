"""A stand-in for a model server, on 127.0.0.1: it remembers the requests that it gets and answers each at once.

Nothing is forwarded and nothing is kept on disk. Headers, where keys are, are forgotten; so is the query of a path.
As a proxy it refuses each address and remembers its host.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from promptls.core.values import dataclass
from promptls.errors import UsageError
from promptls.net.packed import BrokenError, CodingError, Unpacker
from promptls.wire import augment
from promptls.wire.reading import plain_call, reading_call
from promptls.wire.replies import TEXT, Given, reply
from promptls.wire.request_formats import format_of, model_of, offered, request_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from promptls.wire.replies import ToolCall
    from promptls.wire.request_formats import Format, Offered, RequestBlock

HOST = "127.0.0.1"
# Bytes of a request's body, and of those that are remembered together.
MOST_BODY = 32 * 1024 * 1024
MOST_TOGETHER = 128 * 1024 * 1024
MOST_REQUESTS = 500
MOST_CONNECTIONS = 64
MOST_HOSTS = 50
# Characters of a path that are remembered, and of a line that gives the size of a chunk.
LONGEST_PATH = 200
LONGEST_LINE = 100
# Seconds that a connection may be silent.
PATIENCE = 30.0
# Seconds that an answer waits for its turn, at most.
WAITS = 120.0
# Seconds between looks whether to end.
POLL = 0.05


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it came: ``kind`` is None where it is not in a format that is known.

    ``is_main``: it offers the tools that only an agent's own request does. ``path`` has no query.
    """

    method: str
    path: str
    kind: Format | None = None
    body: Any = None
    model: str | None = None
    is_main: bool = False

    @property
    def blocks(self) -> tuple[RequestBlock, ...]:
        """Its messages, block by block."""
        return request_blocks(self.kind, self.body) if self.kind is not None else ()

    @property
    def offered(self) -> tuple[Offered, ...]:
        """The tools that it offers."""
        return offered(self.kind, self.body) if self.kind is not None else ()


@dataclass(frozen=True, slots=True)
class Step:
    """A call that an answer makes: of the first of the ``ways`` of which a request offers the tool.

    ``read``: a file that is read, by a tool of which nothing is known but its name (``reading.py``). ``ends``: the tool
    that a sub-agent ends with, whatever it wants to be told.
    """

    ways: tuple[ToolCall, ...] = ()
    read: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """An answer: its calls, else ``text``; fields as in ``answers.Answer``. ``is_summary``: any request gets it."""

    steps: tuple[Step, ...] = ()
    text: str = TEXT
    tokens: int = 1
    depth: int = 0
    starts: bool = False
    is_summary: bool = False
    stays: bool = False
    task: str = ""
    others: Sequence[str] = ()


class Recorder:
    """What is remembered, and what is answered. Used by several threads at once.

    A request that comes before its turn, of a session that need not wait for the sub-agent that it started, is answered
    when it is its turn, as by a model that takes its time, and counts from then on.
    """

    def __init__(
        self,
        steps: Sequence[Planned] = (),
        *,
        main_tools: Sequence[str] = (),
        aside: str = TEXT,
        asks: str = "",
        tasks: str = "",
        progress: str = "",
        heard: Callable[[Recorded], None] = lambda _: None,
    ) -> None:
        """``steps``: the answers; ``heard`` gets each request, one after the other.

        ``main_tools``: a request is a main one if it offers one of these; without any, if it offers a tool at all.
        With ``*``, every request to a model is one. ``aside``: the answer to all others.
        ``asks``: an expression for what asks for a summary, if others are sent meanwhile: these wait for its answer.
        ``tasks``: one for what a request has once for each sub-agent that it is inside of, where it may have the call
        that started it, too.
        ``progress``: one for what is no main request, whatever it offers. It is not answered: when it comes depends on
        the time, and its answer would stand in later requests.
        """
        self.requests: list[Recorded] = []
        self.hosts: list[str] = []
        self.changed = threading.Condition()
        self._is_over = False
        self._steps = list(steps)
        self._main_tools = frozenset(main_tools)
        self._aside = Given(text=aside)
        self._asks = asks
        self._tasks = tasks
        self._progress = progress
        self._heard = heard
        self._size = 0
        self._number = 0
        # How many answers may be given now.
        self._open = len(self._steps)
        # The ids of the calls that started the sub-agents that are at work, the outermost first.
        self._starters: list[str] = []

    @property
    def mains(self) -> list[Recorded]:
        """The main requests so far."""
        return [each for each in self.requests if each.is_main]

    def take(self, method: str, path: str, body: Any, size: int) -> tuple[str, bytes] | None:
        """Remember a request of ``size`` bytes; what to answer, None where the format is not known."""
        kind = format_of(path) if method == "POST" else None
        names = [each.name for each in offered(kind, body)] if kind is not None else []
        is_main = bool(self._main_tools.intersection(names)) if self._main_tools else bool(names)
        is_main = is_main or (kind is not None and "*" in self._main_tools)
        is_aside = bool(self._progress) and re.search(self._progress, json.dumps(body)) is not None
        is_main = is_main and not is_aside
        plain = path.partition("?")[0][:LONGEST_PATH]
        with self.changed:
            if kind is not None and self._is_early(kind, body, is_main=is_main):
                self.changed.wait_for(lambda: not self._is_early(kind, body, is_main=is_main), WAITS)
            self._number += 1
            number = self._number
            asks_for_summary = bool(self._steps) and self._steps[0].is_summary and self._open > 0
            is_main = kind is not None and (is_main or (asks_for_summary and not is_aside))
            given = self._next_answer(kind, body, names, number) if is_main else self._aside
            if len(self.requests) < MOST_REQUESTS and self._size + size <= MOST_TOGETHER:
                self._size += size
                model = model_of(kind, path, body) if kind is not None else None
                recorded = Recorded(method, plain, kind, body, model, is_main)
                self.requests.append(recorded)
                self._heard(recorded)
            self.changed.notify_all()
            if given.stays or (kind is not None and is_aside):
                self.changed.wait_for(lambda: self._is_over)
        return reply(kind, path, body, given, number) if kind is not None else None

    def allow(self, count: int) -> None:
        """Give only so many of the answers that are left, until more are allowed: the others are to later prompts."""
        with self.changed:
            self._open = count

    def end(self) -> None:
        """Let go of requests that nobody answers."""
        with self.changed:
            self._is_over = True
            self.changed.notify_all()

    def refuse(self, address: str) -> None:
        """Remember the host that somebody wanted to reach through this server."""
        host = address.rpartition("://")[2].partition("/")[0].rpartition("@")[2][:LONGEST_PATH]
        with self.changed:
            if host not in self.hosts and len(self.hosts) < MOST_HOSTS:
                self.hosts.append(host)

    def _is_early(self, kind: Format, body: Any, *, is_main: bool) -> bool:
        """Whether another is to ask first: one beside it, or its sub-agent, the call for which is in it."""
        head = self._steps[0] if self._steps else Planned()
        if self._asks and is_main and head.is_summary and self._open > 0:
            return not re.search(self._asks, json.dumps(body))
        if is_main and head.others and _is_of_another(head, kind, body):
            return True
        starters = [*filter(None, self._starters[: head.depth])] if is_main else []
        if self._tasks and starters and len(re.findall(self._tasks, _user_text(kind, body))) >= head.depth:
            return False
        said = json.dumps(body) if starters else ""
        return any(each in said for each in starters)

    def _next_answer(self, kind: Format | None, body: Any, names: Sequence[str], number: int) -> Given:
        """The next answer, if the tools of its calls are offered; otherwise it waits. It may have no call."""
        if not self._steps or not self._open:
            return Given()
        wanted = self._steps[0]
        calls = [call for step in wanted.steps if (call := _call(step, kind, body, names)) is not None]
        if wanted.steps and not calls:
            return Given()
        del self._steps[0]
        self._open -= 1
        del self._starters[wanted.depth :]
        self._starters += [""] * (wanted.depth - len(self._starters))
        self._starters.append(f"_{number}_0" if wanted.starts else "")
        return Given(calls, wanted.text, wanted.tokens, stays=wanted.stays)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # On Windows it would take a port from another program.
    allow_reuse_address = os.name == "posix"

    def __init__(self, port: int, recorder: Recorder, listener: socket.socket | None) -> None:
        self.recorder = recorder
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), _Handler, bind_and_activate=listener is None)
        if listener is not None:
            self.socket.close()
            self.socket = listener
            self._named()

    def server_bind(self) -> None:
        # The one of HTTPServer asks for the name of the address, which takes long where there is no network.
        self.socket.bind(self.server_address)
        self._named()

    def _named(self) -> None:
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = HOST, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, _request: Any, _client_address: Any) -> None:
        """A client that goes away, or sends no HTTP, is not worth a word."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE
    connection: socket.socket

    def log_message(self, *_: object) -> None:
        """Nothing is logged: a path can hold a key."""

    def __getattr__(self, name: str) -> Callable[[], None]:
        # Whatever the method is, it is answered.
        if name == "do_CONNECT":
            return self._refuse
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _refuse(self) -> None:
        self.server.recorder.refuse(self.path)
        self.close_connection = True
        self._send(403, b"")

    def _answer(self) -> None:
        if "://" in self.path:
            self._refuse()
            return
        data = self._body()
        if data is None:
            self.close_connection = True
            self._send(413, _error("the request is too large, or its headers do not match its body"))
            return
        try:
            body = json.loads(data) if data else None
        except (ValueError, RecursionError):
            body = None
        answer = self.server.recorder.take(self.command, self.path, body, len(data))
        if answer is not None:
            self._send(200, answer[1], answer[0])
        else:
            status, text = _aside(self.command, self.path.partition("?")[0])
            self._send(status, text)

    def _body(self) -> bytes | None:
        """The body, unpacked; None if it is too large or broken."""
        try:
            unpacker = Unpacker(self.headers.get("content-encoding", ""))
            packed = self._chunks() if "chunked" in self.headers.get("transfer-encoding", "").lower() else self._whole()
            if packed is None:
                return None
            data = unpacker.unpack(packed, MOST_BODY + 1)
        except (BrokenError, CodingError, ValueError):
            return None
        return data if len(data) <= MOST_BODY else None

    def _whole(self) -> bytes | None:
        size = int(self.headers.get("content-length") or 0)
        return self.rfile.read(size) if 0 <= size <= MOST_BODY else None

    def _chunks(self) -> bytes | None:
        found: list[bytes] = []
        left = MOST_BODY
        while size := int(self.rfile.readline(LONGEST_LINE).partition(b";")[0], 16):
            if not 0 < size <= left:
                return None
            left -= size
            found.append(self.rfile.read(size))
            self.rfile.readline(LONGEST_LINE)
        self.rfile.readline(LONGEST_LINE)
        return b"".join(found)

    def _send(self, status: int, data: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextlib.contextmanager
def serving(recorder: Recorder, port: int = 0, *, listener: socket.socket | None = None) -> Iterator[int]:
    """Let ``recorder`` work on ``port``, or for 0 on one that is free, or on a socket that listens; gives the port.

    Raises:
        UsageError: the port cannot be used.
    """
    try:
        server = _Server(port, recorder, listener)
    except OSError as error:
        why = "is already in use" if error.errno == errno.EADDRINUSE else "cannot be used"
        raise UsageError(f"The port {port} {why}; choose another one.") from None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": POLL}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        recorder.end()
        server.shutdown()
        server.server_close()


def _is_of_another(planned: Planned, kind: Format, body: Any) -> bool:
    """Whether a request has the task of another sub-agent than the one that is answered next."""
    said = _user_text(kind, body)
    own = said.count(planned.task)
    return any(said.count(other) > own for other in planned.others)


def _user_text(kind: Format, body: Any) -> str:
    """What is said in a request, but not by the program, which may describe it, and not by the model."""
    own = ("system", "developer", "assistant")
    return "\n".join(each.text for each in request_blocks(kind, body) if each.role not in own)


def _call(step: Step, kind: Format | None, body: Any, names: Sequence[str]) -> ToolCall | None:
    """The call of a step that a request can be answered with."""
    if step.read and kind is not None:
        return reading_call(kind, body, step.read)
    if step.ends and kind is not None:
        return plain_call(kind, body, step.ends)
    # Some programs offer the tools of a namespace as one.
    return next((way for way in step.ways if way.name in names or way.name.rpartition("/")[0] in names), None)


def _aside(method: str, path: str) -> tuple[int, bytes]:
    """The answer to what is no request to a model.

    Nothing is counted in Anthropic's format: by a wrong number, a program takes a large file for a small one.
    """
    if path.endswith(":countTokens"):
        return 200, b'{"totalTokens": 1}'
    if method == "GET" and path.endswith("/api/v0/models"):
        # LM Studio says which models it has, and how much each can hold.
        model = {"id": "stub", "object": "model", "type": "llm", "state": "loaded", "max_context_length": 200_000}
        return 200, json.dumps({"object": "list", "data": [model]}).encode()
    if path.endswith("/get-models"):
        return 200, json.dumps(augment.MODELS).encode()
    if method == "GET" and path.endswith("/models"):
        return 200, b'{"object": "list", "data": [], "models": []}'
    return 404, _error("there is nothing here: this server records requests")


def _error(message: str) -> bytes:
    return json.dumps({"error": {"type": "not_found_error", "message": message}}).encode()
