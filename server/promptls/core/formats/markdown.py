"""Markdown: the places of code, HTML and plain text, as exact offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from promptls.core.formats.grammars import parser
from promptls.core.formats.tree import Offsets
from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from tree_sitter import Node

    Kind = Literal["fence", "indented", "code", "html", "tag", "text"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text by offsets. ``is_nested``: it is in a list or a quotation.

    ``fence`` and ``indented`` are blocks of code, ``code`` is a code span, ``html`` a block of HTML (also a
    comment) with its line ends, ``tag`` a tag or comment inside of a paragraph. ``text`` is a run of plain text
    between all these and the marks of emphasis, links, images and escapes.
    """

    kind: Kind
    start: int
    end: int
    is_nested: bool


def code(text: str) -> list[Span]:
    """Blocks of code and code spans, in order."""
    return [span for span in parse(text) if span.kind in ("fence", "indented", "code")]


@lru_cache(maxsize=64)
def parse(text: str) -> tuple[Span, ...]:
    """Every span of ``text``, in order; ``text`` is without front matter. Never raises."""
    # One line end in front: otherwise dashes on the first line would start front matter.
    # NUL at the end would end the text early.
    encoded = text.encode("utf-8", "replace").replace(b"\0", b"\1")
    source = _LONG_RUN.sub(_as_letters, b"\n" + encoded)
    offsets = Offsets(text)
    blocks, inlines = parser("tree_sitter_markdown"), parser("tree_sitter_markdown", "inline_language")

    def span(kind: Kind, start: int, end: int, *, is_nested: bool) -> Span:
        return Span(kind, offsets[max(start - 1, 0)], offsets[max(end - 1, 0)], is_nested)

    found: list[Span] = []
    for node, is_nested in _blocks(blocks.parse(source).root_node):
        start, end = node.start_byte, node.end_byte
        if node.type in _BLOCKS:
            found.append(span(_BLOCKS[node.type], start, end, is_nested=is_nested))
            continue
        piece = source[start:end]
        if not _MARKS.search(piece):
            found.append(span("text", start, end, is_nested=is_nested))
            continue
        if len(_EMPHASIS.findall(piece)) > MAX_EMPHASIS:
            piece = _EMPHASIS.sub(_as_letters, piece)
        pieces = _inline(inlines.parse(piece).root_node)
        found += [span(kind, start + first, start + last, is_nested=is_nested) for kind, first, last in pieces]
    return tuple(found)


@lru_cache(maxsize=64)
def first_words(text: str) -> str:
    """The first paragraph outside lists and quotations, else the first heading, without marks, in one line."""
    source = b"\n" + text.encode("utf-8", "replace").replace(b"\0", b"\1")
    first = ""
    for kind, start, end in _running(
        parser("tree_sitter_markdown").parse(_LONG_RUN.sub(_as_letters, source)).root_node
    ):
        words = " ".join(_plain(source[start:end]).split())
        if words and kind == "paragraph":
            return words
        first = first or words
    return first


def _running(root: Node) -> Iterator[tuple[str, int, int]]:
    """The paragraphs and headings outside lists and quotations, in order, with their running text."""
    stack = [(root, "")]
    while stack:
        node, kind = stack.pop()
        if node.type == "inline" or (node.type == "paragraph" and kind != "heading" and not node.children):
            yield kind, node.start_byte, node.end_byte
        elif node.type not in (*_NESTING, *_BLOCKS, "pipe_table"):
            inside = "heading" if "heading" in (kind, node.type.rpartition("_")[2]) else node.type
            stack.extend((child, inside) for child in reversed(node.children))


def _plain(piece: bytes) -> str:
    """Running text without its marks, tags and images, and with what its entities stand for."""
    import html  # noqa: PLC0415 - rarely asked for

    if len(_EMPHASIS.findall(piece)) > MAX_EMPHASIS:
        return piece.decode()
    root = parser("tree_sitter_markdown", "inline_language").parse(piece).root_node
    said, at = "", root.start_byte
    # A line end behind a backslash stays one.
    piece = piece.replace(b"\\\n", b" \n")
    for node in _interruptions(root):
        written = piece[node.start_byte : node.end_byte].decode()
        said += html.unescape(piece[at : node.start_byte].decode())
        said += {
            "code_span": written.strip("`").strip(),
            "uri_autolink": written[1:-1],
            "email_autolink": written[1:-1],
            "backslash_escape": written[1:],
        }.get(node.type, "")
        at = max(at, node.end_byte)
    return said + html.unescape(piece[at : root.end_byte].decode())


