"""A preview and a capture side by side: which message is which, what fills the gaps, and where they differ.

A message of a preview is a row of texts with gaps, one for each ``Elided``. It fits a block of a request that has the
same role and these texts in this order, with anything in the gaps.
"""

from __future__ import annotations

import difflib

from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Literal

    from promptls.core.model import Message, Segment
    from promptls.wire.formats import Said

    Kind = Literal["missing", "text", "role", "order", "size", "extra"]

# How far the size of prose may be from the one that was measured, and still be the same.
TOLERANCE = 0.01
# Lines of a difference, and characters of each, that are shown.
MOST_LINES = 40
LONGEST_LINE = 240
# A line of a file that is shorter says nothing of where a text is from.
TELLING = 12


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


@dataclass(frozen=True, slots=True)
class Pair:
    """A message of the preview, the block of the request that it is, and the texts in its gaps, by segment.

    ``gaps`` is None where the texts of the message are not all there.
    """

    expected: Message
    said: Said | None
    number: int
    gaps: dict[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """Both side by side. ``unmatched`` are blocks that no message of the preview stands for, with their numbers."""

    pairs: tuple[Pair, ...]
    unmatched: tuple[tuple[int, Said], ...]
    differences: tuple[Difference, ...]


def compare(
    expected: Sequence[Message], said: Sequence[Said], files: Iterable[str], paths: Collection[str] = ()
) -> Sides:
    """What is the same and what is not. ``files`` are the texts of files of the user's, ``paths`` their names.

    A block that the preview does not have is a difference if it holds a line of one of these, or a name.
    """
    pairs = list(_pairs(expected, said))
    taken = {pair.number for pair in pairs if pair.said is not None}
    unmatched = tuple((number, each) for number, each in enumerate(said, 1) if number not in taken)
    found = [difference for pair in pairs for difference in _of_pair(pair)]
    return Sides(tuple(pairs), unmatched, (*found, *_order(pairs), *_extra(unmatched, files, paths)))


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
    sizes = [each.elided.size for each in segments[gap : after[0]] if each.elided] if gap is not None else []
    return 0 if None in sizes else sum(size or 0 for size in sizes)


def _pairs(expected: Sequence[Message], said: Sequence[Said]) -> Iterator[Pair]:
    """Each message of the preview with its block: those that fit first, then the most alike of the same role."""
    left = dict(enumerate(said, 1))
    found: dict[int, tuple[int, dict[int, str]]] = {}
    after = 0
    for index, message in enumerate(expected):
        fitting = None if _may_say_nothing(message) else _fitting(message, left, after)
        if fitting is not None:
            found[index] = fitting
            after = fitting[0]
            del left[after]
    for index, message in enumerate(expected):
        if _may_say_nothing(message):
            # Between its neighbours, or it has not spoken.
            after = max((found[each][0] for each in found if each < index), default=0)
            before = min((found[each][0] for each in found if each > index), default=len(said) + 1)
            fitting = _fitting(message, {n: each for n, each in left.items() if after < n < before}, after)
            if fitting is not None:
                found[index] = fitting
                del left[fitting[0]]
    for index, message in enumerate(expected):
        if index in found:
            yield Pair(message, said[found[index][0] - 1], *found[index])
            continue
        number = _alike(message, left)
        yield Pair(message, left.pop(number) if number else None, number)


def _may_say_nothing(message: Message) -> bool:
    """Whether a message is only what something that runs may say, such as a hook."""
    gaps = [each.elided for each in message.segments if each.layer == "runtime"]
    is_open = all(each is not None and each.size is None for each in gaps)
    return message.role == "user" and is_open and len(gaps) == len(message.segments)


def _fitting(message: Message, left: dict[int, Said], after: int) -> tuple[int, dict[int, str]] | None:
    """The block that a message fits best: by role, then by the sizes of its gaps, then by its place."""
    best: tuple[tuple[bool, bool, bool, int], int, dict[int, str]] | None = None
    for number, each in left.items():
        gaps = fill(message.segments, each.text)
        if gaps is None:
            continue
        rank = (each.role != message.role, _is_other_size(message, gaps) is not None, number < after, number)
        if best is None or rank < best[0]:
            best = (rank, number, gaps)
    if best is None or (best[0][0] and all(segment.elided for segment in message.segments)):
        return None
    return best[1], best[2]


def _alike(message: Message, left: dict[int, Said]) -> int:
    """The block of the same role that has most of a message's texts; 0 if none has any."""
    own = [segment.text for segment in message.segments if segment.elided is None and segment.text.strip()]
    scores = {
        number: sum(len(text) for text in own if text in each.text) + sum(len(line) for line in _shared(own, each.text))
        for number, each in left.items()
        if each.role == message.role
    }
    best = max(scores, key=lambda number: scores[number], default=0)
    return best if scores.get(best) else 0


def _shared(own: Sequence[str], text: str) -> set[str]:
    lines = {line for each in own for line in each.splitlines() if len(line) >= TELLING}
    return lines.intersection(text.splitlines())


def _of_pair(pair: Pair) -> Iterator[Difference]:
    message = pair.expected
    first = next((each for each in message.segments if not each.frame), message.segments[0])
    if pair.said is None and _may_say_nothing(message):
        return
    if pair.said is None:
        text = "".join(each.text for each in message.segments)
        diff = _cut([f"-{line}" for line in text.splitlines()])
        yield Difference("missing", f"this {message.role} message was not sent", 0, first, diff)
        return
    if pair.said.role != message.role:
        says = f"it was sent as {pair.said.role}, not as {message.role}"
        yield Difference("role", says, pair.number, first)
    gaps = pair.gaps
    if gaps is None:
        yield from _texts(message.segments, pair.said.text, pair.number)
        return
    other = _is_other_size(message, gaps)
    if other is not None:
        segment, measured, size = other
        says = f"{segment.title} has {size:,} characters, not {measured:,}"
        yield Difference("size", says, pair.number, segment)


def _is_other_size(message: Message, gaps: dict[int, str]) -> tuple[Segment, int, int] | None:
    """The gap that differs most from its measure, both sizes, where the message as a whole has another size."""
    measured = {at: size_of(message.segments, at, [_end_of(message.segments, at)]) for at in gaps}
    if not all(measured.values()):
        return None
    whole = sum(len(text) for text in gaps.values())
    most = TOLERANCE * max(sum(measured.values()), 100)
    if abs(whole - sum(measured.values())) <= most:
        return None
    at = max(gaps, key=lambda each: abs(len(gaps[each]) - measured[each]))
    return message.segments[at], measured[at], len(gaps[at])


def _end_of(segments: Sequence[Segment], at: int) -> int:
    while at < len(segments) and segments[at].elided is not None:
        at += 1
    return at


def _texts(segments: Sequence[Segment], text: str, number: int) -> Iterator[Difference]:
    """A difference for each run of texts between two gaps that is not where it should be."""
    at, is_open = 0, False
    waiting: list[Segment] = []
    for own, numbers, _ in runs(segments):
        if not own:
            is_open = True
            continue
        found = text.find(own, at) if is_open or waiting else (at if text.startswith(own, at) else -1)
        if found < 0:
            waiting += [segments[each] for each in numbers]
            continue
        if waiting:
            yield _text_difference(waiting, text[at:found], number)
            waiting = []
        at, is_open = found + len(own), False
    if waiting or (text[at:] and not is_open):
        yield _text_difference(waiting or [replace(segments[-1], text="")], text[at:], number)


def _text_difference(expected: Sequence[Segment], sent: str, number: int) -> Difference:
    """``sent`` may begin and end with prose that stands for a gap: lines before and after the expected ones."""
    before = list(map(_marked, "".join(each.text for each in expected).splitlines(keepends=True)))
    after = list(map(_marked, sent.splitlines(keepends=True)))
    steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    steps = steps[bool(steps and steps[0][0] == "insert" and len(steps) > 1) :]
    steps = steps[: -1 if steps and steps[-1][0] == "insert" and len(steps) > 1 else None]
    diff: list[str] = []
    wrong: list[str] = []
    for what, start, end, first, last in steps:
        if what == "equal":
            diff += [f" {line}" for line in (before[start : start + 1] if diff else before[end - 1 : end])]
            continue
        wrong += before[start:end]
        diff += [*(f"-{line}" for line in before[start:end]), *(f"+{line}" for line in after[first:last])]
    own = next((each for each in expected if any(line in wrong for line in each.text.splitlines())), expected[0])
    return Difference("text", f"{own.title} was not sent as expected", number, own, _cut(diff))


def _marked(line: str) -> str:
    """A line without its end."""
    return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


def _order(pairs: Sequence[Pair]) -> Iterator[Difference]:
    """The messages that come before one that they should follow. Tools have no order."""
    latest = 0
    for pair in pairs:
        if pair.said is None or pair.expected.role == "tools":
            continue
        if pair.number < latest:
            first = next((each for each in pair.expected.segments if not each.frame), pair.expected.segments[0])
            yield Difference("order", f"it was sent before message {latest}, not after it", pair.number, first)
        latest = max(latest, pair.number)


def _extra(unmatched: Iterable[tuple[int, Said]], files: Iterable[str], paths: Collection[str]) -> Iterator[Difference]:
    """Blocks that hold lines of the user's files, or name one, and are not in the preview."""
    lines = {line.strip() for text in files for line in text.splitlines() if len(line.strip()) >= TELLING}
    for number, each in unmatched:
        is_of_files = any(line.strip() in lines for line in each.text.splitlines())
        if each.role != "assistant" and (is_of_files or any(path in each.text for path in paths)):
            diff = _cut([f"+{line}" for line in each.text.splitlines()])
            yield Difference("extra", f"this {each.role} message was sent and is not in the preview", number, diff=diff)


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:MOST_LINES]]
    more = len(lines) - len(shown)
    return (*shown, *([f" … {more} more lines"] if more else []))
