"""Texts of more tokens than the read tool answers with: a page of them, or a refusal (captured: read-large).

The service counts the tokens of a text that is not small. Where it does not, as in a run without a network, the program
goes by the length: that is what is shown, and a note says what the service's own count may leave.
"""

from __future__ import annotations

import re
from math import floor

from promptls.core.lazy import regex
from promptls.core.model import Cut
from promptls.core.spec import ending
from promptls.core.text import newlines, units
from promptls.core.tokens import ASSUMED, counter
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.message_blocks import NAME, kilobytes
from promptls.kit.javascript import head as first_units
from promptls.kit.paths import native
from promptls.kit.segments import elided, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Origin
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.versions import Facts

VARIABLE = "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS"
# A number as JavaScript finds it at the beginning of a text: 5e3x (captured).
_NUMBER = regex(r"\s*\+?(\d{1,15}(?:\.\d{0,15})?(?:[eE]\+?\d{1,2})?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Page:
    """The beginning of a text: what ``cut`` says of it."""

    text: str
    cut: Cut


@dataclass(frozen=True, slots=True)
class Size:
    """The ``tokens`` of a text, as the program reckons them by its length, and the ``most`` that the tool answers with.

    ``is_counted``: the service is asked for their number. ``setting``: what raises the limit.
    """

    path: str
    text: str
    tokens: int
    most: int
    is_counted: bool
    setting: Origin | None

    @property
    def is_large(self) -> bool:
        """Whether not all of it is sent."""
        return self.tokens > self.most


def size_of(setup: Setup, path: str, text: str) -> Size:
    """The size of a text that is read from the file at ``path``: a file or some of its lines."""
    facts, (given, setting) = setup.facts, setup.variables.get(VARIABLE, ("", None))
    number = _NUMBER.match(given)
    is_set = number is not None and float(number[1]) >= 1
    most = floor(float(number[1])) if number is not None and is_set else facts.read_tokens
    text = newlines(text) if "\r\n" in text else text
    each = facts.read_dense_unit if ending(path) in facts.read_dense else facts.read_unit
    tokens = floor(units(text) / each + 0.5)
    return Size(path, text, tokens, most, tokens > most * facts.read_counted, setting if is_set else None)


def page(facts: Facts, size: Size, tokens: int | None = None) -> Page:
    """What is sent of a large text, if it has so many ``tokens``: a share of its lines, fewer while these are too many.

    Where not one line is left, it is the beginning of the first one.
    """
    tokens = size.tokens if tokens is None else tokens
    share = size.most * facts.read_page / tokens
    lines, whole = size.text.split("\n"), units(size.text)
    kept = floor(len(lines) * share)
    while kept and units("\n".join(lines[:kept])) * tokens > size.most * whole:
        kept = floor(kept * facts.read_page_less)
    limit = f"{NAME}'s read tool answers with {size.most:,} tokens at most"
    if kept:
        return Page("\n".join(lines[:kept]), Cut(kept, len(lines), "lines", limit, size.setting))
    letters = floor(whole * share)
    text = size.text[: first_units(size.text, letters)]
    return Page(text, Cut(letters, whole, "characters", limit, size.setting))


def page_note(facts: Facts, size: Size, sent: Page) -> Block:
    """What is said of a page."""
    why, cut = "the file has more tokens than a read answers with", sent.cut
    if cut.unit == "lines":
        shown = f"showing lines 1-{cut.kept} of {cut.total} total"
        end, left = "). ", facts.read_page_note + len(f"{cut.kept + 1}{cut.kept}")
    else:
        shown = f"showing the first {cut.kept} of {cut.total} characters"
        end, left = "); ", facts.read_letters_note
    says = f"[Truncated: PARTIAL view — {native(size.path)}: {shown} ({size.tokens} tokens, cap {size.most}{end}"
    note = elided("runtime", NAME, "note on a part of a file", why=why, size=left)
    return [head(says, "runtime", path=size.path), replace(note, cache="turn")]


def too_many_tokens(facts: Facts, size: Size) -> Block:
    """What is answered where some lines of a file are asked for, and have too many."""
    says = f"File content ({size.tokens} tokens) exceeds maximum allowed tokens ({size.most}). "
    return _refusal(facts, size.path, says, f"it has more than {size.most:,} tokens")


def too_many_bytes(facts: Facts, path: str, size: int) -> Block:
    """What is answered where a file is read as a whole that has too many."""
    says = f"File content ({kilobytes(size)}) exceeds maximum allowed size ({kilobytes(facts.mention_limit)}). "
    return _refusal(facts, path, says, f"it has more than {facts.mention_limit:,} bytes")


def _refusal(facts: Facts, path: str, says: str, why: str) -> Block:
    rest = elided("runtime", NAME, f"refusal to read {path}", why=why, size=facts.read_refused)
    return [head(says, "runtime", path=path), replace(rest, cache="turn")]


def note_on_count(setup: Setup, size: Size, less: str = "") -> str:
    """What nobody can know before the request: how much the service's own count leaves; "" where that is all of it.

    ``less``: what is sent of a text that is too large, if it is no page.
    """
    count = counter(setup.model)
    about, error = count(size.text) if size.is_counted else 0, max(count.whole_error, ASSUMED)
    low, high = about * (100 - error) // 100, about * (100 + error) // 100
    if not size.is_counted or (high <= size.most and not size.is_large):
        return ""
    least = less or _share_that_is_sent(page(setup.facts, size, high)) if high > size.most else "all of it"
    most = less or _share_that_is_sent(page(setup.facts, size, low)) if low > size.most else "all of it"
    sends = least if least == most else f"{least} to {most}"
    return (
        f"{NAME} sends {size.most:,} tokens of a file at most, and the service counts them. Shown is what it sends of "
        f"{size.path} where nobody counts, by its length: {size.tokens:,} tokens. promptls estimates {low:,} to "
        f"{high:,}, of which it sends {sends}."
    )


def _share_that_is_sent(sent: Page) -> str:
    return f"{sent.cut.kept:,} of {sent.cut.total:,} {sent.cut.unit}"
