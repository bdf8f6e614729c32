"""What fills the gaps of a message: between its texts stands prose that the preview has by its size only."""

from __future__ import annotations

from promptls.wire.difference import is_other_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Message, Segment

# A line of a file that is shorter says nothing of where a text is from.
TELLING = 12


def fill(segments: Sequence[Segment], text: str) -> dict[int, str] | None:
    """What stands in the gaps of a message, by the number of the segment; None if its texts are not all there."""
    for is_sized in (True, False):
        found = _fill(segments, text, is_sized=is_sized)
        if found is not None:
            return found
    return None


def _fill(segments: Sequence[Segment], text: str, *, is_sized: bool) -> dict[int, str] | None:
    """``is_sized``: of several places of a text, take the one that suits the size of the gap before it."""
    gaps: dict[int, str] = {}
    at = 0
    open_gap: int | None = None
    for own, numbers, is_last in runs(segments):
        if not own:
            open_gap = numbers[0]
            continue
        size = size_of(segments, open_gap, numbers)
        start = _place(text, own, at, size if is_sized else 0, is_open=open_gap is not None, is_last=is_last)
        if start < 0:
            return None
        if open_gap is not None:
            gaps[open_gap] = text[at:start]
            open_gap = None
        at = start + len(own)
    if open_gap is not None:
        gaps[open_gap] = text[at:]
        at = len(text)
    return gaps if at == len(text) else None


def _place(text: str, own: str, at: int, size: int, *, is_open: bool, is_last: bool) -> int:
    """Where ``own`` stands at or after ``at``; -1 if nowhere."""
    if not is_open:
        return at if text.startswith(own, at) else -1
    if is_last:
        start = len(text) - len(own)
        return start if start >= at and text.endswith(own) else -1
    after = text.find(own, min(at + size, len(text)))
    before = text.rfind(own, at, at + size + len(own) - 1) if size else -1
    if before < 0 or (after >= 0 and after - at - size <= at + size - before):
        return after if after >= 0 else text.find(own, at)
    return before


def runs(segments: Sequence[Segment]) -> Iterator[tuple[str, list[int], bool]]:
    """Neighbours of one kind together: the text, "" for gaps; their numbers; and whether they are the last."""
    at = 0
    while at < len(segments):
        is_gap = segments[at].elided is not None
        end = at
        while end < len(segments) and (segments[end].elided is not None) == is_gap:
            end += 1
        own = "" if is_gap else "".join(each.text for each in segments[at:end])
        yield own, list(range(at, end)), end == len(segments)
        at = end


def size_of(segments: Sequence[Segment], gap: int | None, after: list[int]) -> int:
    """The characters that were measured for the gaps from ``gap`` up to ``after``; 0 if they are not known."""
    sizes = [each.elided.size_offline for each in segments[gap : after[0]] if each.elided] if gap is not None else []
    return 0 if None in sizes else sum(size or 0 for size in sizes)


def other_gaps(message: Message, gaps: dict[int, str]) -> list[tuple[list[Segment], int, int, bool]]:
    """The gaps that differ from their measure, as ``measured`` has them."""
    return [
        (group, wanted, size, is_least)
        for group, wanted, size, is_least in measured(message, gaps)
        if is_other_size(size, wanted) and not (is_least and size > wanted)
    ]


def measured(message: Message, gaps: dict[int, str]) -> Iterator[tuple[list[Segment], int, int, bool]]:
    """The gaps with their measure and what was sent, and whether the measure is the least that is sent.

    Gaps count together up to a text that tells where they end: one such as a line break may stand anywhere. Where the
    size of one is not known, the others of its group are the least.
    """
    segments = message.segments
    for group in groups(segments, list(gaps)):
        inside = [segments[at : end_of(segments, at)] for at in group]
        sizes = [each.elided.size_offline for run in inside for each in run if each.elided]
        wanted, size = sum(each or 0 for each in sizes), sum(len(gaps[at]) for at in group)
        yield [run[0] for run in inside], wanted, size, None in sizes


def groups(segments: Sequence[Segment], gaps: list[int]) -> Iterator[list[int]]:
    """Gaps between texts such that they hardly stand anywhere else; each begins with its first segment."""
    group: list[int] = []
    for at in gaps:
        before = "".join(each.text for each in segments[_start_of(segments, at) : at])
        if group and len(before.strip()) >= TELLING:
            yield group
            group = []
        group.append(at)
    if group:
        yield group


def _start_of(segments: Sequence[Segment], at: int) -> int:
    while at > 0 and segments[at - 1].elided is None:
        at -= 1
    return at


def end_of(segments: Sequence[Segment], at: int) -> int:
    """Where the gap ends that begins with a segment."""
    while at < len(segments) and segments[at].elided is not None:
        at += 1
    return at
