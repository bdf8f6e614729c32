"""The shortest valid answer in each format, in one piece or streamed: a text, or calls of tools."""

from __future__ import annotations

import json

from promptls.core.values import dataclass
from promptls.wire import augment
from promptls.wire.request_formats import streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from promptls.wire.request_formats import Format

    Json = dict[str, Any]
    # The body of the request, what is answered, and a number that makes ids differ.
    Reply = Callable[[Json, "Given", int], Json]

TEXT = "ok"
# Side requests of Gemini's format ask for JSON: a router, who speaks next, how hard a task is. This fits all of them.
DECISION = {"reasoning": "", "model_choice": "pro", "next_speaker": "user", "complexity_score": 90}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that an answer makes: its name as the request offers it, and its arguments.

    A text in their place is what a tool takes that has no schema.
    """

    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True, slots=True)
class Given:
    """What an answer consists of: calls, else ``text``. ``tokens``: so many the request is said to have had.

    ``stays``: nobody is to get it, as from a model that still thinks.
    """

    calls: Sequence[ToolCall] = ()
    text: str = TEXT
    tokens: int = 1
    stays: bool = False


def reply(kind: Format, path: str, body: Any, given: Given, number: int) -> tuple[str, bytes]:
    """The content type and the bytes of an answer."""
    if kind == "augment":
        return augment.answer([(each.name, each.arguments) for each in given.calls], given.text, number)
    root = body if isinstance(body, dict) else {}
    whole, events = {
        "messages": (_message, _message_events),
        "chat": (_completion, _completion_events),
        "responses": (_response, _response_events),
        "generate": (_content, lambda answer: [answer]),
    }[kind]
    answer = whole(root, given, number)
    if not streams(kind, path, body):
        return "application/json", json.dumps(answer).encode()
    end = b"data: [DONE]\n\n" if kind == "chat" else b""
    is_named = kind in ("messages", "responses")
    return "text/event-stream", b"".join(_event(each, is_named=is_named) for each in events(answer)) + end


def _event(event: Json, *, is_named: bool) -> bytes:
    name = f"event: {event['type']}\n" if is_named else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def _message(body: Json, given: Given, number: int) -> Json:
    made = [
        {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": call.name, "input": call.arguments}
        for at, call in enumerate(given.calls)
    ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": made or [{"type": "text", "text": given.text}],
        "stop_reason": "tool_use" if given.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": given.tokens, "output_tokens": 1},
    }


def _message_events(message: Json) -> list[Json]:
    events: list[Json] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
    ]
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _completion(body: Json, given: Given, number: int) -> Json:
    message: Json = {"role": "assistant", "content": None if given.calls else given.text}
    if given.calls:
        message["tool_calls"] = [
            {
                "index": at,
                "id": f"call_{number}_{at}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for at, call in enumerate(given.calls)
        ]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if given.calls else "stop"}],
        "usage": {"prompt_tokens": given.tokens, "completion_tokens": 1, "total_tokens": given.tokens + 1},
    }


def _completion_events(completion: Json) -> list[Json]:
    choice = completion["choices"][0]
    common = {**completion, "object": "chat.completion.chunk"}
    said = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    return [{**common, "choices": [said], "usage": None}, {**common, "choices": [end]}]


def _response(body: Json, given: Given, number: int) -> Json:
    made: list[Json] = []
    for at, call in enumerate(given.calls):
        namespace, _, name = call.name.rpartition("/")
        item = {"call_id": f"call_{number}_{at}", "name": name, "status": "completed"}
        if isinstance(call.arguments, str):
            item |= {"type": "custom_tool_call", "id": f"ctc_{number}_{at}", "input": call.arguments}
        else:
            item |= {"type": "function_call", "id": f"fc_{number}_{at}", "arguments": json.dumps(call.arguments)}
        made.append({**item, "namespace": namespace} if namespace else item)
    text = {"type": "output_text", "text": given.text, "annotations": []}
    spoken = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [text]}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "model": body.get("model", ""),
        "status": "completed",
        "output": made or [spoken],
        "usage": {
            "input_tokens": given.tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": given.tokens + 1,
        },
    }


def _response_events(response: Json) -> list[Json]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[Json] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(response["output"]):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            delta = {
                "item_id": item["id"],
                "output_index": index,
                "content_index": 0,
                "delta": item["content"][0]["text"],
            }
            events.append({"type": "response.output_text.delta", **delta})
        else:
            is_text = item["type"] == "custom_tool_call"
            key, kind = ("input", "custom_tool_call_input") if is_text else ("arguments", "function_call_arguments")
            whole = {"item_id": item["id"], "output_index": index, key: item[key]}
            events.append({"type": f"response.{kind}.done", **whole})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": response})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _content(body: Json, given: Given, number: int) -> Json:
    config = body.get("generationConfig")
    wants_json = isinstance(config, dict) and config.get("responseMimeType") == "application/json"
    parts: list[Json] = [
        {"functionCall": {"id": f"call_{number}_{at}", "name": call.name, "args": call.arguments}}
        for at, call in enumerate(given.calls)
    ]
    spoken = {"text": json.dumps(DECISION) if wants_json else given.text}
    content = {"role": "model", "parts": parts or [spoken]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": given.tokens,
            "candidatesTokenCount": 1,
            "totalTokenCount": given.tokens + 1,
        },
        "modelVersion": "recorded",
    }
