"""How YAML is read: ``parse_yaml`` imports this with the first text."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from promptls.core.formats.grammars import parser
from promptls.core.formats.tree import MAX_DEPTH, Document, Flaw, Offsets, Value, member
from promptls.core.lazy import regex
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_SEQUENCES = ("block_sequence", "flow_sequence")
_MAPPINGS = ("block_mapping", "flow_mapping")
_ANCHOR_BEFORE = regex(r"(?<=[:\s])&(\S*)")
_NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_-]")
_PAIRS = ("block_mapping_pair", "flow_pair")
_WRAPPERS = ("stream", "document", "block_node", "flow_node", "block_sequence_item", "plain_scalar")


@lru_cache(maxsize=512)
def parse(text: str) -> Document:
    """As ``parse_yaml``."""
    plain = _plain(text)
    if plain is not None:
        return Document(text, plain, None, _AGAIN if _has_again(plain) else frozenset())
    if _is_too_deep(text):
        return Document(text, None, Flaw(0, len(text), "this is nested too deeply"))
    tree = parser("tree_sitter_yaml").parse(text.encode("utf-8", "replace"))
    reader = _Reader(text)
    return Document(text, reader.value(tree.root_node, 0), reader.flaw(tree.root_node), frozenset(reader.odd))


_AGAIN = frozenset({"again"})


def _has_again(mapping: Value) -> bool:
    return len({key.data for key, _ in mapping.members}) < len(mapping.members)


# A key and a word, a sentence or a quoted text on one line, of characters that mean nothing else in YAML.
_PAIR = regex(
    r"""(?P<key>[A-Za-z_][A-Za-z0-9_-]*+):[ ]++
    (?:"(?P<double>[^"\\\r\n]*+)"|'(?P<single>[^'\r\n]*+)'|(?P<bare>[A-Za-z][^\r\n]*+))
    [ ]*+(?:\r?\n|\Z)""",
    re.VERBOSE,
)
_NO_TEXT = ("true", "false", "null")


def _plain(text: str) -> Value | None:
    """A mapping of plain lines, which most front matter is, without the cost of the parser; None for any other."""
    # Tabs, odd line ends and what no YAML has are left to the parser; a pattern for them takes 4 ms to make.
    if not text.replace("\r\n", "").replace("\n", "").isprintable():
        return None
    members: list[tuple[Value, Value]] = []
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None:
            return None
        key, double, single, bare = pair.groups()
        value = _plain_value(bare, pair.start(4)) if bare is not None else _quoted(pair, double, single)
        if value is None or key.lower() in _NO_TEXT:
            return None
        members.append(member(Value("string", at, at + len(key), key), value))
        at = pair.end()
    return Value("object", 0, len(text), members=tuple(members)) if members else None


def _quoted(pair: re.Match[str], double: str | None, single: str) -> Value:
    group = "single" if double is None else "double"
    return Value("string", pair.start(group) - 1, pair.end(group) + 1, single if double is None else double)


def _plain_value(bare: str, start: int) -> Value | None:
    text = bare.rstrip(" ")
    end = start + len(text)
    if text.lower() in _NO_TEXT:
        return Value("true" if text == "true" else "false", start, end) if text in ("true", "false") else None
    return None if ": " in text or " #" in text or text.endswith(":") else Value("string", start, end, text)


# The first character of a line, or after a dash, question mark or colon: where a collection may begin.
_BEGINNING = regex(r"^[ \t]*(?=\S)|(?<=[-?:])[ \t]+(?=\S)")
# tree-sitter-yaml overruns its memory at 254 nested collections; two may begin in one column.
_MAX_COLUMNS = 100


def _is_too_deep(text: str) -> bool:
    """Whether more collections may be open at once than the parser survives; may be wrong for absurd texts."""
    columns: list[int] = []
    for line in re.split(r"[\r\n]", text):
        for found in _BEGINNING.finditer(line):
            while columns and columns[-1] >= found.end():
                columns.pop()
            columns.append(found.end())
            if len(columns) > _MAX_COLUMNS:
                return True
    return False


# Ten lines of aliases of aliases can stand for a million million values: all of a text may add so many.
MOST_ALIASED = 1000


class _Reader:
    """Turns tree-sitter's nodes into values."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets = Offsets(text)
        self._anchored: dict[str, Value] = {}
        self._left = MOST_ALIASED
        self.odd = {"tab"} if _TAB.search(text) else set[str]()

    def flaw(self, root: Node) -> Flaw | None:
        """The first place that could not be read."""
        if not root.has_error:
            return None
        node: Node | None = root
        while node is not None:
            place = node
            node = next((child for child in node.children if child.has_error), None)
        return Flaw(*self._span(place), "this is not valid YAML")

    def value(self, node: Node, depth: int) -> Value | None:
        """The value that ``node`` is or wraps."""
        if depth > MAX_DEPTH:
            return None
        start, end = self._span(node)
        if node.type in _MAPPINGS or node.type == "ERROR":
            found = Value("object", start, end, members=tuple(self._members(node, depth + 1)))
            self.odd |= _AGAIN if _has_again(found) else set()
            return found if found.members or node.type != "ERROR" else None
        if node.type in _SEQUENCES:
            items = (self.value(child, depth + 1) for child in node.named_children)
            return Value("array", start, end, items=tuple(item for item in items if item))
        if node.type in _WRAPPERS:
            return self._wrapped(node, depth)
        literal = self._text[start:end]
        if node.type == "alias":
            return self._aliased(literal, start, end, depth)
        if node.type == "block_scalar" and "+" in literal.partition("\n")[0]:
            # The parser leaves out the empty lines after it, which it keeps.
            literal += _EMPTY_LINES.match(self._text, end)[0]  # type: ignore[index] # it matches everywhere
        return _scalar(node.type, literal, start, end, self._indent(node))

    def _wrapped(self, node: Node, depth: int) -> Value | None:
        values = [self.value(each, depth + 1) for each in node.named_children if each.type not in ("anchor", "tag")]
        value = next((each for each in values if each), None)
        for each in node.named_children:
            said = self._text[slice(*self._span(each))]
            if each.type == "anchor" and value is not None:
                self._anchored[said[1:]] = value
            if each.type == "tag" and not said.startswith("!!"):
                self.odd.add("tag")
        return value

    def _aliased(self, literal: str, start: int, end: int, depth: int) -> Value:
        """What an alias stands for; the alias itself where there is no such thing, or all of them are too much."""
        anchored = self._anchored.get(literal[1:])
        if anchored is None:
            self.odd.add("alias")
            return Value("string", start, end, literal)
        size, levels = _extent(anchored, self._left)
        if size > self._left or depth + levels > MAX_DEPTH:
            return Value("string", start, end, literal)
        self._left -= size
        return replace(anchored, start=start, end=end)

    def _indent(self, node: Node) -> int:
        """How far the line is indented that a block belongs to."""
        above: Node | None = node
        while above is not None and above.type not in (*_PAIRS, "block_sequence_item"):
            above = above.parent
        return above.start_point.column if above is not None else 0

    def _members(self, node: Node, depth: int) -> Iterator[tuple[Value, Value]]:
        for pair in node.named_children:
            if pair.type not in _PAIRS:
                continue
            key_node, value_node = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            key = self.value(key_node, depth) if key_node is not None else None
            if key is None:
                continue
            value = self.value(value_node, depth) if value_node is not None else None
            yield member(key, value or Value("null", key.end, key.end))

    def _span(self, node: Node) -> tuple[int, int]:
        return self._offsets[node.start_byte], self._offsets[node.end_byte]


