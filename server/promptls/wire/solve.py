"""Sizes that a program sent otherwise than a row says: which numbers of the row explain them.

Every size of a preview knows the numbers of the row that it is the sum of (``kit/facts.py``). A number that makes more
sizes right than wrong is taken, the one that does so for most of them first.
"""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.facts import Number
from promptls.wire.difference import is_other_size
from promptls.wire.gaps import end_of, groups
from promptls.wire.offers import as_in_preview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.core.model import Prompt
    from promptls.kit.facts import Place
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture


@dataclass(frozen=True, slots=True)
class Observed:
    """A size of a preview, of which numbers it is made, and how much was sent.

    Prose may name a directory or a day, so a size near the one that was measured may be right (``is_prose``).
    """

    terms: Mapping[Place, int]
    expected: int
    sent: int
    is_prose: bool = False

    def is_right(self, size: int, *, is_near: bool = True) -> bool:
        """Whether the program sent as much; with ``is_near``, about as much of what is prose."""
        return not is_other_size(self.sent, size) if self.is_prose and is_near else self.sent == size


def observed(prompt: Prompt, found: Capture, both: Sides) -> Iterator[Observed]:
    """The sizes of a preview that was made of a traced row, beside what was sent."""
    for pair in both.pairs:
        gaps = pair.gaps or {}
        for group in groups(pair.expected.segments, list(gaps)):
            inside = [each for at in group for each in pair.expected.segments[at : end_of(pair.expected.segments, at)]]
            sizes = [each.elided.size_offline for each in inside if each.elided]
            if None not in sizes:
                size, sent = sum(size or 0 for size in sizes), sum(len(gaps[at]) for at in group)
                yield from _made_of(size, sent, is_prose=True)
    offered = {each.name: each.size for each in as_in_preview(found.offered, prompt.tools or ())}
    for tool in prompt.tools or ():
        if tool.enabled and tool.size and tool.name in offered:
            yield from _made_of(tool.size, offered[tool.name], is_prose=False)


def _made_of(size: int, sent: int, *, is_prose: bool) -> Iterator[Observed]:
    if isinstance(size, Number) and size.terms:
        yield Observed(size.terms, int(size), sent, is_prose)


def solved(sizes: Sequence[Observed], values: Mapping[Place, int]) -> dict[Place, int]:
    """The numbers that explain ``sizes``, where they differ from ``values``, those of the row.

    First those that make sizes right to the character, and none of them wrong. One size of several numbers does not
    tell which of them it is.
    """
    changed: dict[Place, int] = {}
    for is_near in (False, True):
        while (best := _best(sizes, values, changed, is_near=is_near)) is not None:
            place, value = best
            changed[place] = value
    return {place: value for place, value in changed.items() if value != values[place]}


def _best(
    sizes: Sequence[Observed], values: Mapping[Place, int], changed: Mapping[Place, int], *, is_near: bool
) -> tuple[Place, int] | None:
    """The number that makes most sizes right; None if there is none that makes more right than wrong."""

    def now(each: Observed, more: Mapping[Place, int]) -> int:
        return each.expected + sum(
            count * (more.get(place, changed.get(place, values[place])) - values[place])
            for place, count in each.terms.items()
        )

    # With how many other numbers it is a size, at least.
    tried: dict[tuple[Place, int], int] = {}
    for each in sizes:
        is_now = now(each, {})
        for place, count in each.terms.items() if not each.is_right(is_now, is_near=is_near) else ():
            if (each.sent - is_now) % count == 0:
                way = place, changed.get(place, values[place]) + (each.sent - is_now) // count
                tried[way] = min(len(each.terms), tried.get(way, len(each.terms)))
    ranked = []
    for (place, value), beside in tried.items():
        within = [each for each in sizes if place in each.terms]
        before = [each.is_right(now(each, {}), is_near=is_near) for each in within]
        after = [each.is_right(now(each, {place: value}), is_near=is_near) for each in within]
        gain = sum(after) - sum(before)
        spoils = any(was and not stays for was, stays in zip(before, after, strict=True))
        # A size of one number says what that is. What is large is rather what a size is made of than a change to it.
        is_sure = not spoils and (gain > 1 or beside == 1)
        if gain > 0 and (is_near or is_sure):
            ranked.append((not spoils, beside == 1, gain, abs(values[place]), -beside, place, value))
    best = max(ranked, key=lambda each: each[:5], default=None)
    return (best[5], best[6]) if best is not None else None
