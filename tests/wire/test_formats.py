"""Requests in the four formats as messages, and the answers to them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptls.wire.replies import Given, ToolCall, reply
from promptls.wire.request_formats import format_of, joined, model_of, offered, request_blocks

pytestmark = pytest.mark.same_everywhere
TOOL = {"name": "Read", "description": "Reads."}
BODIES: dict[Any, tuple[str, dict[str, Any]]] = {
    "messages": (
        "/v1/messages?beta=true",
        {
            "model": "m-1",
            "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "U"}, {"type": "image", "source": {}}]},
                {"role": "assistant", "content": [{"type": "tool_use", "name": "Read", "input": {"p": "a"}}]},
                {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "T"}]}]},
            ],
            "tools": [TOOL],
        },
    ),
    "chat": (
        "/v1/chat/completions",
        {
            "model": "m-1",
            "messages": [
                {"role": "system", "content": "S"},
                {"role": "user", "content": [{"type": "text", "text": "U"}, {"type": "image_url", "image_url": {}}]},
                {"role": "assistant", "tool_calls": [{"function": {"name": "Read", "arguments": '{"p":"a"}'}}]},
                {"role": "tool", "content": "T"},
            ],
            "tools": [{"type": "function", "function": TOOL}],
        },
    ),
    "responses": (
        "/v1/responses",
        {
            "model": "m-1",
            "instructions": "S",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "U"}, {"type": "input_image"}]},
                {"type": "function_call", "name": "Read", "arguments": '{"p":"a"}'},
                {"type": "function_call_output", "output": "T"},
            ],
            "tools": [{"type": "function", **TOOL}],
        },
    ),
    "generate": (
        "/v1beta/models/m-1:streamGenerateContent?alt=sse&key=k",
        {
            "systemInstruction": {"parts": [{"text": "S"}]},
            "contents": [
                {"role": "user", "parts": [{"text": "U"}, {"inlineData": {}}]},
                {"role": "model", "parts": [{"functionCall": {"name": "Read", "args": {"p": "a"}}}]},
                {"role": "user", "parts": [{"functionResponse": {"response": {"output": "T"}}}]},
            ],
            "tools": [{"functionDeclarations": [TOOL]}],
        },
    ),
}
PICTURES = {"messages": "⟪image⟫", "chat": "⟪image_url⟫", "responses": "⟪input_image⟫", "generate": "⟪inlineData⟫"}


@pytest.mark.parametrize("kind", BODIES)
def test_a_request_is_messages(kind: Any) -> None:
    path, body = BODIES[kind]
    assert format_of(path) == kind
    assert model_of(kind, path, body) == "m-1"
    assert [(each.role, each.text) for each in request_blocks(kind, body)] == [
        ("system", "S"),
        ("user", "U"),
        ("user", PICTURES[kind]),
        ("assistant", 'Read {"p":"a"}'),
        ("tool", "T"),
    ]
    assert request_blocks(kind, body)[0].cached == (kind == "messages")
    assert [(each.name, each.description) for each in offered(kind, body)] == [("Read", "Reads.")]


def test_programs_name_the_text_of_an_answer_to_gemini_in_different_ways() -> None:
    for response in ({"output": "T"}, {"name": "read", "content": "T"}):
        part = {"functionResponse": {"name": "read", "response": response}}
        assert [
            each.text for each in request_blocks("generate", {"contents": [{"role": "user", "parts": [part]}]})
        ] == ["T"]


def test_tools_of_a_namespace_are_found() -> None:
    inner = {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]}
    item = {"type": "additional_tools", "tools": [inner, {"type": "function", "name": "wait"}]}
    assert [each.name for each in offered("responses", {"input": [item]})] == ["functions/exec", "wait"]


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize(
    "body",
    [
        *(None, [], "x", 5, {}, {"messages": 5}, {"messages": [None, 5, {"content": 5}], "system": {"text": "x"}}),
        *({"input": [[], {"type": 5, "content": [5]}], "tools": [None, {"name": []}]}, {"contents": [{"parts": 5}]}),
        *({"tools": {"name": "x"}, "systemInstruction": [1]}, {"messages": [{"role": [], "content": [{"type": {}}]}]}),
        {"input": [{"type": "additional_tools", "tools": [{"tools": [5]}]}], "contents": [{"parts": [{"text": 1}]}]},
    ],
)
def test_what_has_another_shape_is_left_out(kind: Any, body: Any) -> None:
    assert all(isinstance(each.text, str) for each in request_blocks(kind, body))
    assert all(isinstance(each.name, str) for each in offered(kind, body))
    assert reply(kind, "/x", body, Given(), 1)[1]


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_an_answer_says_ok_or_calls_a_tool(kind: Any, is_streamed: bool) -> None:
    ending = "stream" if is_streamed else ""
    path = f"/m:{ending}generateContent" if kind == "generate" else "/x"
    body = {"model": "m", "stream": is_streamed}
    spoken = reply(kind, path, body, Given(), 1)
    called = reply(kind, path, body, Given([ToolCall("Read", {"file_path": "/a b"})]), 2)
    for content_type, data in (spoken, called):
        assert content_type == ("text/event-stream" if is_streamed else "application/json")
        events = [line for line in data.decode().splitlines() if line.startswith("data: {")]
        assert [json.loads(line.removeprefix("data: ")) for line in events] if is_streamed else json.loads(data)
    assert "ok" in spoken[1].decode()
    assert "Read" not in spoken[1].decode()
    assert "Read" in called[1].decode()
    assert "/a b" in called[1].decode()


def test_a_router_gets_json() -> None:
    body = {"generationConfig": {"responseMimeType": "application/json"}}
    answer = json.loads(reply("generate", "/m:generateContent", body, Given(), 1)[1])
    assert json.loads(answer["candidates"][0]["content"]["parts"][0]["text"])["model_choice"] == "pro"


def test_blocks_of_a_message_can_be_one() -> None:
    """Some programs send as blocks what previews show as one text."""
    content = [{"type": "input_text", "text": each} for each in ("one", "\n\ntwo")]
    body = {"input": [{"role": "system", "content": content}, {"role": "user", "content": "three"}]}
    found = joined(request_blocks("responses", body))
    assert [(each.role, each.text) for each in found] == [("system", "one\n\ntwo"), ("user", "three")]


def test_fields_of_augment_are_messages() -> None:
    path = "/chat-stream"
    state = {"id": 1, "type": 4, "ide_state_node": {}}
    said = {
        "request_nodes": [{"type": 0, "text_node": {"content": "U"}}],
        "response_text": "ok",
        "response_nodes": [{"type": 5, "tool_use": {"tool_name": "view", "input_json": "{}"}}],
    }
    body = {
        "workspace_guidelines": "G",
        "rules": [
            {"path": "a", "type": 0, "content": "A"},
            {"path": "b", "type": 2, "content": "B", "description": "d"},
        ],
        "skills": [{"name": "s", "source": "user", "location": "/s", "description": "D"}],
        "chat_history": [said],
        "nodes": [state, {"type": 1, "tool_result_node": {"content": "T"}}],
        "tool_definitions": [TOOL],
    }
    assert format_of(path) == "augment"
    assert [(each.role, each.text) for each in request_blocks("augment", body)] == [
        ("workspace_guidelines", "G"),
        ("rules", "rule path=a type=0 description=None\nA\nrule path=b type=2 description=d\nB"),
        ("skills", "skill name=s source=user location=/s\nD\n"),
        ("user", "U"),
        ("assistant", "ok"),
        ("assistant", "view {}"),
        ("user", '{"id": 1, "type": 4, "ide_state_node": {}}'),
        ("tool", "T"),
    ]
    assert [each.name for each in offered("augment", body)] == ["Read"]
    called = json.loads(reply("augment", path, body, Given([ToolCall("view", {"path": "/a"})]), 2)[1])
    assert (called["stop_reason"], json.loads(called["nodes"][0]["tool_use"]["input_json"])) == (3, {"path": "/a"})
    assert json.loads(reply("augment", path, body, Given(), 1)[1])["text"] == "ok"
    odd: tuple[Any, ...] = (
        None,
        5,
        [],
        {"rules": 5, "skills": [5], "nodes": [{"type": 1}], "chat_history": [{}, None]},
    )
    for bad in odd:
        assert [each.text for each in request_blocks("augment", bad) if each.text.strip()] == []