def _extent(value: Value, most: int) -> tuple[int, int]:
    """How many values there are in one, itself included, and how deep they go; of more than ``most`` it says only that.

    A text is read in linear time, so what is too much is not counted.
    """
    waiting, found, deepest = [(value, 0)], 1, 0
    while waiting and found <= most:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        found += len(each.items) + 2 * len(each.members)
        if found <= most:
            inside = (*each.items, *(part for member in each.members for part in member))
            waiting += [(part, depth + 1) for part in inside]
    return found, deepest


# What PyYAML does not take: a tab between a key and its value. What is indented may be the text of a block.
_TAB = regex(r"^[^\s#:]++:[ ]*+\t", re.MULTILINE)


def _scalar(kind: str, literal: str, start: int, end: int, indent: int) -> Value | None:
    # A line may end with CR LF; in the value it is a line feed (YAML 1.2, 5.4).
    literal = literal.replace("\r\n", "\n")
    if kind == "double_quote_scalar":
        return Value("string", start, end, _double_quoted(literal))
    if kind == "single_quote_scalar":
        return Value("string", start, end, _folded(literal[1:-1]).replace("''", "'"))
    if kind == "block_scalar":
        return Value("string", start, end, _block(literal, indent))
    if kind in ("string_scalar", "alias", "timestamp_scalar"):
        return Value("string", start, end, _folded(literal))
    if kind in ("integer_scalar", "float_scalar"):
        try:
            number = float(int(literal, 0)) if literal[:2] in ("0x", "0o") else float(literal)
        except (ValueError, OverflowError):
            return Value("string", start, end, literal)
        return Value("number", start, end, number)
    if kind == "boolean_scalar":
        return Value("true" if literal.lower() == "true" else "false", start, end)
    return Value("null", start, end) if kind == "null_scalar" else None


