"""The format of Augment's command line: fields from which its server makes the prompt.

    chat-stream     POST …/chat-stream; an answer is one JSON object a line

A field is said as one text, as the harness's preview has it: what stands before a rule or a skill are its other fields.
Bodies are what somebody sent: nothing here raises, and what has another shape than expected is left out.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

ENDING = "/chat-stream"
# Without it, the program leaves what is typed out of its request.
MODELS = {
    "default_model": "recorded",
    "models": [{"name": "recorded", "suggested_prefix_char_count": 1, "suggested_suffix_char_count": 1}],
    "feature_flags": {},
}
# Kinds of nodes, of a request and of an answer.
TYPED, RESULT, SAID, CALLED = 0, 1, 0, 5
# Why an answer ends: it is done, or a tool is called.
DONE, CALLS = 1, 3


def fields(root: dict[str, Any]) -> Iterator[tuple[str, int, int, str]]:
    """What a request says: a role, the number of the message, that of the block in it, and the text."""
    yield "workspace_guidelines", 0, 0, _text(root.get("workspace_guidelines"))
    rules = [
        f"rule path={_text(each.get('path'))} type={each.get('type')} description={each.get('description') or None}\n"
        f"{_text(each.get('content'))}"
        for each in _dicts(root.get("rules"))
    ]
    yield "rules", 1, 0, "\n".join(rules)
    skills = [
        f"skill name={_text(each.get('name'))} source={_text(each.get('source'))} "
        f"location={_text(each.get('location'))}\n{_text(each.get('description'))}\n"
        for each in _dicts(root.get("skills"))
    ]
    yield "skills", 2, 0, "".join(skills)
    index = 3
    for said in _dicts(root.get("chat_history")):
        yield from _nodes(said.get("request_nodes"), index)
        answers = _dicts(said.get("response_nodes"))
        calls = [_dict(each.get("tool_use")) for each in answers if each.get("type") == CALLED]
        texts = [_text(said.get("response_text"))]
        texts += [f"{_text(each.get('tool_name'))} {_text(each.get('input_json'))}" for each in calls]
        yield from (("assistant", index + 1, block, text) for block, text in enumerate(texts))
        index += 2
    yield from _nodes(root.get("nodes"), index)


def _nodes(nodes: Any, index: int) -> Iterator[tuple[str, int, int, str]]:
    for block, node in enumerate(_dicts(nodes)):
        result = _dict(node.get("tool_result_node"))
        if node.get("type") == TYPED:
            yield "user", index, block, _text(_dict(node.get("text_node")).get("content"))
        elif node.get("type") == RESULT:
            inner = [_text(each.get("text_content")) for each in _dicts(result.get("content_nodes"))]
            yield "tool", index, block, _text(result.get("content")) or "".join(inner)
        else:
            yield "user", index, block, json.dumps(node, ensure_ascii=False)


def answer(calls: Sequence[tuple[str, Any]], text: str, number: int) -> tuple[str, bytes]:
    """The content type and the bytes of an answer: a text, or calls of tools with their names and arguments."""
    nodes: list[dict[str, Any]] = [
        {
            "id": at + 1,
            "type": CALLED,
            "content": "",
            "tool_use": {
                "tool_use_id": f"toolu_{number}_{at}",
                "tool_name": name,
                "input_json": json.dumps(arguments),
            },
        }
        for at, (name, arguments) in enumerate(calls)
    ]
    text = "" if nodes else text
    nodes = nodes or [{"id": 1, "type": SAID, "content": text}]
    said = {"text": text, "nodes": nodes, "stop_reason": CALLS if calls else DONE}
    return "application/json", json.dumps(said).encode() + b"\n"


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