@dataclass(frozen=True, slots=True)
class Link:
    """The target of an inline link, as it is written; ``start`` and ``end`` are its offsets."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of ``level`` 1 to 6; ``start`` is the offset of its line, ``end`` that of the end of its section."""

    start: int
    end: int
    level: int
    title: str


_LINK = regex(r"(?<!\\)\]\(\s*(?:<([^<>\r\n]+)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()]*)*))")
_HEADING = regex(r"^ {0,3}(#{1,6})[ \t]++([^\r\n]*+)\r?$", re.MULTILINE)


def links(text: str) -> list[Link]:
    """The inline links of ``text`` outside code, in order."""
    found = list(_LINK.finditer(text))
    inside = Inside(code(text) if found else ())
    return [
        Link(*match.span(group), match[group])
        for match in found
        if inside.at(match.start()) is None
        for group in (1 if match[1] else 2,)
    ]


def headings(text: str) -> list[Heading]:
    """The headings of ``text`` outside code, in order, without those underlined by dashes."""
    found = list(_HEADING.finditer(text))
    inside = Inside(code(text) if found else ())
    marks = [(each.start(), len(each[1]), _title(each[2])) for each in found if inside.at(each.start()) is None]
    open_ones: list[int] = []
    ends = [len(text)] * len(marks)
    for number, (start, level, _) in enumerate(marks):
        while open_ones and marks[open_ones[-1]][1] >= level:
            ends[open_ones.pop()] = start
        open_ones.append(number)
    return [Heading(start, end, level, title) for (start, level, title), end in zip(marks, ends, strict=True)]


def _title(written: str) -> str:
    """The text of a heading without its closing number signs."""
    return written.rstrip(" \t").rstrip("#").rstrip(" \t")


class Inside:
    """Finds the span that contains an offset; the spans are in order and do not overlap."""

    __slots__ = ("_spans", "_starts")

    def __init__(self, spans: Sequence[Span]) -> None:
        """``spans``: as ``code`` gives them."""
        self._spans = spans
        self._starts = [span.start for span in spans]

    def at(self, offset: int) -> Span | None:
        """The span that contains ``offset``; None if there is none."""
        number = bisect_right(self._starts, offset) - 1
        return self._spans[number] if number >= 0 and offset < self._spans[number].end else None


_BLOCKS: dict[str, Kind] = {
    "fenced_code_block": "fence",
    "indented_code_block": "indented",
    "html_block": "html",
}
# Read as running text: not every reader of Markdown knows tables, and their text is the same.
_RUNNING = ("inline", "pipe_table")
_NESTING = ("list", "block_quote")
_MARKS = regex(rb"[`*_\[<\\]")
# The parser takes quadratic time for such a run, which has no meaning.
_LONG_RUN = regex(rb"([~*_])\1{499,}")
# Also for unclosed emphasis. In a paragraph or table with more runs than these, none is parsed as emphasis.
_EMPHASIS = regex(rb"[~*_]+")
MAX_EMPHASIS = 500


def _as_letters(run: re.Match[bytes]) -> bytes:
    return b"x" * len(run[0])


def _blocks(root: Node) -> Iterator[tuple[Node, bool]]:
    """The relevant leaves, in order, and whether they are in a list or quotation."""
    stack = [(root, False)]
    while stack:
        node, is_nested = stack.pop()
        if node.type in _BLOCKS or node.type in _RUNNING:
            yield node, is_nested
        else:
            is_nested = is_nested or node.type in _NESTING
            stack.extend((child, is_nested) for child in reversed(node.children))


_CUT_OUT: dict[str, Kind | None] = {
    "code_span": "code",
    "html_tag": "tag",
    "emphasis_delimiter": None,
    "link_destination": None,
    "link_title": None,
    "image": None,
    "uri_autolink": None,
    "email_autolink": None,
    "backslash_escape": None,
}


def _inline(root: Node) -> Iterator[tuple[Kind, int, int]]:
    """The pieces of running text: what is cut out, and the plain text between."""
    at = root.start_byte
    for node in _interruptions(root):
        if node.start_byte > at:
            yield "text", at, node.start_byte
        kind = _CUT_OUT.get(node.type)
        if kind is not None:
            yield kind, node.start_byte, node.end_byte
        at = max(at, node.end_byte)
    if root.end_byte > at:
        yield "text", at, root.end_byte


def _interruptions(root: Node) -> Iterator[Node]:
    """The nodes that interrupt plain text, in order."""
    # With the kind of its parent: finding the parent of a node takes a walk from the root.
    stack = [(root, "")]
    while stack:
        node, holder = stack.pop()
        kind = node.type
        if kind in _CUT_OUT or (holder == "inline_link" and kind in "[]()"):
            yield node
        else:
            stack.extend((child, kind) for child in reversed(node.children))
