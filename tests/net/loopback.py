"""A web server on a loopback port whose answers a test sets, and changes."""

from __future__ import annotations

import queue
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BOUND = 30.0


@dataclass
class Answer:
    """``hold`` is waited for before the headers, ``hold_body`` between the two halves of the body;
    either for ``wait`` seconds at most. Requests that share a barrier wait for each other."""

    body: bytes = b"text"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    etag: str | None = None
    hold: threading.Event | threading.Barrier | None = None
    hold_body: threading.Event | None = None
    wait: float = BOUND


class Server:
    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        # Path and headers of every request, in the order they came.
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.arrived: queue.Queue[str] = queue.Queue()
        # How many requests waited for the first byte of an answer at once, now and at most.
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        self._gates: list[threading.Event] = []
        self._http = _Http(("127.0.0.1", 0), _handler(self))
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def url(self, path: str, answer: Answer | None = None) -> str:
        if answer is not None:
            self.answers[path] = answer
        return self.root + path

    def gate(self) -> threading.Event:
        """An event that is set when the test is over, if not before."""
        self._gates.append(threading.Event())
        return self._gates[-1]

    @contextmanager
    def waiting(self) -> Iterator[None]:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            with self._lock:
                self.at_once -= 1

    def close(self) -> None:
        for gate in self._gates:
            gate.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(BOUND)


class _Http(ThreadingHTTPServer):
    def server_bind(self) -> None:
        # Not HTTPServer's own: it looks up the name of the address.
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are part of the tests."""


def _wait(answer: Answer, gate: threading.Event | threading.Barrier | None) -> None:
    if gate is not None:
        gate.wait(answer.wait)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = server.answers.get(self.path, Answer(status=404))
            with server.waiting():
                server.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                server.arrived.put(self.path)
                _wait(answer, answer.hold)
            self._answer(answer)

        def _answer(self, answer: Answer) -> None:
            same = answer.etag is not None and self.headers.get("If-None-Match") == answer.etag
            self.send_response(304 if same else answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.etag is not None:
                self.send_header("ETag", answer.etag)
            if not same:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if not same:
                self._send_body(answer)

        def _send_body(self, answer: Answer) -> None:
            half = len(answer.body) // 2
            self.wfile.write(answer.body[:half])
            self.wfile.flush()
            _wait(answer, answer.hold_body)
            self.wfile.write(answer.body[half:])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has there
            """Say nothing."""

    return Handler


def closed_port() -> int:
    """A loopback port on which nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port
