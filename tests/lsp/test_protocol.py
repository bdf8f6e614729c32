"""Every request gets exactly one reply. That there is no second one is what ``client.finish`` asserts."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from promptls.errors import PromptlsError
from tests.lsp.client import LIMIT, Client, ReplyError

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, NOT_INITIALIZED, CANCELLED, FAILED = -32603, -32002, -32800, -32803


class Order(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    how_many: int
    what: str | None = None


def register(client: Client, handler: Callable[[Any], object]) -> None:
    """Let ``handler`` answer test/request, without a model."""
    client.server.feature("test/request")(handler)


async def test_before_initialize_only_initialize_is_answered(client: Client) -> None:
    assert (await client.refusal("textDocument/hover", {})).code == NOT_INITIALIZED
    assert (await client.refusal("shutdown")).code == NOT_INITIALIZED
    await client.open("file:///a", "dropped")
    assert len(client.server.context.documents) == 0
    await client.start()


async def test_initialize_comes_once(client: Client) -> None:
    result = await client.start()
    assert result["serverInfo"]["name"] == "promptls"
    assert result["capabilities"]["textDocumentSync"]["change"] == 2
    assert (await client.refusal("initialize", {"capabilities": {}})).code == INVALID_REQUEST


async def test_initialize_without_an_object_can_be_repeated(client: Client) -> None:
    assert (await client.refusal("initialize", [1])).code == INVALID_PARAMS
    await client.start()


async def test_after_shutdown_nothing_but_exit(client: Client) -> None:
    await client.start()
    assert await client.request("shutdown") is None
    assert (await client.refusal("shutdown")).code == INVALID_REQUEST
    assert (await client.refusal("textDocument/hover", {})).code == INVALID_REQUEST
    await client.notify("exit")
    assert client.server.protocol.exit_code == 0


async def test_exit_without_shutdown_is_a_failure(client: Client) -> None:
    await client.start()
    await client.notify("exit")
    assert client.server.protocol.exit_code == 1


async def test_unknown_methods(client: Client) -> None:
    await client.start()
    for method in ("no/such", "$/no/such", "textDocument/moniker", "window/showMessage", "exit", "initialized"):
        error = await client.refusal(method, {"a": {"b": [1]}})
        assert (error.code, error.keys) == (METHOD_NOT_FOUND, {"code", "message"})
    await client.notify("no/such", {"a": 1})
    await client.notify("$/no/such", 5)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe{", b"[" * 100_000, b"1" * 5000])
async def test_a_body_that_is_no_json(client: Client, body: bytes) -> None:
    client.server.protocol.receive_bytes(body)
    error = await client.next(None)
    assert (error["id"], error["error"]["code"]) == (None, PARSE_ERROR)


@pytest.mark.parametrize(
    "message",
    [
        [],
        1,
        None,
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": None, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": True, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": [1], "method": "shutdown"},
        [{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}],
    ],
)
async def test_json_that_is_no_message(client: Client, message: object) -> None:
    client.send(message)
    error = await client.next(None)
    assert (error["id"], error["error"]["code"]) == (None, INVALID_REQUEST)


async def test_answers_nobody_waits_for_are_dropped(client: Client) -> None:
    await client.start()
    ids: tuple[Any, ...] = (1, "x", None, [1], {})
    for msg_id in ids:
        client.send({"jsonrpc": "2.0", "id": msg_id, "result": 1})
        client.send({"jsonrpc": "2.0", "id": msg_id, "error": 1})


@pytest.mark.parametrize("params", [None, {}, [], 5, {"arguments": []}])
async def test_invalid_params_are_refused_in_one_sentence(client: Client, params: object) -> None:
    await client.start()
    error = await client.refusal("workspace/executeCommand", params)
    assert (error.code, error.keys) == (INVALID_PARAMS, {"code", "message"})
    assert str(error) == "The parameters of workspace/executeCommand are not valid."


async def test_invalid_notifications_are_logged_and_cost_nothing(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    await client.start()
    await client.notify("textDocument/didOpen", {"textDocument": {"uri": 1}})
    await client.notify("$/cancelRequest", 5)
    await client.notify("$/cancelRequest", {"id": [1]})
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [
        "Ignored the notification textDocument/didOpen: The parameters of textDocument/didOpen are not valid."
    ]
    caplog.clear()


async def test_unknown_params_are_plain_json(client: Client) -> None:
    """Nested objects stay as they are, whatever their keys are called."""
    await client.start()
    register(client, lambda params: params)
    params = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "x",
        "class": {"jsonrpc": "2.0", "type_name": [None, "é\ud800"]},
    }
    assert await client.request("test/request", params) == params


async def test_a_model_for_the_parameters(client: Client) -> None:
    await client.start()
    taken: list[Order] = []

    @client.server.request("test/order", Order)
    def order(params: Order) -> Order:
        taken.append(params)
        return params

    assert await client.request("test/order", {"howMany": 2, "more": 1}) == {"howMany": 2, "what": None}
    assert taken == [Order(how_many=2)]


async def test_a_model_that_is_named_late(client: Client) -> None:
    await client.start()
    client.server.request("test/order", lambda: Order)(lambda params: {"order": params, "n": 1})
    assert await client.request("test/order", {"howMany": 2}) == {
        "order": {"howMany": 2, "what": None},
        "n": 1,
    }


async def test_parameters_that_the_model_refuses(client: Client) -> None:
    await client.start()
    client.server.request("test/order", Order)(lambda params: params)
    error = await client.refusal("test/order", {"howMany": "secret"})
    assert (error.code, error.keys) == (INVALID_PARAMS, {"code", "message"})
    assert str(error).startswith("The parameters of test/order are not valid: howMany: ")
    assert "secret" not in str(error)
    assert (await client.refusal("test/order", [1])).code == INVALID_PARAMS
    assert (await client.refusal("test/order")).code == INVALID_PARAMS


def _raise(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize("kind", ["plain", "async", "thread"])
async def test_handlers_that_fail(client: Client, caplog: pytest.LogCaptureFixture, kind: str) -> None:
    await client.start()
    errors = {"user": PromptlsError("There is no such agent; name another."), "bug": KeyError("x")}

    def plain(params: Any) -> Any:
        _raise(errors[params])

    async def later(params: Any) -> Any:
        await asyncio.sleep(0)
        _raise(errors[params])

    def thread(params: Any) -> Any:
        _raise(errors[params])

    client.server.thread()(thread)
    register(client, {"plain": plain, "async": later, "thread": thread}[kind])
    error = await client.refusal("test/request", "user")
    assert (error.code, str(error)) == (FAILED, "There is no such agent; name another.")
    assert caplog.records == []
    error = await client.refusal("test/request", "bug")
    assert (error.code, str(error)) == (
        INTERNAL_ERROR,
        "promptls failed to handle test/request; see the log.",
    )
    assert error.keys == {"code", "message"}
    assert "Traceback" in caplog.text
    caplog.clear()


async def test_the_time_of_each_request_is_logged(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    await client.start()
    register(client, lambda params: params)
    with caplog.at_level("DEBUG", "promptls.lsp.protocol"):
        await client.request("test/request", 1)
        await client.refusal("test/unknown", 1)
    times = [each for each in caplog.messages if " took " in each]
    assert [each.partition(" took ")[0] for each in times] == ["test/request", "test/unknown"]
    assert all(each.endswith(" ms.") for each in times)
    caplog.clear()


async def test_a_result_that_is_no_json(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    await client.start()
    register(client, lambda params: {"a": client, "b": params})
    assert (await client.refusal("test/request", {})).code == INTERNAL_ERROR
    caplog.clear()


async def test_a_notification_that_fails_is_logged(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    await client.start()
    register(client, lambda params: _raise(KeyError(params)))
    await client.notify("test/request", {})
    assert "promptls failed to handle the notification test/request." in caplog.text
    caplog.clear()


async def test_a_model_that_cannot_be_loaded(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    await client.start()
    client.server.request("test/order", lambda: _raise(ImportError("no such module")))(lambda params: params)
    assert (await client.refusal("test/order", {})).code == INTERNAL_ERROR
    await client.notify("test/order", {})
    assert caplog.text.count("ImportError: no such module") == 2
    caplog.clear()


async def test_a_running_request_is_cancelled_once(client: Client) -> None:
    await client.start()

    async def forever(params: Any) -> None:  # noqa: ARG001 - the signature of a handler
        await asyncio.Event().wait()

    register(client, forever)
    msg_id, reply = client.ask("test/request", {})
    await client.notify("$/cancelRequest", {"id": msg_id})
    await client.notify("$/cancelRequest", {"id": msg_id})
    with pytest.raises(ReplyError) as caught:
        await asyncio.wait_for(reply, LIMIT)
    assert caught.value.code == CANCELLED
    await client.notify("$/cancelRequest", {"id": msg_id})


async def test_shutdown_cancels_what_runs(client: Client) -> None:
    await client.start()

    async def forever(params: Any) -> None:  # noqa: ARG001 - the signature of a handler
        await asyncio.Event().wait()

    register(client, forever)
    _, reply = client.ask("test/request", {})
    assert await client.request("shutdown") is None
    with pytest.raises(ReplyError) as caught:
        await asyncio.wait_for(reply, LIMIT)
    assert caught.value.code == CANCELLED


async def test_an_id_in_use_is_refused(client: Client) -> None:
    await client.start()
    gate = asyncio.Event()

    async def wait(params: Any) -> str:  # noqa: ARG001 - the signature of a handler
        await gate.wait()
        return "first"

    register(client, wait)
    msg_id, reply = client.ask("test/request")
    written: list[Any] = []
    again = {"jsonrpc": "2.0", "id": msg_id, "method": "test/request"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_receive", written.append)
        client.send(again)
    assert [each["error"]["code"] for each in written] == [INVALID_REQUEST]
    gate.set()
    assert await reply == "first"
    client.server.feature("test/echo")(lambda params: params)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_receive", written.append)
        client.send({**again, "method": "test/echo", "params": "second"})
    assert written[1]["result"] == "second"


async def test_an_async_handler_starts_before_the_next_message(client: Client) -> None:
    await client.start()
    await client.open("untitled:1", "old")

    async def text(params: Any) -> str:  # noqa: ARG001 - the signature of a handler
        document = client.server.context.documents.get("untitled:1")
        await asyncio.sleep(0)
        assert document is not None
        return document.text

    register(client, text)
    _, reply = client.ask("test/request")
    await asyncio.sleep(0)
    await client.change("untitled:1", "new")
    assert await reply == "old"


async def test_only_the_loop_writes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    await client.start()
    writers = set()
    write = client.write

    def watched(data: bytes, /) -> None:
        writers.add(threading.current_thread())
        write(data)

    monkeypatch.setattr(client, "write", watched)

    def handler(params: Any) -> str:  # noqa: ARG001 - the signature of a handler
        client.server.protocol.notify("test/news", {"a": None})
        return threading.current_thread().name

    client.server.thread()(handler)
    register(client, handler)
    assert await client.request("test/request") != threading.main_thread().name
    assert await client.next("test/news") == {"a": None}
    assert writers == {threading.main_thread()}


async def test_requests_of_the_server(client: Client) -> None:
    await client.start()
    protocol = client.server.protocol
    answer = protocol.send_request_async("workspace/workspaceFolders")
    client.answer(await client.next("workspace/workspaceFolders"), [{"uri": "file:///a", "name": "a"}])
    assert (await answer)[0].uri == "file:///a"
    odd = protocol.send_request_async("workspace/workspaceFolders")
    client.answer(await client.next("workspace/workspaceFolders"), 5)
    with pytest.raises(Exception, match="The client's answer to workspace/workspaceFolders is not valid"):
        await odd
    refused = protocol.send_request_async("test/ask", {"a": 1})
    request = await client.next("test/ask")
    client.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -1, "message": "not now"}})
    with pytest.raises(Exception, match="The client failed to handle test/ask: not now"):
        await refused


async def test_an_answer_that_comes_too_late(client: Client) -> None:
    await client.start()
    asked = client.server.protocol.send_request_async("test/ask")
    request = await client.next("test/ask")
    asked.cancel()
    await asyncio.sleep(0)
    client.answer(request, 1)
    unanswered = client.server.protocol.send_request_async("test/ask")
    await client.next("test/ask")
    await client.request("shutdown")
    with pytest.raises(asyncio.CancelledError):
        await unanswered
    assert client.server.protocol.send_request("test/ask").cancelled()


async def test_commands(client: Client) -> None:
    @client.server.command("promptls.add")
    async def add(ls: Any, one: int, two: int) -> int:  # noqa: ARG001 - the name tells pygls to pass the server
        await asyncio.sleep(0)
        return one + two

    await client.start()
    run = "workspace/executeCommand"
    assert await client.request(run, {"command": "promptls.add", "arguments": [1, 2]}) == 3
    assert (await client.refusal(run, {"command": "promptls.add", "arguments": [1]})).code == INVALID_PARAMS
    assert (await client.refusal(run, {"command": "promptls.no"})).code == INVALID_PARAMS


async def test_work_beside_the_handlers(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    await client.start()
    done = asyncio.Event()

    async def work(*, fails: bool) -> None:
        done.set()
        if fails:
            raise KeyError

    client.server.spawn(work(fails=False), "a scan")
    await asyncio.wait_for(done.wait(), LIMIT)
    assert caplog.records == []
    client.server.spawn(work(fails=True), "a scan")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert "promptls failed to handle a scan." in caplog.text
    caplog.clear()


async def test_after_the_end_nothing_is_written_or_logged(client: Client) -> None:
    await client.start()
    started, gate = threading.Event(), threading.Event()

    def handler(params: Any) -> Any:  # noqa: ARG001 - the signature of a handler
        started.set()
        gate.wait(LIMIT)
        raise KeyError

    client.server.thread()(handler)
    client.server.feature("test/notice")(handler)
    await client.notify("test/notice")
    assert await asyncio.to_thread(started.wait, LIMIT)
    await client.notify("exit")
    gate.set()
    await asyncio.to_thread(client.server.thread_pool.shutdown)
    await asyncio.sleep(0)
    client.server.protocol.notify("test/news")


async def test_a_client_that_no_longer_reads_ends_the_server(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    await client.start()
    closed = []

    class Broken:
        def write(self, data: bytes, /) -> object:
            raise BrokenPipeError(len(data))

        def close(self) -> None:
            closed.append(1)

    client.server.protocol.attach(Broken())
    client.server.protocol.notify("test/news")
    assert (client.server.protocol.exit_code, closed) == (1, [1])
    caplog.clear()


def test_a_message_is_ascii(client: Client) -> None:
    assert json.loads(client.server.protocol._encode({"a": "é\ud800😀"})) == {"a": "é\ud800😀"}
