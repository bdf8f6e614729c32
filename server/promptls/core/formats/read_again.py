"""Front matter that a harness tolerates: invalid YAML is read again with quotes.

What each form becomes was seen one by one: tests/harnesses/data/claude_code_front_matter.json.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from promptls.core.formats import parse_yaml
from promptls.core.formats.tree import Document
from promptls.core.lazy import regex
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Value

# White space in JavaScript.
_BLANK = r"[ \t\n\v\f\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
_OPENING = regex(rf"---{_BLANK}*\n")
_BLANKS = regex(rf"{_BLANK}*")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The result of reading a file's front matter.

    ``document`` is its YAML, None where there is none or it cannot be read; ``unread`` tells the two apart. Its
    offsets are counted from ``start`` in the file, also where it was read again. ``body`` is where the text after
    it begins, 0 without front matter.
    """

    document: Document | None = None
    unread: bool = False
    start: int = 0
    end: int = 0
    body: int = 0

    def get(self, key: str) -> Value | None:
        """The value of ``key``."""
        root = self.document.root if self.document is not None else None
        return root.get(key) if root is not None else None

    def text(self, key: str) -> str | None:
        """The string at ``key``; None if there is none."""
        value = self.get(key)
        return value.data if value is not None and isinstance(value.data, str) else None

    def span(self, value: Value) -> tuple[int, int]:
        """The place of a value in the file."""
        return self.start + value.start, self.start + value.end


def read(text: str) -> FrontMatter:
    """The front matter of a file: up to the first three dashes, even if they are part of a line."""
    opening = _OPENING.match(text) if text.startswith("---") else None
    end = text.find("---", opening.end()) if opening else -1
    if opening is None or end < 0:
        return FrontMatter()
    # The blank lines after it, and the beginning of the next line, belong to it.
    body = _BLANKS.match(text, end + 3).end()  # type: ignore[union-attr] # it also matches the empty string
    matter = text[opening.end() : end]
    document = strict(matter) or _parse_again(matter)
    return FrontMatter(document, document is None, opening.end(), end, body)


@lru_cache(maxsize=64)
def strict(text: str) -> Document | None:
    """The YAML; None if the harness's own parser would raise: also for a pattern without quotes, as ``*.py``."""
    document = parse_yaml(text)
    if document.flaw is not None:
        return None
    aliases = {text[each.start + 1 : each.end] for each in _strings(document.root) if text.startswith("*", each.start)}
    return document if aliases <= set(_ANCHOR.findall(text) if aliases else ()) else None


_ANCHOR = regex(r"&([^\s,\[\]{}]+)")


def _strings(root: Value | None) -> Iterator[Value]:
    waiting = [root] if root is not None else []
    while waiting:
        value = waiting.pop()
        if value.kind == "string":
            yield value
        waiting += value.items
        waiting += (each for pair in value.members for each in pair)


# -- reading it again ------------------------------------------------------------------------------------------

_KEY = regex(rf"([a-zA-Z_-]+):{_BLANK}+(\S.*)")
_SPECIAL = regex(r"[{}\[\]*&#!|>%@`]|: ")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line before and after it was repaired: where it begins, and the tabs before it that became two blanks each.

    ``value`` is the columns of a value that was put into quotes: where it begins before and after, and how long it
    was.
    """

    before: int
    after: int
    tabs: int
    value: tuple[int, int, int] | None


def _parse_again(text: str) -> Document | None:
    """The YAML with quoted values and the offsets of ``text``; None if that is not valid either."""
    repaired, lines = _repaired(text)
    document = strict(repaired)
    if document is None or document.root is None:
        return document
    starts = [line.after for line in lines]

    def place(offset: int, *, is_end: bool) -> int:
        line = lines[bisect_right(starts, offset) - 1]
        column = offset - line.after
        if line.value is None:
            return line.before + max(column - line.tabs, 0)
        start, quoted, size = line.value
        if column < quoted:
            return line.before + min(column, start)
        return line.before + start + (size if is_end else 0)

    def placed(value: Value) -> Value:
        return replace(
            value,
            start=place(value.start, is_end=False),
            end=place(value.end, is_end=True),
            items=tuple(map(placed, value.items)),
            members=tuple((placed(key), placed(each)) for key, each in value.members),
        )

    return Document(text, placed(document.root), None)


def _repaired(text: str) -> tuple[str, list[_Line]]:
    """Quotes values that are special to YAML, and replaces each leading tab by two spaces."""
    found: list[str] = []
    lines: list[_Line] = []
    before = after = 0
    for line in text.split("\n"):
        tabs = len(line) - len(line.lstrip("\t"))
        new, value = "  " * tabs + line[tabs:], None
        key = _KEY.fullmatch(line)
        if key and _needs_quotes(key[2]):
            escaped = key[2].replace("\\", "\\\\").replace('"', '\\"')
            new, value = f'{key[1]}: "{escaped}"', (key.start(2), len(key[1]) + 2, len(key[2]))
        found.append(new)
        lines.append(_Line(before, after, tabs, value))
        before, after = before + len(line) + 1, after + len(new) + 1
    return "\n".join(found), lines


def _needs_quotes(value: str) -> bool:
    """Whether to quote a value: it is not quoted, contains something special, and is not a list that YAML can read."""
    is_quoted = any(value.startswith(quote) and value.endswith(quote) for quote in "\"'")
    if is_quoted or not _SPECIAL.search(value):
        return False
    if value.startswith("[") and value.endswith("]"):
        document = strict(value)
        return document is None or document.root is None or document.root.kind != "array"
    return True
