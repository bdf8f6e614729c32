"""JSON, with comments and trailing commas if the dialect allows them, halfway typed or not.

What has no flaw is read here. What has one tree-sitter reads: importing it takes half as long as a preview. Where
a bracket is missing it returns a flat run of tokens, so containers are put together here, from whole nodes and
loose tokens alike: what could be read keeps its range.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined] # missing in the stubs

from promptls.core.formats.grammars import parser
from promptls.core.formats.tree import MAX_DEPTH, Document, Flaw, Offsets, Value, member
from promptls.core.lazy import regex
from promptls.core.secrets import masked
from promptls.core.text import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from promptls.core.formats.tree import Kind


TOO_DEEP = "this is nested too deeply or holds too large a number"
# tree-sitter takes half a minute to parse a megabyte of open brackets.
MAX_PARSED_DEPTH = 1000
_STRING_OR_BRACKET = regex(r'"(?:[^"\\\n]|\\.)*+"?|[\[{]|[\]}]')


@lru_cache(maxsize=64)
def parse(text: str, *, comments: bool, trailing_commas: bool = True) -> Document:
    """Read ``text``. ``comments`` allows comments and, unless ``trailing_commas`` is off, trailing commas."""
    if _depth(text) > MAX_PARSED_DEPTH:
        return Document(text, None, Flaw(0, len(text), TOO_DEEP))
    plain = _without_comments(text, trailing_commas=trailing_commas) if comments else text
    flaw = _flaw(plain)
    try:
        if flaw is None:
            return Document(text, _plain(plain, _next(plain, 0), 0), None)
    except RecursionError:
        pass
    tree = parser("tree_sitter_json").parse(text.encode("utf-8", "replace"))
    return Document(text, _Reader(text).value(tree.root_node), flaw)


# What is not closed extends to the end, so that a text with a million open strings is read once.
_STRING_OR_COMMENT = regex(r'"(?:[^"\\\n]|\\.)*+"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_STRING_OR_LAST_COMMA = regex(r'"(?:[^"\\\n]|\\.)*+"?|,(?=\s*[}\]])', re.DOTALL)


def _without_comments(text: str, *, trailing_commas: bool) -> str:
    """``text`` with comments, and trailing commas if allowed, replaced by spaces at the same offsets."""

    def comment(found: re.Match[str]) -> str:
        is_open = found[0].startswith("/*") and not found[0].endswith("*/", 2)
        return found[0] if is_open or found[0].startswith('"') else re.sub(r"[^\n]", " ", found[0])

    def comma(found: re.Match[str]) -> str:
        if found[0] != ",":
            return found[0]
        before = found.start()
        while before and without[before - 1].isspace():
            before -= 1
        return "," if not before or without[before - 1] in ",:[{" else " "

    without = _STRING_OR_COMMENT.sub(comment, text)
    return _STRING_OR_LAST_COMMA.sub(comma, without) if trailing_commas else without


def _plain(text: str, at: int, depth: int) -> Value:
    """The value that begins at ``at`` in a text without flaw; raises RecursionError if it is nested too deeply."""
    first = text[at]
    if first == '"':
        return _string(text, at)
    if first not in "{[":
        return _literal(text, at)
    if depth >= MAX_DEPTH:
        raise RecursionError
    return _array(text, at, depth) if first == "[" else _object(text, at, depth)


def _string(text: str, at: int) -> Value:
    data, end = scanstring(text, at + 1)
    return Value("string", at, end, data=data)


def _literal(text: str, at: int) -> Value:
    literal = _LITERAL.match(text, at)[0]  # type: ignore[index] # there is one
    end = at + len(literal)
    if literal in ("true", "false", "null"):
        return Value(literal, at, end)  # type: ignore[arg-type] # the three literals are the three kinds
    return Value("number", at, end, data=float(literal))


def _array(text: str, at: int, depth: int) -> Value:
    items: list[Value] = []
    end = _next(text, at + 1)
    while text[end] != "]":
        items.append(_plain(text, end, depth + 1))
        end = _next(text, items[-1].end)
    return Value("array", at, end + 1, items=tuple(items))


def _object(text: str, at: int, depth: int) -> Value:
    members: list[tuple[Value, Value]] = []
    end = _next(text, at + 1)
    while text[end] != "}":
        key = _string(text, end)
        value = _plain(text, _next(text, key.end), depth + 1)
        members.append(member(key, value))
        end = _next(text, value.end)
    return Value("object", at, end + 1, members=tuple(members))


_LITERAL = regex(r"[^\s,\]}]+")
_BETWEEN = regex(r"[\s,:]*")


def _next(text: str, at: int) -> int:
    """The start of the next value or bracket: in valid text, what is between has no meaning."""
    return _BETWEEN.match(text, at).end()  # type: ignore[union-attr] # it also matches the empty string


def _depth(text: str) -> int:
    """The maximum number of open brackets; 0 if there are few."""
    if text.count("[") + text.count("{") <= MAX_PARSED_DEPTH:
        return 0
    depth = deepest = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in "]}":
            depth = max(depth - 1, 0)
    return deepest


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
        return max(len(before) - 1, 0), len(before), "the text ends before everything is closed"
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
    return at, _line_end(text, at), expected.get(error.msg, "this is no JSON value")


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
