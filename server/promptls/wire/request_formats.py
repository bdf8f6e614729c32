"""The formats of requests to a model: which one a request has, what it offers, and what it says.

    messages    Anthropic Messages            POST …/messages
    chat        OpenAI Chat Completions       POST …/chat/completions
    responses   OpenAI Responses              POST …/responses
    generate    Gemini generateContent        POST …:generateContent, …:streamGenerateContent
    augment     Augment's command line        POST …/chat-stream (augment.py)

Bodies are what somebody sent: nothing here raises, and what has another shape than expected is left out.
"""

from __future__ import annotations

import json
from typing import cast

from promptls.core.values import dataclass, replace
from promptls.wire import augment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Literal

    from promptls.core.model import Role

    Format = Literal["messages", "chat", "responses", "generate", "augment"]

ENDINGS: tuple[tuple[str, Format], ...] = (
    ("/messages", "messages"),
    ("/chat/completions", "chat"),
    ("/responses", "responses"),
    (":generatecontent", "generate"),
    (":streamgeneratecontent", "generate"),
    (augment.ENDING, "augment"),
)
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "tool": "tool",
    "function": "tool",
    "assistant": "assistant",
    "model": "assistant",
}


@dataclass(frozen=True, slots=True)
class RequestBlock:
    """A content block of a request: who says it, and its place in the request."""

    role: Role
    text: str
    index: int
    block: int = 0
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that a request offers; ``rest``: the characters of its definition as JSON, without its descriptions.

    ``inner`` are the descriptions of what it consists of: parameters, and the tools of a namespace. ``namespace`` is
    the one that it is in, if any, and ``namespace_size`` the characters of the definition of all of that.
    ``definition``: all of it, as compact JSON.
    """

    name: str
    description: str
    rest: int
    inner: tuple[str, ...] = ()
    namespace: str = ""
    namespace_size: int = 0
    definition: str = ""

    @property
    def size(self) -> int:
        """The characters of its definition as JSON."""
        return self.rest + _length((self.description, *self.inner))


def format_of(path: str) -> Format | None:
    """The format of a POST to ``path``, which may have a query; None for another purpose."""
    plain = path.partition("?")[0].rstrip("/").lower()
    return next((name for ending, name in ENDINGS if plain.endswith(ending)), None)


def streams(kind: Format, path: str, body: Any) -> bool:
    """Whether the answer is asked for in pieces."""
    if kind == "generate":
        return "stream" in path.partition("?")[0].lower()
    return _dict(body).get("stream") is True


def model_of(kind: Format, path: str, body: Any) -> str | None:
    """The model that is asked, as the request names it."""
    if kind == "generate":
        return path.partition("?")[0].rpartition("/")[2].partition(":")[0] or None
    return _text(_dict(body).get("model")) or None


def offered(kind: Format, body: Any) -> tuple[Offered, ...]:
    """The tools that a request offers, in order. One of a namespace is called ``namespace/name``."""
    root = _dict(body)
    found: list[Offered] = []
    for tool in map(_dict, _list(root.get("tool_definitions" if kind == "augment" else "tools"))):
        if kind == "generate":
            declared = tool.get("functionDeclarations") or tool.get("function_declarations")
            found += [_offer(_dict(each)) for each in _list(declared)]
        else:
            found.append(_offer(_dict(tool.get("function")) or tool))
    if kind == "responses":
        for item in map(_dict, _list(root.get("input"))):
            if item.get("type") == "additional_tools":
                found += _of_namespaces(item)
    return tuple(each for each in found if each.name)


def request_blocks(kind: Format, body: Any) -> tuple[RequestBlock, ...]:
    """What a request says, block by block, in its order."""
    root = _dict(body)
    speak = {
        "messages": _messages,
        "chat": _chat,
        "responses": _responses,
        "generate": _generate,
        "augment": _augment,
    }[kind]
    return tuple(each for each in speak(root) if each.text)


def joined(blocks: Iterable[RequestBlock]) -> tuple[RequestBlock, ...]:
    """The blocks of each message as one."""
    found: list[RequestBlock] = []
    for each in blocks:
        if found and (found[-1].index, found[-1].role) == (each.index, each.role):
            found[-1] = replace(found[-1], text=found[-1].text + each.text)
        else:
            found.append(each)
    return tuple(found)


def _messages(root: dict[str, Any]) -> Iterator[RequestBlock]:
    yield from _blocks("system", root.get("system"), 0)
    for index, message in enumerate(map(_dict, _list(root.get("messages"))), 1):
        yield from _blocks(_role(message), message.get("content"), index)


def _chat(root: dict[str, Any]) -> Iterator[RequestBlock]:
    for index, message in enumerate(map(_dict, _list(root.get("messages")))):
        yield from _blocks(_role(message), message.get("content"), index)
        for call in map(_dict, _list(message.get("tool_calls"))):
            function = _dict(call.get("function"))
            yield RequestBlock("assistant", _call(function.get("name"), function.get("arguments")), index)


def _responses(root: dict[str, Any]) -> Iterator[RequestBlock]:
    yield RequestBlock("system", _text(root.get("instructions")), 0)
    items = root.get("input")
    if isinstance(items, str):
        yield RequestBlock("user", items, 1)
    for index, item in enumerate(map(_dict, _list(items)), 1 if root.get("instructions") else 0):
        what = item.get("type") or "message"
        if what == "message":
            yield from _blocks(_role(item), item.get("content"), index)
        elif what == "agent_message":
            yield from _blocks("agent_message", item.get("content"), index)
        elif str(what).endswith("_output"):
            yield from _blocks("tool", item.get("output"), index)
        elif str(what).endswith("_call"):
            yield RequestBlock("assistant", _call(item.get("name"), item.get("arguments") or item.get("input")), index)


def _generate(root: dict[str, Any]) -> Iterator[RequestBlock]:
    instruction = root.get("systemInstruction") or root.get("system_instruction")
    if isinstance(instruction, str):
        yield RequestBlock("system", instruction, 0)
    for index, content in enumerate([_dict(instruction), *map(_dict, _list(root.get("contents")))]):
        role: Role = _role(content) if index else "system"
        for block, part in enumerate(map(_dict, _list(content.get("parts")))):
            answer, call = _dict(part.get("functionResponse")), _dict(part.get("functionCall"))
            if answer:
                response = _dict(answer.get("response"))
                # The programs name the text of an answer in different ways.
                text = _text(response.get("output")) or _text(response.get("content"))
                yield RequestBlock("tool", text or _json(response), index, block)
            elif call:
                yield RequestBlock("assistant", _call(call.get("name"), call.get("args")), index, block)
            else:
                yield RequestBlock(role, _text(part.get("text")) or _unknown(part), index, block)


def _augment(root: dict[str, Any]) -> Iterator[RequestBlock]:
    for role, index, block, text in augment.fields(root):
        yield RequestBlock(cast("Role", role), text, index, block)


def _blocks(role: Role, content: Any, index: int) -> Iterator[RequestBlock]:
    """The blocks of a message's content: a text, or a list of texts, answers of tools and calls."""
    if isinstance(content, str):
        yield RequestBlock(role, content, index)
    for block, part in enumerate(map(_dict, _list(content))):
        is_cached = "cache_control" in part
        what = part.get("type")
        if what == "tool_result":
            answers = part.get("content")
            parts = [_dict(each) for each in _list(answers)]
            said = [text for each in parts if (text := _text(each.get("text")))]
            # A picture is a part of what is said beside it, if anything is.
            texts = [answers] if isinstance(answers, str) else said or [_unknown(each) for each in parts]
            yield from (RequestBlock("tool", text, index, block, is_cached) for text in texts)
        elif what == "tool_use":
            yield RequestBlock("assistant", _call(part.get("name"), part.get("input")), index, block)
        else:
            # What a model writes to a sub-agent comes back as the server has given it; ours is not encrypted.
            text = _text(part.get("text")) or _text(part.get("encrypted_content"))
            yield RequestBlock(role, text or _unknown(part), index, block, is_cached)


