"""The text of a Claude Code instruction file: what of it is sent, and what it imports (specification, 2 and 3)."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache, partial

from promptls.core.formats import markdown
from promptls.core.formats.read_again import read
from promptls.core.lazy import regex
from promptls.core.text import BOM, newlines
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def sent(
    text: str, *, is_marked: bool = False, drops_definitions: bool = False
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text and what of it is sent, offsets: without front matter and block-level comments (2, text processing).

    Where a comment is removed, every line of the file ends with a line feed (wire: comment-crlf). A byte order mark
    before the text keeps a comment that begins it (wire: byte-order-marks). ``drops_definitions``: with a comment
    somewhere, definitions of links are left out, too, and line ends are always line feeds.
    """
    return _sent(text, read(text).body, is_marked=is_marked, drops_definitions=drops_definitions)


def _sent(text: str, body: int, *, is_marked: bool, drops_definitions: bool) -> tuple[str, tuple[tuple[int, int], ...]]:
    removed = [span for span in _removed(text, body, is_marked=is_marked) if span[0] or not is_marked]
    removed += _definitions(text, body, is_marked=is_marked) if drops_definitions else ()
    if (removed or (drops_definitions and "<!--" in text)) and "\r" in text:
        # What is no front matter with carriage returns stays none (captured: rule-carriage-returns).
        body = len(newlines(text[:body]))
        return _sent(newlines(text), body, is_marked=is_marked, drops_definitions=drops_definitions)
    return text, tuple(_not_removed(text, body, sorted(removed)))


