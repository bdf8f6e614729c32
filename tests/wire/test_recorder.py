"""The recording server, as programs use it."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from promptls.errors import UsageError
from promptls.wire import recorder as module
from promptls.wire.recorder import Planned, Recorder, Step, serving
from promptls.wire.replies import ToolCall

CANARY = "canary-7f3a"
READ = Step((ToolCall("Read", {"file_path": "/a"}),))


class Client:
    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path: str, body: Any = None, headers: dict[str, str] | None = None, method: str = "POST") -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, data, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture
def recorder() -> Recorder:
    return Recorder([Planned((READ,))], main_tools=["Read"])


@pytest.fixture
def client(recorder: Recorder) -> Iterator[Client]:
    with serving(recorder) as port:
        yield Client(port)


def test_only_a_main_request_is_answered_with_the_call(recorder: Recorder, client: Client) -> None:
    asked = {"messages": [{"role": "user", "content": "title"}]}
    assert "Read" not in client.ask("/v1/messages", asked)[1]
    assert "Read" not in client.ask("/v1/messages", {**asked, "tools": [{"name": "Other"}]})[1]
    main = {**asked, "tools": [{"name": "Read"}]}
    assert "Read" in client.ask("/v1/messages", main)[1]
    assert "Read" not in client.ask("/v1/messages", main)[1], "the step is used up"
    assert [each.is_main for each in recorder.requests] == [False, False, True, True]


def test_keys_are_forgotten(recorder: Recorder, client: Client) -> None:
    headers = dict.fromkeys(("authorization", "x-api-key", "x-goog-api-key", "cookie"), CANARY)
    client.ask(f"/v1beta/models/m:generateContent?key={CANARY}", {"contents": []}, headers)
    client.ask(f"/nothing?api_key={CANARY}", None, headers, "GET")
    assert len(recorder.requests) == 2
    assert CANARY not in repr(recorder.requests)


@pytest.mark.parametrize("coding", ["gzip", "chunked"])
def test_a_body_comes_packed_or_in_chunks(recorder: Recorder, client: Client, coding: str) -> None:
    data = json.dumps({"messages": [{"role": "user", "content": "héllo"}]}).encode()
    if coding == "gzip":
        client.ask("/v1/messages", gzip.compress(data), {"content-encoding": "gzip"})
    else:
        packed = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:7], data[7:])) + b"0\r\n\r\n"
        head = b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        assert _raw(client.port, head + packed).startswith(b"HTTP/1.1 200")
    assert recorder.requests[0].blocks[0].text == "héllo"


@pytest.mark.parametrize(
    ("path", "method", "status", "text"),
    [
        ("/v1/messages/count_tokens", "POST", 404, "nothing here"),
        ("/v1beta/models/m:countTokens", "POST", 200, "totalTokens"),
        ("/v1/models", "GET", 200, "data"),
        ("/api/hello", "HEAD", 404, ""),
        ("/npm/x", "GET", 404, "nothing here"),
        ("/x", "PROPFIND", 404, "nothing here"),
    ],
)
def test_side_requests(client: Client, path: str, method: str, status: int, text: str) -> None:
    found = client.ask(path, None, None, method)
    assert found[0] == status
    assert text in found[1]


def test_as_a_proxy_it_refuses_and_remembers_the_host(recorder: Recorder, client: Client) -> None:
    assert client.ask(f"http://u:{CANARY}@example.invalid/x?{CANARY}", None, None, "GET")[0] == 403
    assert _raw(client.port, b"CONNECT other.invalid:443 HTTP/1.1\r\nhost: x\r\n\r\n").startswith(b"HTTP/1.1 403")
    assert recorder.hosts == ["example.invalid", "other.invalid:443"]
    assert recorder.requests == []


@pytest.mark.parametrize(
    "data",
    [
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: -5\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffff\r\n",
        b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/messages HTTP/1.1\r\ncontent-encoding: br\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /v1/messages HTTP/1.1\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
    ],
)
def test_a_request_that_is_broken_is_refused(recorder: Recorder, client: Client, data: bytes) -> None:
    assert _raw(client.port, data).startswith(b"HTTP/1.1 413")
    assert recorder.requests == []
    assert client.ask("/v1/models", None, None, "GET")[0] == 200, "it goes on"


def test_a_body_that_grows_is_cut_off(recorder: Recorder, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BODY", 1000)
    assert client.ask("/v1/messages", gzip.compress(b" " * 2000), {"content-encoding": "gzip"})[0] == 413
    assert recorder.requests == []


def test_what_is_remembered_is_limited(recorder: Recorder, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TOGETHER", 100)
    for _ in range(3):
        assert client.ask("/v1/messages", {"x": "y" * 40})[0] == 200
    assert len(recorder.requests) == 2


def test_a_body_that_is_no_json_is_no_matter(recorder: Recorder, client: Client) -> None:
    for data in (b"\xff", b"[" * 100_000, b"5", b""):
        assert client.ask("/v1/chat/completions", data)[0] == 200
    assert [each.blocks for each in recorder.requests] == [()] * 4


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"The port {port} is already in use"), serving(Recorder(), port):
            pass


def _raw(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return connection.recv(65536)


def test_a_session_that_need_not_wait_is_answered_after_its_sub_agent() -> None:
    spawn = Step((ToolCall("Read", {"task": "t"}),))
    planned = [Planned((spawn,), starts=True), Planned(text="first", depth=1), Planned(text="second")]
    recorder = Recorder(planned, main_tools=["Read"])
    told: list[str] = []
    with serving(recorder) as port:
        client = Client(port)
        main = {"messages": [{"role": "user", "content": "go on"}], "tools": [{"name": "Read"}]}
        started = json.loads(client.ask("/v1/messages", main)[1])["content"][0]
        later = {**main, "messages": [*main["messages"], {"role": "assistant", "content": [started]}]}
        waiting = threading.Thread(target=lambda: told.append(client.ask("/v1/messages", later)[1]))
        waiting.start()
        assert "first" in client.ask("/v1/messages", {**main, "messages": [{"role": "user", "content": "t"}]})[1]
        waiting.join(60)
    assert "second" in told[0]
    assert [len(each.body["messages"]) for each in recorder.mains] == [1, 1, 2]


def test_a_sub_agent_with_the_history_of_its_session_asks_first() -> None:
    """It has the call that started it; its task tells it from the session, which waits."""
    spawn = Step((ToolCall("Read", {"task": "t"}),))
    planned = [Planned((spawn,), starts=True), Planned(text="first", depth=1), Planned(text="second")]
    recorder = Recorder(planned, main_tools=["Read"], tasks="NEW_TASK")
    told: list[str] = []
    with serving(recorder) as port:
        client = Client(port)
        about = "A sub-agent is told NEW_TASK."
        main = {"system": about, "messages": [{"role": "user", "content": "go on"}], "tools": [{"name": "Read"}]}
        started = json.loads(client.ask("/v1/messages", main)[1])["content"][0]
        said = [*main["messages"], {"role": "assistant", "content": [started]}]
        later = {**main, "messages": said}
        waiting = threading.Thread(target=lambda: told.append(client.ask("/v1/messages", later)[1]))
        waiting.start()
        forked = {**main, "messages": [*said, {"role": "user", "content": "NEW_TASK: t"}]}
        assert "first" in client.ask("/v1/messages", forked)[1]
        waiting.join(60)
    assert "second" in told[0]


def test_sub_agents_of_one_step_are_told_apart_by_their_tasks() -> None:
    planned = [Planned(text="one", depth=1, task="do a", others=["do b"]), Planned(text="two", depth=1)]
    recorder = Recorder(planned, main_tools=["Read"])
    told: list[str] = []

    def asking(*said: str) -> dict[str, object]:
        return {"messages": [{"role": "user", "content": each} for each in said], "tools": [{"name": "Read"}]}

    with serving(recorder) as port:
        client = Client(port)
        waiting = threading.Thread(target=lambda: told.append(client.ask("/v1/messages", asking("do b"))[1]))
        waiting.start()
        # What both of them copy tells nothing.
        assert "one" in client.ask("/v1/messages", asking("do b, do a", "do a"))[1]
        waiting.join(60)
    assert "two" in told[0]


def test_a_sub_agent_ends_with_the_tool_that_it_has_for_that() -> None:
    found = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
    wanted = {"type": "object", "properties": {"report": found, "more": {"type": "string"}}, "required": ["report"]}
    recorder = Recorder([Planned((Step(ends="done"),))], main_tools=["done"])
    with serving(recorder) as port:
        asked = {"messages": [{"role": "user", "content": "t"}], "tools": [{"name": "done", "input_schema": wanted}]}
        call = json.loads(Client(port).ask("/v1/messages", asked)[1])["content"][0]
    assert call["input"] == {"report": {"place": "x"}}


def test_a_session_waits_for_the_sub_agent_of_its_sub_agent() -> None:
    spawn = Step((ToolCall("Read", {"task": "t"}),))
    planned = [Planned((spawn,), starts=True), Planned((spawn,), depth=1, starts=True), Planned(text="inner", depth=2)]
    recorder = Recorder([*planned, Planned(text="outer", depth=1)], main_tools=["Read"])
    with serving(recorder) as port:
        client = Client(port)
        main = {"messages": [{"role": "user", "content": "go on"}], "tools": [{"name": "Read"}]}
        started = json.loads(client.ask("/v1/messages", main)[1])["content"][0]
        client.ask("/v1/messages", main)
        later = {**main, "messages": [*main["messages"], {"role": "assistant", "content": [started]}]}
        waiting = threading.Thread(target=client.ask, args=("/v1/messages", later), daemon=True)
        waiting.start()
        assert "inner" in client.ask("/v1/messages", main)[1]
        assert "outer" in client.ask("/v1/messages", main)[1]
        waiting.join(60)
    assert len(recorder.mains) == 5


def test_a_sub_agent_that_stays_is_heard_and_not_answered() -> None:
    recorder = Recorder([Planned(stays=True), Planned(text="then")], main_tools=["Read"])
    main = {"messages": [{"role": "user", "content": "t"}], "tools": [{"name": "Read"}]}
    with serving(recorder) as port:
        client, told = Client(port), list[str]()
        asking = threading.Thread(target=lambda: told.append(client.ask("/v1/messages", main)[1]))
        asking.start()
        with recorder.changed:
            assert recorder.changed.wait_for(lambda: recorder.mains, 60)
        assert "then" in client.ask("/v1/messages", main)[1]
        assert not told
    # It is let go of when the recorder ends.
    asking.join(60)
    assert not asking.is_alive()
    assert len(recorder.mains) == 2


def test_a_request_beside_the_session_is_none_of_its_own() -> None:
    recorder = Recorder([Planned(text="sum", is_summary=True)], main_tools=["Read"], progress="what are you doing")
    asked = {"messages": [{"role": "user", "content": "what are you doing"}], "tools": [{"name": "Read"}]}
    told = list[str]()
    with serving(recorder) as port:
        asking = threading.Thread(target=lambda: told.append(Client(port).ask("/v1/messages", asked)[1]))
        asking.start()
        with recorder.changed:
            assert recorder.changed.wait_for(lambda: recorder.requests, 60)
        # What it is answered would stand in later requests of the session.
        assert not told
    asking.join(60)
    assert "sum" not in told[0]
    assert not recorder.mains


def test_a_summary_is_given_to_any_request_once_it_is_its_turn() -> None:
    recorder = Recorder([Planned(), Planned(text="sum", is_summary=True), Planned(text="then")], main_tools=["Read"])
    with serving(recorder) as port:
        client = Client(port)
        plain: dict[str, Any] = {"messages": [{"role": "user", "content": "x"}]}
        main = {**plain, "tools": [{"name": "Read"}]}
        recorder.allow(1)
        client.ask("/v1/messages", main)
        assert "sum" not in client.ask("/v1/messages", plain)[1], "a title, say"
        recorder.allow(1)
        assert "sum" in client.ask("/v1/messages", plain)[1]
        recorder.allow(1)
        assert "then" in client.ask("/v1/messages", main)[1]
    assert [each.is_main for each in recorder.requests] == [True, False, True, True]


def test_a_tool_of_a_namespace_is_called_where_the_namespace_is_offered_as_one() -> None:
    spawn = Step((ToolCall("agents/spawn", {"task": "t"}),))
    recorder = Recorder([Planned((spawn,))], main_tools=["Read"])
    inner = {"type": "function", "name": "spawn", "description": "", "parameters": {}}
    group = {"type": "namespace", "name": "agents", "description": "", "tools": [inner]}
    tools = [{"type": "function", "name": "Read"}, group]
    with serving(recorder) as port:
        asked = {"model": "m", "input": [{"role": "user", "content": "go on"}], "tools": tools}
        said = json.loads(Client(port).ask("/v1/responses", asked)[1])
    assert [(each["type"], each["namespace"], each["name"]) for each in said["output"]] == [
        ("function_call", "agents", "spawn")
    ]