# The end of a line after a backslash goes, with what the next line begins with.
_CONTINUED = regex(r"(?<!\\)((?:\\\\)*)\\\n[ \t]*")
# Escapes that JSON does not have, and what they stand for.
_ESCAPES = regex(r"\\(x[0-9A-Fa-f]{2}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_LETTERS = dict(zip("0ave \tN_LP", "\0\a\v\x1b \t\x85\xa0\u2028\u2029", strict=True))


def _double_quoted(literal: str) -> str:
    import json  # noqa: PLC0415 - most front matter has no such text

    try:
        return str(json.loads(_ESCAPES.sub(_as_json, _folded(_CONTINUED.sub(r"\1", literal))), strict=False))
    except ValueError:
        return literal.strip('"')


def _as_json(escape: re.Match[str]) -> str:
    """An escape as JSON has it."""
    import json  # noqa: PLC0415 - see above

    which = escape[1]
    if which[0] in "xU":
        number = int(which[1:], 16)
        return json.dumps(chr(number))[1:-1] if number <= sys.maxunicode else escape[0]
    return json.dumps(_LETTERS[which])[1:-1] if which in _LETTERS else escape[0]


def _folded(text: str) -> str:
    """A scalar over several lines as one: a line end is a space, and an empty line is a line end."""
    first, *rest = text.split("\n")
    if not rest:
        return text
    *middle, last = rest
    lines = (first.rstrip(" \t"), *(line.strip(" \t") for line in middle), last.lstrip(" \t"))
    return _LINE_ENDS.sub(lambda found: found[0][1:] or " ", "\n".join(lines))


_NUMBER = regex(r"(?<=[|>+-])[1-9]")
_LINE_ENDS = regex(r"\n+")
_EMPTY_LINES = regex(r"(?:\n(?:[ \t]*\n)*+)?")
# With the line before, if that is indented more, and how the line after begins.
_ENDS_OF_BLOCK = regex(r"(^[ \t][^\n]*)?(\n+)(?=([ \t])?)", re.MULTILINE)


def _block(literal: str, above: int) -> str:
    """The text of a block; a number in its first line says how much further than ``above`` it is indented."""
    header, _, body = literal.partition("\n")
    if not body.strip(" \n") and "+" not in header:
        return ""
    lines = body.split("\n")
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    said = _NUMBER.search(header)
    indent = min(indent, above + int(said[0])) if said is not None else indent
    joined = "\n".join(line[indent:] for line in lines)
    text = joined.rstrip("\n")
    ends = joined[len(text) :]
    if header.startswith(">"):
        # One line end becomes a space; of several, the first is dropped; around a line that is indented more all stay,
        # and so do those before the first line.
        text = _ENDS_OF_BLOCK.sub(
            lambda found: found[0] if found[1] or found[3] or not found.start() else found[2][1:] or " ", text
        )
    if "-" in header:
        return text
    return text + (ends if "+" in header else "\n")


def odd_anchor(text: str, key: Value, value: Value) -> Flaw | None:
    """The anchor between a key and its value in ``text``, if its name has other characters than libyaml allows."""
    anchor = _ANCHOR_BEFORE.search(text, key.end, value.start)
    if anchor is None or not _NOT_IN_A_NAME.search(anchor[1]):
        return None
    return Flaw(anchor.start(), anchor.end(), f"the value of {key.data} begins with &, which YAML reserves")
