"""The place of the cursor in incomplete text: only the text before it counts, so the rest need not be valid."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.values import dataclass


@dataclass(frozen=True, slots=True)
class JsonCursor:
    """A place in JSON. ``keys`` lead to it: names of objects, and numbers of items of arrays.

    ``is_key``: a key of the object at ``keys`` is expected, or typed; else it is the value at ``keys``. ``start``
    is the offset of what is typed of it, after the quote if ``is_string``; ``typed`` is that text.
    """

    keys: tuple[str | int, ...]
    is_key: bool
    start: int
    typed: str
    is_string: bool


_TOKEN = regex(r'(?P<string>"(?:[^"\\\r\n]|\\.)*(?P<end>"?))|(?P<comment>//[^\r\n]*|/\*.*?(?:\*/|\Z))|[^\s]', re.DOTALL)
_ESCAPE = regex(r"\\(.)")
# Deeper than any configuration.
MAX_DEPTH = 200


@dataclass(slots=True)
class _Level:
    """An open container: the key or number that it is at, and whether a key is next."""

    is_object: bool
    key: str | int
    is_key_next: bool


def json_cursor(text: str, offset: int) -> JsonCursor | None:
    """The place of ``offset`` in JSON (comments allowed); None in a comment, outside any value or much too deep."""
    levels: list[_Level] = []
    for token in _TOKEN.finditer(text, 0, offset):
        string = token["string"]
        if token["comment"] is not None:
            if token.end() == offset and not (token[0].startswith("/*") and token[0].endswith("*/")):
                return None
        elif string is not None and not token["end"]:
            if token.end() < offset:  # the string was left open on a line before
                continue
            return _cursor(levels, token.start() + 1, string[1:], is_string=True)
        elif string is not None:
            _take_string(levels, _ESCAPE.sub(r"\1", string[1:-1]))
        elif not _take_mark(levels, token[0]):
            return None
    return _cursor(levels, offset, "", is_string=False)


def _take_string(levels: list[_Level], text: str) -> None:
    level = levels[-1] if levels else None
    if level is not None and level.is_object and level.is_key_next:
        level.key, level.is_key_next = text, False


def _take_mark(levels: list[_Level], mark: str) -> bool:
    """Follow a bracket or comma; False if that is not possible."""
    if mark in "{[":
        levels.append(_Level(mark == "{", "" if mark == "{" else 0, is_key_next=mark == "{"))
        return len(levels) <= MAX_DEPTH
    if mark in "}]" and levels:
        levels.pop()
    elif mark == "," and levels:
        level = levels[-1]
        level.is_key_next = level.is_object
        level.key = level.key + 1 if isinstance(level.key, int) else level.key
    return True


def _cursor(levels: list[_Level], start: int, typed: str, *, is_string: bool) -> JsonCursor | None:
    if not levels:
        return None
    is_key = levels[-1].is_object and levels[-1].is_key_next
    keys = tuple(level.key for level in (levels[:-1] if is_key else levels))
    return JsonCursor(keys, is_key, start, typed, is_string)


_CLOSED = regex(r"\n---[ \t]*\r?$", re.MULTILINE)


def front_matter_word(text: str, offset: int) -> str | None:
    """The key being typed at ``offset`` in front matter, closed or not; None where no key is allowed."""
    if not re.match(r"---[ \t]*\r?\n", text):
        return None
    before = text[:offset]
    if _CLOSED.search(before):
        return None
    line = re.search(r"^[\w-]*\Z", before, re.MULTILINE)
    return line[0] if line and line.start() > 0 and not line[0].startswith("-") else None


_FIELD = regex(r"(?P<key>[\w-]+):[ \t]*(?P<value>.*)\Z")
_ITEM = regex(r"[ \t]*-[ \t]+(?P<value>.*)\Z")


def front_matter_value(text: str, offset: int) -> tuple[str, str] | None:
    """The key of front matter whose value is typed at ``offset``, and what is typed of it; None where none is.

    Of a list, and of a text with commas, that is the last part.
    """
    if not re.match(r"---[ \t]*\r?\n", text) or _CLOSED.search(text, 0, offset):
        return None
    *before, line = text[:offset].split("\n")
    field = _FIELD.match(line)
    if field is None and (item := _ITEM.match(line)) is not None:
        holders = (_FIELD.match(each) for each in reversed(before) if not _ITEM.match(each))
        holder = next(holders, None)
        key, value = holder["key"] if holder else "", item["value"]
    elif field is not None:
        key, value = field["key"], field["value"].lstrip("[ ")
    else:
        return None
    typed = value.rpartition(",")[2].lstrip().lstrip("\"'")
    return (key, typed) if key and not re.search(r"[\"'\s]", typed) else None


@dataclass(frozen=True, slots=True)
class TomlCursor:
    """A place in TOML: the table, and the key whose value is typed, None where a key is.

    ``typed`` is what is there of it, after the quote if ``is_string``.
    """

    table: tuple[str, ...]
    key: str | None
    typed: str
    is_string: bool


_TABLE = regex(r"^[ \t]*\[([\w.\- ]+)\][ \t]*(?:#.*)?$", re.MULTILINE)
_KEY = regex(r"[ \t]*([\w-]*)\Z")
_ASSIGNED = regex(r"[ \t]*([\w.-]+)[ \t]*=[ \t]*")
_TYPED = regex(r"(?P<quote>[\"']?)(?<![\w@.-])(?P<typed>[\w@.-]*+)\Z")
_ARRAY = regex(r"^[ \t]*[\w.-]+[ \t]*=[ \t]*\[[^\]]*\Z", re.MULTILINE)


def toml_cursor(text: str, offset: int) -> TomlCursor | None:
    """Where ``offset`` is in TOML, as far as keys, words and lists of words go."""
    before = text[:offset]
    tables = list(_TABLE.finditer(before))
    table = tuple(part.strip() for part in tables[-1][1].split(".")) if tables else ()
    # The open array begins after the last closing bracket.
    array = _ARRAY.search(before, max(tables[-1].end() if tables else 0, before.rfind("]") + 1))
    piece = array[0] if array else before[before.rfind("\n") + 1 :]
    if (assigned := _ASSIGNED.match(piece)) is not None:
        value = _TYPED.search(piece, assigned.end())
        is_list = piece[assigned.end() : assigned.end() + 1] == "[" and "]" not in piece
        if value is not None and (is_list or value.start() == assigned.end()):
            return TomlCursor(table, assigned[1], value["typed"], bool(value["quote"]))
    key = _KEY.match(piece)
    return TomlCursor(table, None, key[1], is_string=False) if key else None


_MENTION = regex(r"(?<!\S)@(\S*)\Z")


def mention_word(text: str, offset: int) -> str | None:
    """The text typed after an ``@`` at ``offset``; None without an ``@``."""
    start = text.rfind("\n", 0, offset) + 1
    found = _MENTION.search(text[start:offset])
    return found[1] if found else None
