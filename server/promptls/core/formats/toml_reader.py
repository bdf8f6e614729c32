"""How TOML is read: ``parse_toml`` imports this with the first text.

tree-sitter reads the text, halfway typed or not; ``tomllib`` judges whether it is valid and reads single values.
"""

from __future__ import annotations

from functools import lru_cache

from promptls.core.formats.grammars import parser
from promptls.core.formats.tree import MAX_DEPTH, TOO_DEEP, Document, Flaw, Offsets, Value, member
from promptls.core.lazy import regex
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from promptls.core.formats.tree import Kind

_KEYS = ("bare_key", "quoted_key", "dotted_key")
_TABLES = ("table", "table_array_element")

# A key with more parts is not read: ``tomllib`` takes minutes for a hundred thousand.
_LONG_KEY = regex(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){200}")


@lru_cache(maxsize=64)
def parse(text: str) -> Document:
    """As ``parse_toml``."""
    if _LONG_KEY.search(text):
        return Document(text, None, Flaw(0, len(text), TOO_DEEP))
    tree = parser("tree_sitter_toml").parse(text.encode("utf-8", "replace"))
    return Document(text, _Reader(text).value(tree.root_node), _flaw(text))


_PLACE = regex(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _flaw(text: str) -> Flaw | None:
    import tomllib  # noqa: PLC0415 - a folder without TOML starts faster

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        said = str(error)
        place = _PLACE.search(said)
        clause = said[: place.start()] if place else said
        at = _offset(text, int(place[1]), int(place[2])) if place and place[1] else len(text.rstrip())
        return Flaw(*_span_at(text, at), f"{clause[:1].lower()}{clause[1:]}")
    except (RecursionError, ValueError):  # ValueError: an integer of more digits than Python converts
        return Flaw(0, len(text), TOO_DEEP)
    return None


def _offset(text: str, line: int, column: int) -> int:
    """The offset of a line and column from 1; a line ends at a line feed only."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start + column - 1


def _span_at(text: str, at: int) -> tuple[int, int]:
    """From ``at`` to the end of its line, or the whole line if nothing follows."""
    at = min(at, len(text))
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    if text[at:end].strip():
        return at, end
    start = text.rfind("\n", 0, at) + 1
    line = text[start:end]
    first = start + len(line) - len(line.lstrip())
    return first, max(first, start + len(line.rstrip()))


@dataclass(slots=True)
class _Table:
    """A table under construction: headers and dotted keys add to it from several places."""

    start: int
    end: int
    members: dict[str, tuple[Value, _Table | _List | Value]] = field(default_factory=dict)

    def set(self, key: Value, value: _Table | _List | Value) -> None:
        self.members[str(key.data)] = key, value

    def below(self, key: Value) -> _Table:
        """The table at ``key``, the last one of an array of tables; made if there is none."""
        found = self.members.get(str(key.data))
        value = found[1] if found else None
        if isinstance(value, _List):
            return value.items[-1]
        if not isinstance(value, _Table):
            value = _Table(key.start, key.end)
            self.set(key, value)
        return value


@dataclass(slots=True)
class _List:
    """An array of tables under construction."""

    items: list[_Table]


def _freeze(value: _Table | _List | Value) -> Value:
    if isinstance(value, Value):
        return value
    if isinstance(value, _List):
        items = tuple(map(_freeze, value.items))
        return Value("array", items[0].start, items[-1].end, items=items)
    members = tuple(member(key, _freeze(inner)) for key, inner in value.members.values())
    return Value("object", value.start, value.end, members=members)


class _Reader:
    """Turns tree-sitter's nodes, whose offsets are bytes, into values with offsets into the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets = Offsets(text)

    def value(self, root: Node) -> Value:
        """The whole document, always a table."""
        top = _Table(0, len(self._text))
        self._fill(top, top, root)
        return _freeze(top)

    def _fill(self, top: _Table, current: _Table, root: Node) -> None:
        """Read pairs and tables; those in an invalid stretch still count."""
        stack = [(root, current)]
        while stack:
            node, table = stack.pop()
            if node.type == "pair":
                self._pair(table, node, 0)
                continue
            if node.type in _TABLES:
                table = self._header(top, node) or table
            stack.extend((child, table) for child in reversed(node.named_children) if child.type not in _KEYS)

    def _header(self, top: _Table, node: Node) -> _Table | None:
        """The table that ``[key]`` or ``[[key]]`` opens."""
        keys = self._keys(next((child for child in node.named_children if child.type in _KEYS), None))
        if not keys or len(keys) > MAX_DEPTH:
            return None
        table = top
        for key in keys[:-1]:
            table = table.below(key)
        start, end = self._span(node)
        if node.type == "table":
            opened = table.below(keys[-1])
            opened.start, opened.end = start, end
            return opened
        opened = _Table(start, end)
        found = table.members.get(str(keys[-1].data))
        if found and isinstance(found[1], _List):
            found[1].items.append(opened)
        else:
            table.set(keys[-1], _List([opened]))
        return opened

    def _pair(self, table: _Table, node: Node, depth: int) -> None:
        children = [child for child in node.named_children if child.type != "comment"]
        keys = self._keys(children[0] if children else None)
        value = next((found for child in children[1:] if (found := self._read(child, depth + 1))), None)
        if not keys or value is None or len(keys) > MAX_DEPTH:
            return
        for key in keys[:-1]:
            table = table.below(key)
        table.set(keys[-1], value)

    def _keys(self, node: Node | None) -> list[Value]:
        """The parts of a key, in order."""
        if node is None or node.type not in _KEYS:
            return []
        return [self._key(part) for part in _parts(node)]

    def _key(self, node: Node) -> Value:
        start, end = self._span(node)
        literal = self._text[start:end]
        return Value("string", start, end, literal if node.type == "bare_key" else str(_scalar(literal)))

    def _read(self, node: Node, depth: int) -> Value | None:
        if depth > MAX_DEPTH:
            return None
        start, end = self._span(node)
        if node.type in ("array", "ERROR"):
            items = (self._read(child, depth + 1) for child in node.named_children)
            kept = tuple(item for item in items if item)
            is_array = any(child.type == "[" for child in node.children)
            return Value("array", start, end, items=kept) if is_array else next(iter(kept), None)
        if node.type == "inline_table":
            table = _Table(start, end)
            for child in node.named_children:
                if child.type == "pair":
                    self._pair(table, child, depth)
            return _freeze(table)
        if node.type in ("comment", *_KEYS) or node.is_missing:
            return None
        data = _scalar(self._text[start:end])
        if isinstance(data, bool):
            return Value("true" if data else "false", start, end)
        kind: Kind = "string" if isinstance(data, str) else "number" if data is not None else "null"
        return Value(kind, start, end, data)

    def _span(self, node: Node) -> tuple[int, int]:
        return self._offsets[node.start_byte], self._offsets[node.end_byte]


def _parts(key: Node) -> Iterator[Node]:
    """The simple keys of a key; a dotted key contains another on its left, one per dot."""
    stack = [key]
    while stack:
        node = stack.pop()
        if node.type == "dotted_key":
            stack.extend(reversed(node.named_children))
        else:
            yield node


def _scalar(literal: str) -> str | float | bool | None:
    """A single value as TOML reads it; None for a date or time."""
    import tomllib  # noqa: PLC0415 - a folder without TOML starts faster

    try:
        value = tomllib.loads(f"v = {literal}")["v"]
    except (ValueError, RecursionError):  # incomplete, or with too many digits
        return literal.strip("\"'")
    return value if isinstance(value, (str, int, float)) else None