def _not_removed(text: str, at: int, removed: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in removed:
        if start > at:
            yield at, start
        at = max(at, end)
    if at < len(text):
        yield at, len(text)


# Letters of these categories are unseen, but for two that join letters; so are a few others.
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs")
_JOINERS = "\t\n\u200c\u200d"
_FILLERS = regex("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]+")


def without_unseen(text: str, kept: Iterable[tuple[int, int]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text of a memory, and what of it is sent: every line ends with a line feed, unseen letters are left out.

    (captured: memory-crlf, memory-letters)
    """
    pieces: list[str] = []
    spans = []
    at = size = 0
    for start, end in kept:
        for piece in (visible_text(text[at:start]), visible_text(text[start:end])):
            pieces.append(piece)
            size += len(piece)
        spans.append((size - len(pieces[-1]), size))
        at = end
    return "".join([*pieces, visible_text(text[at:])]), tuple(spans)


def visible_text(text: str) -> str:
    """The text without unseen letters, each line with a line feed at its end."""
    text = _FILLERS.sub("", newlines(text).replace("\u2028", "\n").replace("\u2029", "\n"))
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    import unicodedata  # noqa: PLC0415 - few memories have such letters

    return "".join(each for each in text if each in _JOINERS or unicodedata.category(each) not in _UNSEEN)


_COMMENT = regex(r"<!--.*?-->", re.DOTALL)
_AFTER_BLOCK = regex(r"[ \t]*(?:(?:\r\n|\n|\r)+|\Z)")
# A line that ends a paragraph or is none.
_NO_PARAGRAPH = regex(r" {0,3}(?:#{1,6}(?:[ \t]|$)|(?:=+|-+|(?:[-*_][ \t]*){3,})[ \t]*$)")


def _parsed(text: str, body: int, *, is_marked: bool) -> Iterator[markdown.Span]:
    """The spans from ``body`` on, as offsets of ``text``.

    A byte order mark belongs to the first line, so that no block begins with it (captured: bom-fence).
    """
    if not (is_marked or body):
        yield from markdown.parse(text)
        return
    mark = BOM if is_marked and not body else ""
    at = body - len(mark)
    for span in markdown.parse(mark + text[body:]):
        yield replace(span, start=max(body, at + span.start), end=at + span.end)


def _removed(text: str, body: int, *, is_marked: bool) -> Iterator[tuple[int, int]]:
    """Comments that begin a line outside of lists and quotations; with the line ends where nothing else is there."""
    if "<!--" not in text:
        return
    before: markdown.Span | None = None
    for span in _parsed(text, body, is_marked=is_marked):
        start, end = span.start, span.end
        block, above, before = text[start:end], before, span
        if span.kind != "html" or span.is_nested or not block.lstrip().startswith("<!--") or "-->" not in block:
            continue
        if above is not None and above.kind == "text" and _is_indented_below_text(text, start):
            continue
        if _without_comments(block, "").strip():
            last = block.rfind("-->") + 3
            yield from ((start + found.start(), start + found.end()) for found in _COMMENT.finditer(block, 0, last))
            continue
        # The blank lines after it belong to it.
        end = start + len(block.rstrip())
        ends = _AFTER_BLOCK.match(text, end)
        line_start = text.rfind("\n", body, start) + 1 or body
        yield (line_start if not text[line_start:start].strip() else start), (ends.end() if ends else end)


def _is_indented_below_text(text: str, start: int) -> bool:
    """Whether a block belongs to the paragraph above: only without indentation it ends that (wire: comment-blanks)."""
    line = text.rfind("\n", 0, start) + 1
    # Of lines that end with carriage returns alone all is one line.
    end = max(line - 1, 0)
    above = text[text.rfind("\n", 0, end) + 1 : end]
    is_indented = start > line or text.startswith((" ", "\t"), start)
    return is_indented and bool(above.strip()) and not _NO_PARAGRAPH.match(above)


_LINK_DEFINITION = regex(r"^\[[^\[\]\n]+\]:[^\n]*(?:\n|\Z)(?:[ \t\r]*\n)*", re.MULTILINE)


def _definitions(text: str, body: int, *, is_marked: bool) -> Iterator[tuple[int, int]]:
    """Definitions of links that begin a line, which those in lists and quotations do not, and the blank lines after."""
    if "<!--" not in text or "]:" not in text:
        return
    spans = list(_parsed(text, body, is_marked=is_marked))
    starts = [span.start for span in spans]
    for found in _LINK_DEFINITION.finditer(text, body):
        at = bisect_right(starts, found.start()) - 1
        if at < 0 or spans[at].end <= found.start():
            yield found.span()


def _without_comments(text: str, letter: str) -> str:
    """The text with ``letter`` for each of a comment; after the last end nothing is looked for."""
    last = text.rfind("-->") + 3 if "-->" in text else 0
    return _COMMENT.sub(lambda found: letter * len(found[0]), text[:last]) + text[last:]


_IMPORT = regex(r"(?<!\S)@((?:[^\s\\]|\\ )+)")
_FIRST_LETTER = regex(r"[A-Za-z0-9._-]|/.|~/")


def recognised(text: str, *, is_marked: bool = False) -> Iterator[tuple[int, int, str]]:
    """The imports in a text: start, end and what they name, as Claude Code recognises them (3)."""
    yield from _known(text, is_marked)


# The same text is read for each session that has it.
@lru_cache(maxsize=128)
def _known(text: str, is_marked: bool) -> tuple[tuple[int, int, str], ...]:
    return tuple(_recognised(text, is_marked=is_marked))


def _recognised(text: str, *, is_marked: bool) -> Iterator[tuple[int, int, str]]:
    body = read(text).body
    spans = list(_parsed(text, body, is_marked=is_marked))
    defined = _defined(text, body, spans) if "]:" in text else frozenset()
    for span in spans:
        start, end = span.start, span.end
        piece = text[start:end]
        if span.kind == "html" and piece.lstrip().startswith("<!--"):
            # What is beside a comment counts; the comment becomes blanks of the same length.
            piece = _without_comments(piece, " ")
            piece = piece if "<!--" not in piece else ""
        elif span.kind != "text":
            continue
        if defined:
            piece = _REFERENCE.sub(partial(_without_brackets, defined), piece)
        for found in _IMPORT.finditer(piece):
            target = found[1].partition("#")[0].replace("\\ ", " ")
            if _FIRST_LETTER.match(target):
                yield start + found.start(), start + found.end(), target


# A reference link, [text][name], [text][] or [text], and where a name is defined.
_REFERENCE = regex(r"(!?)\[([^\[\]]*)\](?:\[([^\[\]]*)\])?")
_DEFINITION = regex(r"^[ \t>*+-]*\[([^\[\]]+)\]:", re.MULTILINE)


def _defined(text: str, body: int, spans: Sequence[markdown.Span]) -> frozenset[str]:
    """The names of links that are defined: definitions are no running text, and so are in none of the spans."""
    starts = [span.start for span in spans]
    names: set[str] = set()
    for found in _DEFINITION.finditer(text, body):
        at = bisect_right(starts, found.start()) - 1
        if at < 0 or spans[at].end <= found.start():
            names.add(_name(found[1]))
    return frozenset(names)


def _name(label: str) -> str:
    return " ".join(label.split()).lower()


def _without_brackets(defined: frozenset[str], found: re.Match[str]) -> str:
    """The text of a link that is one, between blanks: an import in it counts; that of an image does not."""
    image, inner, label = found.groups()
    if _name(label or inner) not in defined:
        return found[0]
    shown = " " * len(inner) if image else inner
    return " " * (found.start(2) - found.start()) + shown + " " * (found.end() - found.end(2))


_ALMOST = regex(r"@((?:~/|\.{0,2}/)?[\w.-]+(?:/[\w.-]+)*\.\w+)")
# Not meant so, most likely; what is in code or in HTML is.
GLUED = "there is no white space before the @"
_WHERE: dict[str, str] = {
    "code": "it is in a code span",
    "fence": "it is in a code block",
    "indented": "it is in a code block",
    "html": "it is in HTML",
    "tag": "it is in HTML",
    "text": GLUED,
}


def unrecognised(text: str, *, is_marked: bool = False) -> Iterator[tuple[int, int, str, str]]:
    """What looks like an import of a file and is none: start, end, what it names, and why."""
    yield from _almost(text, is_marked)


@lru_cache(maxsize=128)
def _almost(text: str, is_marked: bool) -> tuple[tuple[int, int, str, str], ...]:
    return tuple(_unrecognised(text, is_marked=is_marked)) if _ALMOST.search(text) else ()


def _unrecognised(text: str, *, is_marked: bool) -> Iterator[tuple[int, int, str, str]]:
    body = read(text).body
    taken = {start for start, _, _ in recognised(text, is_marked=is_marked)}
    for span in _parsed(text, body, is_marked=is_marked):
        for found in _ALMOST.finditer(text, span.start, span.end):
            if found.start() not in taken:
                yield found.start(), found.end(), found[1], _WHERE[span.kind]
