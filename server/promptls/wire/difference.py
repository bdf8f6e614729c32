"""Where a program does not send what a preview shows, and what it sends otherwise each time."""

from __future__ import annotations

import re

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from promptls.core.model import Segment

    Kind = Literal["missing", "text", "role", "order", "size", "extra", "tool"]
    from promptls.kit.launch import Passing


# How far a size may be from the one that was measured, and still be nearly the same.
TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a capture is not as the preview says: ``expected`` is the segment that says so, with its rule.

    ``message`` counts from 1, in the capture where there is one; ``diff``: lines that begin with ``-`` for what the
    preview has and with ``+`` for what was sent.
    """

    kind: Kind
    says: str
    message: int
    expected: Segment | None = None
    diff: tuple[str, ...] = ()


def is_other_size(size: int, measured: int) -> bool:
    """Whether a text of the program's own is not the one that was measured: it is longer or shorter by over 1 %."""
    return abs(size - measured) > TOLERANCE * max(measured, 100)


def nearly(title: str, size: int, measured: int) -> str:
    """A sentence on a size that is not the one that was measured, but no difference."""
    return f"{title} ({size:,} characters were sent, not {measured:,})"


def as_expected(rule: Passing, expected: str, sent: str) -> str:
    """``sent`` with what a rule leaves open as in ``expected``; unchanged where the rule does not apply."""
    if rule.of_servers:
        return re.sub(rule.of_servers, "", sent)
    if rule.text:
        return _with_texts(rule.text, sent, [each[0] for each in re.finditer(rule.text, expected)])
    for other, wanted in rule.either:
        # Both would be a difference.
        sent = sent if wanted in sent else sent.replace(other, wanted)
    return _ordered(rule.order, expected, sent) if rule.order else sent


def _with_texts(pattern: str, sent: str, texts: list[str]) -> str:
    """``sent`` with ``texts`` in the place of what it has for ``pattern``, if there are as many."""
    if len(texts) != len(re.findall(pattern, sent)):
        return sent
    left = iter(texts)
    return re.sub(pattern, lambda _: next(left), sent)


def _ordered(pattern: str, expected: str, sent: str) -> str:
    """``sent`` in the order of ``expected``: the group of ``pattern`` tells its texts apart."""
    wanted = [each[1] for each in re.finditer(pattern, expected)]
    found = {each[1]: each[0] for each in re.finditer(pattern, sent)}
    return _with_texts(pattern, sent, [found[each] for each in wanted]) if {*wanted} == {*found} else sent
