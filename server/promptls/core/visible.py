"""Makes foreign names and texts safe to show: no commands for a terminal, a CI log or a Markdown view remain."""

from __future__ import annotations

import re

from promptls.core.lazy import regex

# Control characters as symbols; 8-bit ones have no symbol, nor have those that reverse the text direction.
_PICTURES = {
    **{code: 0x2400 + code for code in range(32)},
    ord("\n"): 0x2424,
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys((0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    **dict.fromkeys((0x85, 0x2028, 0x2029), 0x2424),
}
_PICTURES_BUT_TABS = {code: picture for code, picture in _PICTURES.items() if code != ord("\t")}
# Commands in the log of a CI service: at the start of a line, or anywhere.
_COMMAND = regex(r"^(\s*)(?=::)|(?<=#)(?=#(?:\[|vso\[))")
# A word of a sentence, or a number: seven hexadecimal digits may be a commit. What may stand around it.
_WORD = regex(r"(?![0-9a-fA-F]{7,}$)[A-Za-z]+(?:[-'][A-Za-z]+)*|[-+]?\d{1,3}(?:,\d{3})*|[→·—…]|")
_BEFORE, _AFTER = "(“", ")”.,;:!?"
_MARKS, _FIRST = frozenset("\\`*[]<>#|~&_"), "-+="
_MARKDOWN = regex(r"[\\`*\[\]<>#|]|~(?=~)|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])|^\s*(?:[-+=]|\d{1,9}(?=[.)]))")


def visible(text: str, *, keep_tabs: bool = False) -> str:
    """``text`` as one line with symbols for control characters, including those that reverse its direction."""
    # Most text is printable, and that is quick to check.
    return text if text.isprintable() else text.translate(_PICTURES_BUT_TABS if keep_tabs else _PICTURES)


def inert(line: str) -> str:
    """``line`` with a backslash where a CI service would read a command, such as ``::error::``."""
    return _COMMAND.sub(r"\1\\", line) if "::" in line or "##" in line else line


def plain(text: str) -> str:
    """``text`` escaped so that Markdown shows it literally, on one line."""
    text = visible(text)
    # Most names and sentences have nothing of it, and that is quick to check.
    is_plain = _MARKS.isdisjoint(text) and not (text[:1] in _FIRST or text[:1].isspace() or text[:1].isdecimal())
    return text if is_plain else _MARKDOWN.sub(_escaped, text)


def code(text: str) -> str:
    """``text`` as a code span of Markdown, on one line."""
    text = visible(text) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def unlinked(text: str) -> str:
    """``text`` as Markdown that a forge shows literally, on one line, and makes no link or mention of.

    A backslash does not keep ``@name``, ``#12``, ``owner/name#12``, a commit or an address from becoming one. A code
    span does, so that everything but plain words stands in one.
    """
    return " ".join(map(_unlinked, visible(text).split(" ")))


def cell(markdown: str) -> str:
    """Markdown on one line as a cell of a table, where a ``|`` ends the cell in a code span, too."""
    return markdown.replace("|", "\\|")


def _unlinked(word: str) -> str:
    rest = word.lstrip(_BEFORE)
    inner = rest.rstrip(_AFTER)
    before, after = word[: len(word) - len(rest)], rest[len(inner) :]
    return word if _WORD.fullmatch(inner) else f"{before}{code(inner)}{after}"


def _escaped(found: re.Match[str]) -> str:
    """After a number at the start of a line, the punctuation is escaped, not the number."""
    letters = found[0]
    return f"{letters}\\" if letters[-1].isdigit() else f"{letters[:-1]}\\{letters[-1]}"
