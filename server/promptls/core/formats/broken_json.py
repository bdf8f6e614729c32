"""JSON with a flaw, halfway typed or nested too deeply: tree-sitter reads it, and ``json`` says what is wrong.

Where a bracket is missing tree-sitter returns a flat run of tokens, so containers are put together here, from whole
nodes and loose tokens alike: what could be read keeps its range.
"""

from __future__ import annotations

import json

from promptls.core.formats.grammars import parser
from promptls.core.formats.tree import MAX_DEPTH, TOO_DEEP, Document, Flaw, Offsets, Value, member
from promptls.core.secrets import masked
from promptls.core.text import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from promptls.core.formats.tree import Kind


def parse(text: str, plain: str) -> Document:
    """Read ``text``; ``plain`` is the same without comments."""
    tree = parser("tree_sitter_json").parse(text.encode("utf-8", "replace"))
    return Document(text, _Reader(text).value(tree.root_node), _flaw(plain))


def _flaw(text: str) -> Flaw | None:
    try:
        json.loads(text, parse_constant=_reject)
    except json.JSONDecodeError as error:
        return Flaw(*_explain(text, error))
    except _NotJsonError as error:
        at = text.find(str(error))
        return Flaw(at, at + len(str(error)), f"{masked(text)[at : at + len(str(error))]} is not a JSON value")
    except (RecursionError, ValueError):  # ValueError: an integer of more digits than Python converts
        return Flaw(0, len(text), TOO_DEEP)
    return None


def _explain(text: str, error: json.JSONDecodeError) -> tuple[int, int, str]:
    """Start, end and a clause for the first thing that is wrong."""
    at = error.pos
    before = text[:at].rstrip()
    if not text.strip():
        return 0, len(text), "the file is empty"
    if text.startswith(BOM):
        return 0, 1, "it begins with a byte order mark"
    if error.msg.startswith("Invalid control character") or error.msg.startswith("Unterminated string"):
        start = at if text[at : at + 1] == '"' else text.rfind('"', 0, at)
        return start, _line_end(text, start), "a string does not end on its line"
    if at >= len(text.rstrip()):
        return len(before) - 1, len(before), "the text ends before everything is closed"
    if text.startswith(("//", "/*"), at):
        return at, _line_end(text, at), "comments are not allowed here"
    if before.endswith(",") and (text[at] in "]}" or "railing comma" in error.msg):
        return len(before) - 1, len(before), "the last comma is one too many"
    if text[at] == "," and "railing comma" in error.msg:
        return at, at + 1, "the last comma is one too many"
    expected = {
        "Expecting ',' delimiter": "a comma or a closing bracket is missing here",
        "Expecting ':' delimiter": "a colon is missing here",
        "Expecting property name enclosed in double quotes": "a key in double quotes is missing here",
        "Extra data": "nothing may follow the end of the value",
    }
    return at, _line_end(text, at), expected.get(error.msg, "this is not a JSON value")


def _line_end(text: str, at: int) -> int:
    end = min((found for found in (text.find("\n", at), text.find("\r", at)) if found >= 0), default=len(text))
    return max(end, min(at + 1, len(text)))


class _NotJsonError(Exception):
    """NaN or Infinity, which Python's reader accepts but JSON does not have."""


def _reject(constant: str) -> None:
    raise _NotJsonError(constant)


class _Reader:
    """Turns tree-sitter's nodes, whose offsets are bytes, into values with offsets into the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets = Offsets(text)

    def value(self, root: Node) -> Value | None:
        tokens = _Tokens(root)
        while (node := tokens.next()) is not None:
            value = self._read(node, tokens, 0)
            if value is not None:
                return value
        return None

    def _read(self, node: Node, tokens: _Tokens, depth: int) -> Value | None:
        if node.type in ("{", "["):
            return self._container(node, tokens, depth + 1) if depth < MAX_DEPTH else None
        start, end = self._span(node)
        if node.type == "string":
            return Value("string", start, end, data=_unquote(self._text[start:end]))
        if node.type == "number":
            return Value("number", start, end, data=_number(self._text[start:end]))
        if node.type in ("true", "false", "null"):
            return Value(node.type, start, end)  # type: ignore[arg-type] # the three types are the three kinds
        return None

    def _container(self, opening: Node, tokens: _Tokens, depth: int) -> Value:
        is_object = opening.type == "{"
        items: list[Value] = []
        members: list[tuple[Value, Value]] = []
        key: Value | None = None
        start, end = self._span(opening)
        while (node := tokens.next()) is not None:
            if node.type in ("}", "]"):
                if node.type == ("}" if is_object else "]"):
                    end = self._span(node)[1]
                else:
                    tokens.back()
                break
            if node.type == ",":
                key = None
            value = self._read(node, tokens, depth)
            if value is None:
                continue
            end = value.end
            if not is_object:
                items.append(value)
            elif key is None and value.kind == "string":
                key = value
            elif key is not None:
                members.append(member(key, value))
                key = None
        kind: Kind = "object" if is_object else "array"
        return Value(kind, start, end, items=tuple(items), members=tuple(members))

    def _span(self, node: Node) -> tuple[int, int]:
        return self._offsets[node.start_byte], self._offsets[node.end_byte]


class _Tokens:
    """The tokens of a tree in order; a string is one token, broken or not."""

    def __init__(self, root: Node) -> None:
        self._tokens = list(_tokens(root))
        self._next = 0

    def next(self) -> Node | None:
        """The next token, None at the end."""
        if self._next >= len(self._tokens):
            return None
        self._next += 1
        return self._tokens[self._next - 1]

    def back(self) -> None:
        """Make ``next`` return the same token again."""
        self._next -= 1


_LEAVES = frozenset(("string", "number", "true", "false", "null", "comment"))


def _tokens(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing or node.type == "comment":
            continue
        children = node.children if node.type not in _LEAVES else ()
        if children:
            stack.extend(reversed(children))
        else:
            yield node


def _unquote(literal: str) -> str:
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal.strip('"')


def _number(literal: str) -> float | None:
    try:
        return float(literal)
    except ValueError:
        return None
