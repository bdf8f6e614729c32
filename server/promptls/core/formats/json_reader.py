"""How JSON is read: ``parse_json`` imports this with the first text. What has a flaw broken_json.py reads."""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.formats.tree import MAX_DEPTH, TOO_DEEP, Document, Flaw, Value, member
from promptls.core.lazy import regex

# tree-sitter takes half a minute to parse a megabyte of open brackets.
MAX_PARSED_DEPTH = 1000
_STRING_OR_BRACKET = regex(r'"(?:[^"\\\n]|\\.)*+"?|[\[{]|[\]}]')


@lru_cache(maxsize=64)
def parse(text: str, *, comments: bool, trailing_commas: bool = True) -> Document:
    """As ``parse_json``."""
    if _is_too_deep(text):
        return Document(text, None, Flaw(0, len(text), TOO_DEEP))
    plain = _without_comments(text, trailing_commas=trailing_commas) if comments else text
    try:
        return Document(text, _document(plain), None)
    except _NotPlainError:
        from promptls.core.formats import broken_json  # noqa: PLC0415 - importing it takes half as long as a preview

        return broken_json.parse(text, plain)


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

    without = _STRING_OR_COMMENT.sub(comment, text) if "//" in text or "/*" in text else text
    return _STRING_OR_LAST_COMMA.sub(comma, without) if trailing_commas else without


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_PARSED_DEPTH:
        return False
    depth = deepest = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in "]}":
            depth = max(depth - 1, 0)
    return deepest > MAX_PARSED_DEPTH


# -- what has no flaw --------------------------------------------------------------------------------------------------

# A number of more digits may be too large for Python.
LONGEST_NUMBER = 300
_SPACE = regex(r"[ \t\n\r]*+")
_STRING = regex(r'"(?:[^"\\\x00-\x1f]|\\.)*+"')
_NUMBER = regex(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")


class _NotPlainError(Exception):
    """There is a flaw, or it is nested too deeply."""


def _document(text: str) -> Value:
    value = _value(text, _skip(text, 0), 0)
    if _skip(text, value.end) < len(text):
        raise _NotPlainError
    return value


def _value(text: str, at: int, depth: int) -> Value:
    if text.startswith('"', at):
        return _string(text, at)
    if text.startswith(("{", "["), at):
        if depth >= MAX_DEPTH:
            raise _NotPlainError
        return _array(text, at, depth) if text[at] == "[" else _object(text, at, depth)
    for word in ("true", "false", "null"):
        if text.startswith(word, at):
            return Value(word, at, at + len(word))
    number = _NUMBER.match(text, at)
    if number is None or len(number[0]) > LONGEST_NUMBER:
        raise _NotPlainError
    return Value("number", at, number.end(), data=float(number[0]))


def _string(text: str, at: int) -> Value:
    found = _STRING.match(text, at)
    if found is None:
        raise _NotPlainError
    literal = found[0]
    return Value("string", at, found.end(), data=_unescaped(literal) if "\\" in literal else literal[1:-1])


def _unescaped(literal: str) -> str:
    import json  # noqa: PLC0415 - few strings have escapes

    try:
        return str(json.loads(literal))
    except ValueError:
        raise _NotPlainError from None


def _array(text: str, at: int, depth: int) -> Value:
    items: list[Value] = []
    end = _skip(text, at + 1)
    while items or not text.startswith("]", end):
        items.append(_value(text, end, depth + 1))
        end = _skip(text, items[-1].end)
        if text.startswith("]", end):
            break
        end = _after(text, end, ",")
    return Value("array", at, end + 1, items=tuple(items))


def _object(text: str, at: int, depth: int) -> Value:
    members: list[tuple[Value, Value]] = []
    end = _skip(text, at + 1)
    while members or not text.startswith("}", end):
        key = _string(text, end)
        value = _value(text, _after(text, _skip(text, key.end), ":"), depth + 1)
        members.append(member(key, value))
        end = _skip(text, value.end)
        if text.startswith("}", end):
            break
        end = _after(text, end, ",")
    return Value("object", at, end + 1, members=tuple(members))


def _after(text: str, at: int, mark: str) -> int:
    if not text.startswith(mark, at):
        raise _NotPlainError
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    """The first place from ``at`` that is no white space."""
    return _SPACE.match(text, at).end()  # type: ignore[union-attr] # it also matches the empty string
