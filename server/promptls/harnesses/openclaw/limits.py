"""What OpenClaw keeps of a workspace file that is over its limit, unit for unit.

Sections named here are those of the harness specification for openclaw; ``source`` is dist/bootstrap-*.mjs of the
package. Sizes are JavaScript's: UTF-16 units.
"""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.text import units
from promptls.core.values import dataclass
from promptls.harnesses.openclaw.versions import NEWEST
from promptls.kit import javascript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from promptls.harnesses.openclaw.versions import Facts

AGENTS = "AGENTS.md"
# What makes a line rule-like, and one that comes first: whole words, and marks that need no word around them; patterns.
FIRST_WORDS = (
    r"AGENTS\.md", "scoped", "required", "must", "never", "do not", "before subtree", "read scoped",
    "security", "secret", "credential",
)  # fmt: skip
OTHER_WORDS = ("owner", "test", "validation", "command", "commit", "push", "github", "pr")
FIRST_MARKS = ("🔴", "禁止", "嚴禁", "不得", "絕不", "絕對不", "切勿")
OTHER_MARKS = ("必須", "務必", "一律", "紅線")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of what is sent: ``start`` is its offset in the file, None for text of OpenClaw's own."""

    text: str
    start: int | None = None
    is_digest: bool = False


def fit(name: str, text: str, limit: int, facts: Facts = NEWEST) -> list[Piece]:
    """The pieces of ``text`` (its end trimmed) that are sent under ``limit``; one piece if all of it is."""
    if units(text) <= limit:
        return [Piece(text, 0)]
    pieces = _fit_agents(facts, text, limit) if name == AGENTS else _fit_any(facts, name, text, limit)
    return _cut(pieces, limit)


def kept_size(pieces: Iterable[Piece]) -> int:
    """How many units of the file are sent as they are."""
    return sum(units(piece.text) for piece in pieces if piece.start is not None)


def size(pieces: Iterable[Piece]) -> int:
    """How many units are sent."""
    return sum(units(piece.text) for piece in pieces)


