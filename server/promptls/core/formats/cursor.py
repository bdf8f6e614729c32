"""Where in a half-typed text the cursor stands: only what is before it counts, so nothing behind has to be whole."""

from __future__ import annotations

import re

from promptls.core.values import dataclass


@dataclass(frozen=True, slots=True)
class JsonCursor:
    """A place in JSON. ``keys`` lead to it: names of objects, and numbers of items of arrays.

    ``is_key``: a key of the object at ``keys`` is expected, or typed; else it is the value at ``keys``. ``start``
    is the offset of what is typed of it, behind the quote if ``is_string``; ``typed`` is that text.
    """

    keys: tuple[str | int, ...]
    is_key: bool
    start: int
    typed: str
    is_string: bool


_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\r\n]|\\.)*(?P<end>"?))|(?P<comment>//[^\r\n]*|/\*.*?(?:\*/|\Z))|[^\s]', re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)")
# Deeper than any configuration.
MAX_DEPTH = 200


@dataclass(slots=True)
class _Level:
    """An open container: the key or number that it is at, and whether a key is next."""

    is_object: bool
    key: str | int = 0
    is_key_next: bool = False


def json_cursor(text: str, offset: int) -> JsonCursor | None:
    """Where ``offset`` is in JSON (comments allowed); None in a comment, outside of everything or much too deep."""
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
    """Follow a bracket or comma; False if that cannot be done."""
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


def front_matter_word(text: str, offset: int) -> str | None:
    """The key that is typed at ``offset`` in front matter, closed or not; None where no key can stand."""
    if not re.match(r"---[ \t]*\r?\n", text):
        return None
    before = text[:offset]
    if re.search(r"^---[ \t]*$", before[3:], re.MULTILINE):
        return None
    line = re.search(r"^[\w-]*\Z", before, re.MULTILINE)
    return line[0] if line and line.start() > 0 and not line[0].startswith("-") else None


_MENTION = re.compile(r"(?<!\S)@(\S*)\Z")


def mention_word(text: str, offset: int) -> str | None:
    """What is typed behind an ``@`` at ``offset``; None without one."""
    start = text.rfind("\n", 0, offset) + 1
    found = _MENTION.search(text[start:offset])
    return found[1] if found else None