def _unknown(part: dict[str, Any]) -> str:
    """A placeholder for what is no text, such as a picture; "" for a text that is empty."""
    what = part.get("type") or next(iter(part), "")
    return "" if not what or "text" in part or what == "thinking" else f"⟪{what}⟫"


def _of_namespaces(item: dict[str, Any]) -> Iterator[Offered]:
    for tool in map(_dict, _list(item.get("tools"))):
        inner = _list(tool.get("tools"))
        if not inner:
            yield _offer(tool)
        name, size = _text(tool.get("name")), len(_json(tool)) if inner else 0
        for each in map(_dict, inner):
            yield replace(_offer(each, f"{name}/"), namespace=name, namespace_size=size)


def _offer(tool: dict[str, Any], prefix: str = "") -> Offered:
    name = _text(tool.get("name")) or _text(tool.get("type"))
    inner = tuple(text for key, value in tool.items() if key != "description" for text in _descriptions(value))
    description = _text(tool.get("description"))
    definition = _json(tool)
    rest = len(definition) - _length((description, *inner))
    return Offered(f"{prefix}{name}" if name else "", description, rest, inner, definition=definition)


def _length(texts: Iterable[str]) -> int:
    return sum(len(_json(text)) for text in texts)


def _descriptions(value: Any) -> Iterator[str]:
    """Each text under a key ``description``, at any depth that JSON can be read at."""
    for key, each in _dict(value).items():
        if key == "description" and isinstance(each, str):
            yield each
        else:
            yield from _descriptions(each)
    for each in _list(value):
        yield from _descriptions(each)


def _call(name: Any, arguments: Any) -> str:
    given = arguments if isinstance(arguments, str) else _json(arguments)
    return f"{_text(name)} {given}"


def _role(message: dict[str, Any]) -> Role:
    return ROLES.get(_text(message.get("role")), "user")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