def squeeze(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces with runs of three and more LF as two: done after all limits, across pieces too (source)."""
    squeezed: list[Piece] = []
    run = 0
    for piece in pieces:
        begin = 0
        for at, letter in enumerate(piece.text):
            run = run + 1 if letter == "\n" else 0
            if run > 2:  # noqa: PLR2004 - an empty line is two LF
                squeezed.append(_part(piece, begin, at))
                begin = at + 1
        squeezed.append(_part(piece, begin, len(piece.text)))
    return [piece for piece in squeezed if piece.text]


def _part(piece: Piece, begin: int, end: int) -> Piece:
    return Piece(piece.text[begin:end], None if piece.start is None else piece.start + begin, piece.is_digest)


def _cut(pieces: list[Piece], limit: int) -> list[Piece]:
    """The first ``limit`` units, where even the mark is too long."""
    found: list[Piece] = []
    for piece in pieces:
        end = javascript.head(piece.text, limit)
        found.append(_part(piece, 0, end))
        limit -= units(piece.text)
    return [piece for piece in found if piece.text]


# -- any file ----------------------------------------------------------------------------------------------------


def _fit_any(facts: Facts, name: str, text: str, limit: int) -> list[Piece]:
    """Three quarters of what the mark leaves from the beginning, a quarter from the end (wire: user-md-limit)."""
    total = units(text)

    def long_mark(head: int, tail: int) -> str:
        kept_line = f"…(truncated {name}: kept {head}+{tail} chars of {total})…"
        return f"\n[...truncated, read {name} for full content...]\n{kept_line}\n"

    def short_mark(head: int, tail: int) -> str:
        return f"[…truncated {head}+{tail}/{total}]"

    is_long = limit - units(long_mark(0, 0)) - 2 >= facts.little_text
    mark = long_mark if is_long else short_mark
    head, tail = _shares(facts, limit, mark, is_long=is_long)
    join = "\n" if is_long else ""
    end, begin = javascript.head(text, head), javascript.tail(text, tail)
    return [
        Piece(text[:end], 0),
        Piece(join),
        Piece(mark(head, tail)),
        Piece(join),
        Piece(text[begin:], begin),
    ]


def _shares(facts: Facts, limit: int, mark: Callable[[int, int], str], *, is_long: bool) -> tuple[int, int]:
    """How many units of head and tail fit around a mark that names these very numbers."""

    def around(head: int, tail: int) -> int:
        return units(mark(head, tail)) + (bool(head) + bool(tail) if is_long else 0)

    head = tail = 0
    for _ in range(3):
        room = max(0, limit - around(head, tail))
        before, head, tail = (head, tail), int(room * facts.head), int(room * facts.tail)
        if (head, tail) == before:
            break
    while (over := head + tail + around(head, tail) - limit) > 0 and tail:
        tail = max(0, tail - over)
    if not head and not tail and 1 + around(1, 0) <= limit:
        head = 1
    return head, tail


# -- AGENTS.md ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule-like line, with the line of prose right before it."""

    text: str
    is_first: bool


def _fit_agents(facts: Facts, text: str, limit: int) -> list[Piece]:
    """A head, a digest of the rule-like lines of the whole file, and a tail (wire: per-file-limit)."""
    head, tail = int(limit * facts.agents_head), int(limit * facts.agents_tail)
    budget = int(limit * facts.agents_digest)
    rules = list(_rules(text, facts.digest_line)) if budget else []
    pieces = _agents_pieces(text, head, tail, *_digest(rules, budget))
    while (over := size(pieces) - limit) > 0 and budget > 0:  # what the digest may have is the last to go
        if tail > 0:
            tail = max(0, tail - over)
        elif head > 1:
            head = max(1, head - over)
        else:
            budget = max(0, budget - over)
        pieces = _agents_pieces(text, head, tail, *_digest(rules, budget))
    return pieces


def _agents_pieces(text: str, head: int, tail: int, digest: str, omitted: int) -> list[Piece]:
    end, begin = javascript.head(text, head), javascript.tail(text, tail)
    lines = [
        Piece(text[:end], 0),
        Piece(f"[...truncated, read {AGENTS} for full content...]"),
        Piece(f"[Policy digest from {AGENTS}]" if digest else ""),
        Piece(digest, None, is_digest=True),
        Piece(f"[...{omitted} more policy lines omitted...]" if omitted else ""),
        Piece(f"…(truncated {AGENTS}: kept {head}+policy {units(digest)}+{tail} chars of {units(text)})…"),
        Piece(text[begin:], begin),
    ]
    kept_lines = [line for line in lines if line.text]
    joined = [part for line in kept_lines for part in (line, Piece("\n"))]
    return joined[:-1]


def _rules(text: str, longest: int) -> Iterable[_Rule]:
    """The rule-like lines: headings, list items, and lines with one of the words."""
    prose: str | None = None
    for source in re.split(r"\r?\n", text):
        line = _SPACE.sub(" ", source.strip(javascript.SPACE))
        if units(line) > longest:
            line = line[: javascript.head(line, longest - 1)] + "…"
        if not line or line.startswith(("```", "~~~")):
            prose = None
        elif (is_first := _FIRST.search(line) is not None) or _ITEM.match(line) or _OTHER.search(line):
            yield _Rule(line if prose is None else f"{prose}\n{line}", is_first)
            prose = None
        else:
            prose = line


def _digest(rules: list[_Rule], budget: int) -> tuple[str, int]:
    """As many rules as fit, those of the first kind before all others, in the file's order; and how many do not."""
    if budget <= 0:
        return "", 0  # without room for a digest, nothing counts as omitted (source)
    chosen: set[int] = set()
    used = 0
    for wanted in (True, False):
        for at, rule in enumerate(rules):
            cost = units(rule.text) + bool(chosen)
            # What did not fit in the first round is tried again in the second (source).
            if at not in chosen and (rule.is_first or not wanted) and used + cost <= budget:
                chosen.add(at)
                used += cost
    return "\n".join(rules[at].text for at in sorted(chosen)), len(rules) - len(chosen)


_SPACE = regex(f"[{javascript.SPACE}]+")
_ITEM = regex(r"(?:#{1,6}|[-*+]|[0-9]+[.)]) [^ ]")
_FIRST = regex(rf"\b(?:{'|'.join(FIRST_WORDS)})\b|{'|'.join(FIRST_MARKS)}", re.IGNORECASE | re.ASCII)
_OTHER = regex(rf"\b(?:{'|'.join(OTHER_WORDS)})\b|{'|'.join(OTHER_MARKS)}", re.IGNORECASE | re.ASCII)
