"""An editor that runs a program over its protocol: it starts a session, sends what is typed, and allows every call.

It takes the place of ``Screen``. Each line is a message, as JSON; what is none is taken for output.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, ClassVar

    from promptls.kit.launch import Protocol

    Message = dict[str, Any]

POLL = 0.05
# Characters of what it said last, and bytes that are read at once.
LAST, MOST = 2_000, 64 * 1024
# Bytes of one message; what is longer is passed over.
LONGEST = 16 * 1024 * 1024
# Seconds for which a program that reads nothing holds up a message.
PATIENCE = 10.0
ITSELF = {"name": "promptls", "title": "promptls", "version": "1"}
# What stands for the text that an editor adds to the program's own.
OWN_TEXT = "What the editor adds."


class Editor:
    """The editor's side of the pipes; ``given`` are the program's ends of them."""

    def __init__(self, protocol: Protocol, cwd: str, chosen: Sequence[str]) -> None:
        reads, self._to = os.pipe()
        os.set_blocking(self._to, False)
        self._from, writes = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open until the program has ended
        self._ends: tuple[int, ...] = (reads, writes)
        self.given = (reads, writes, self._errors.fileno())
        self._speaks = PROTOCOLS[protocol](self, cwd, chosen)
        self._said = ""
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._answers: dict[object, Message] = {}
        self._has_begun = False
        self._is_free = True
        self._is_closed = False
        self._count = 0

    # -- as the runner leads it ----------------------------------------------------------------------------------

    def give(self) -> None:
        """The program has its ends."""
        for end in self._ends:
            os.close(end)
        self._ends = ()

    def press(self, _keys: list[str], _has_ended: Callable[[], bool], _until: float) -> None:
        """An editor has no keys of the program."""

    def again(self) -> None:
        """What was sent has arrived."""

    def type(self, text: str, has_ended: Callable[[], bool], until: float) -> None:
        """Send a prompt, when the one before has been answered."""

        def is_over() -> bool:
            return self._is_closed or has_ended() or time.monotonic() > until

        if not self._has_begun:
            self._has_begun = True
            self._speaks.begin(is_over)
        while not self._is_free and not is_over():
            self._wait()
        self._is_free = False
        self._speaks.prompt(text)

    def listen(self, heard: Callable[[bytes], None]) -> None:
        """Read what the program says, and answer what it asks, until it ends."""
        line = b""
        while data := self._read():
            heard(data)
            *lines, rest = (line + data).split(b"\n")
            line = rest[:LONGEST]
            for each in lines:
                self._take(each)
        self._is_closed = True
        self._tell()

    @property
    def output(self) -> str:
        """What it said last that is no message."""
        with contextlib.suppress(OSError, ValueError):
            errors = self._errors.fileno()
            at = max(os.fstat(errors).st_size - LAST, 0)
            return (self._said + os.pread(errors, LAST, at).decode("utf-8", "replace"))[-LAST:]
        return self._said

    def close(self) -> None:
        """Give everything back; the program has ended."""
        self._is_closed = True
        self.give()
        for end in (self._to, self._from):
            with contextlib.suppress(OSError):
                os.close(end)
        self._errors.close()

    # -- for the protocols -----------------------------------------------------------------------------------------

    def send(self, message: Message) -> None:
        """Send a message; a program that is gone gets none, and one that reads nothing not all of it."""
        data, until = json.dumps(message).encode() + b"\n", time.monotonic() + PATIENCE
        with self._sending, contextlib.suppress(OSError):
            while data and not self._is_closed and time.monotonic() < until:
                try:
                    data = data[os.write(self._to, data) :]
                except BlockingIOError:
                    time.sleep(POLL)

    def next_id(self) -> int:
        """The identifier of a request."""
        self._count += 1
        return self._count

    def answered(self, request: object, answer: Message) -> None:
        """There is an answer to a request."""
        if isinstance(request, (int, str)):
            self._answers[request] = answer
            self._tell()

    def answer_to(self, request: object, is_over: Callable[[], bool]) -> Message:
        """The answer to a request; empty where none has come in time."""
        while request not in self._answers and not is_over():
            self._wait()
        return self._answers.get(request, {})

    def is_free(self) -> None:
        """The last prompt has been answered."""
        self._is_free = True
        self._tell()

    def _tell(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(self) -> None:
        with self._changed:
            self._changed.wait(POLL)

    def _read(self) -> bytes:
        try:
            return os.read(self._from, MOST)
        except OSError:
            return b""

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict):
            self._speaks.take(message)
        else:
            self._said = (self._said + line.decode("utf-8", "replace") + "\n")[-LAST:]


class _Rpc:
    """JSON-RPC; ``begins`` is what each message begins with."""

    begins: ClassVar[Message] = {}
    # Of the notification that ends a turn, where the answer to the request for it does not.
    ends: ClassVar[str] = ""

    def __init__(self, editor: Editor, cwd: str, chosen: Sequence[str]) -> None:
        self._editor, self._cwd, self._chosen = editor, cwd, chosen
        self._session = ""
        self._turn = 0

    def _ask(self, method: str, params: Message, is_over: Callable[[], bool]) -> Message:
        answer = self._editor.answer_to(self._request(method, params), is_over).get("result")
        return answer if isinstance(answer, dict) else {}

    def _request(self, method: str, params: Message) -> int:
        name = self._editor.next_id()
        self._editor.send({**self.begins, "id": name, "method": method, "params": params})
        return name

    def take(self, message: Message) -> None:
        """Take a message of the program."""
        method, name = message.get("method"), message.get("id")
        if method is None:
            self._editor.answered(name, message)
            if name == self._turn and not self.ends:
                self._editor.is_free()
        elif name is not None:
            params = message.get("params")
            result = self._allowed(params if isinstance(params, dict) else {})
            said = {"result": result} if result is not None else {"error": {"code": -32601, "message": "not known"}}
            self._editor.send({**self.begins, "id": name, **said})
        elif method == self.ends:
            self._editor.is_free()

    def _allowed(self, params: Message) -> Message | None:
        raise NotImplementedError


class _Acp(_Rpc):
    """Agent Client Protocol, version 1."""

    begins: ClassVar[Message] = {"jsonrpc": "2.0"}

    def begin(self, is_over: Callable[[], bool]) -> None:
        """Start a session."""
        can = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        self._ask("initialize", {"protocolVersion": 1, "clientCapabilities": can, "clientInfo": ITSELF}, is_over)
        session = self._ask("session/new", {"cwd": self._cwd, "mcpServers": []}, is_over)
        self._session = str(session.get("sessionId", ""))
        for option, value in self._choices(session):
            # Some programs have their modes in both lists.
            method = "session/set_config_option" if option else "session/set_mode"
            says = {"configId": option, "value": value} if option else {"modeId": value}
            self._ask(method, {"sessionId": self._session, **says}, is_over)

    def _choices(self, session: Message) -> Iterator[tuple[str, str]]:
        """What the program lets an editor choose that is to be chosen: the option, "" for a mode, and its value."""
        found = [(each.get("id"), each.get("options"), "value") for each in _objects(session.get("configOptions"))]
        if not found and isinstance(modes := session.get("modes"), dict):
            found = [("", modes.get("availableModes"), "id")]
        for option, values, key in found:
            for each in _objects(values):
                value = each.get(key)
                # Some name a mode by a URL.
                if isinstance(option, str) and isinstance(value, str) and value.rpartition("#")[2] in self._chosen:
                    yield option, value

    def prompt(self, text: str) -> None:
        """Send a prompt."""
        told = {"sessionId": self._session, "prompt": [{"type": "text", "text": text}]}
        self._turn = self._request("session/prompt", told)

    def _allowed(self, params: Message) -> Message | None:
        options = params.get("options")
        first = options[0] if isinstance(options, list) and options else None
        if not isinstance(first, dict):
            return None
        return {"outcome": {"outcome": "selected", "optionId": first.get("optionId")}}


class _AppServer(_Rpc):
    """JSON-RPC without its version: a thread has turns, and each says in which mode it is."""

    ends: ClassVar[str] = "turn/completed"
    _mode: Message

    def begin(self, is_over: Callable[[], bool]) -> None:
        """Start a thread."""
        told = {"clientInfo": ITSELF, "capabilities": {"experimentalApi": True}}
        self._ask("initialize", told, is_over)
        self._editor.send({"method": "initialized"})
        started = self._ask("thread/start", {"cwd": self._cwd}, is_over)
        thread = started.get("thread")
        self._session = str(thread.get("id", "")) if isinstance(thread, dict) else ""
        # Its own editors say so with each turn.
        mode = "plan" if "plan" in self._chosen else "default"
        settings = {"model": started.get("model"), "developer_instructions": None}
        self._mode = {"mode": mode, "settings": settings}

    def prompt(self, text: str) -> None:
        """Start a turn."""
        own: Message = {"threadId": self._session}
        if text == "/compact":
            self._turn = self._request("thread/compact/start", own)
        elif "review" in self._chosen:
            self._turn = self._request("review/start", {**own, "target": {"type": "custom", "instructions": text}})
        else:
            said = [{"type": "text", "text": text, "text_elements": []}]
            self._turn = self._request("turn/start", {**own, "input": said, "collaborationMode": self._mode})

    def _allowed(self, _params: Message) -> Message | None:
        return {"decision": "accept"}


class _StreamJson:
    """A line for each message, and for each question of either side."""

    def __init__(self, editor: Editor, _cwd: str, _chosen: Sequence[str]) -> None:
        self._editor = editor

    def begin(self, is_over: Callable[[], bool]) -> None:
        """Say what the editor adds."""
        told = {"subtype": "initialize", "hooks": None, "appendSystemPrompt": OWN_TEXT}
        name = f"request-{self._editor.next_id()}"
        self._editor.send({"type": "control_request", "request_id": name, "request": told})
        self._editor.answer_to(name, is_over)

    def prompt(self, text: str) -> None:
        """Send a prompt."""
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        self._editor.send({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": ""})

    def take(self, message: Message) -> None:
        """Take a message of the program."""
        kind, said = message.get("type"), message.get("response")
        if kind == "control_response" and isinstance(said, dict):
            self._editor.answered(said.get("request_id"), said)
        elif kind == "control_request":
            asked = message.get("request")
            given = asked.get("input") if isinstance(asked, dict) else None
            allowed = {"behavior": "allow", "updatedInput": given or {}}
            answer = {"subtype": "success", "request_id": message.get("request_id"), "response": allowed}
            self._editor.send({"type": "control_response", "response": answer})
        elif kind == "result":
            self._editor.is_free()


def _objects(value: object) -> list[Message]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


PROTOCOLS: dict[Protocol, Callable[[Editor, str, Sequence[str]], _Acp | _AppServer | _StreamJson]] = {
    "acp": _Acp,
    "app-server": _AppServer,
    "stream-json": _StreamJson,
}
