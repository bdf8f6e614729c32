"""A preview and a capture side by side: which message is which, what fills the gaps, and where they differ.

A message of a preview is a row of texts with gaps, one for each ``Elided``. It fits a block of a request that has the
same role and these texts in this order, with prose of the right size in the gaps.
"""

from __future__ import annotations

import difflib
from itertools import groupby

from promptls.core.values import dataclass, replace
from promptls.wire.difference import Difference, as_expected, is_other_size, nearly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from promptls.core.model import Message, Origin, Segment
    from promptls.kit.launch import Passing
    from promptls.wire.formats import RequestBlock
    from promptls.wire.offers import Offers

# Lines of a difference, and characters of each, that are shown.
MOST_LINES = 40
LONGEST_LINE = 240
# Pieces of a frame before and after a text that was not sent.
MOST_FRAMES = 4
# A line of a file that is shorter says nothing of where a text is from.
TELLING = 12
# One of a sign or two may stand anywhere.
SHORT = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """A message of the preview, the block of the request that it is, and the texts in its gaps, by segment.

    ``gaps`` is None where the texts of the message are not all there. ``passing`` are the rules of the program by which
    they are, and ``absent`` what an MCP server or a hook would have said.
    """

    expected: Message
    sent: RequestBlock | None
    number: int
    gaps: dict[int, str] | None = None
    passing: tuple[Passing, ...] = ()
    absent: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True)
class Sides:
    """Both side by side. ``unmatched`` are blocks that no message of the preview stands for, with their numbers.

    No differences are ``unknown``, what the preview says that it does not know; ``near``, what of the program's own is
    nearly as long as the preview says; ``passing``, what the program itself sends otherwise each time; ``of_servers``,
    what MCP servers that did not start have changed; and ``of_hooks``, what hooks that said nothing have.
    """

    pairs: tuple[Pair, ...]
    unmatched: tuple[tuple[int, RequestBlock], ...]
    differences: tuple[Difference, ...]
    unknown: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    of_servers: tuple[str, ...] = ()
    of_hooks: tuple[str, ...] = ()
    tools: Offers | None = None


def compare(
    expected: Sequence[Message],
    sent: Sequence[RequestBlock],
    files: Iterable[tuple[str, str]] = (),
    passing: Sequence[Passing] = (),
    absent: Collection[Origin] = (),
) -> Sides:
    """What is the same and what is not, block by block; what the model said and ``tools`` only where a preview has it.

    ``files`` are paths and texts of files of the user's: prose of the program's own has none of them. ``absent`` are
    the places that configure MCP servers and hooks of which nothing was sent.
    """
    pairs = list(_pairs(expected, sent, passing, absent))
    taken = {pair.number for pair in pairs if pair.sent is not None}
    unmatched = tuple((number, each) for number, each in enumerate(sent, 1) if number not in taken)
    texts = [(path, _telling(text)) for path, text in files]
    found = [difference for pair in pairs for difference in _of_pair(pair, texts)]
    ordered, free = _in_free_order(pairs, passing)
    extra = [each for each in unmatched if each[1].role not in ("assistant", "tools")]
    of_servers = {
        each[0]: rule.what for each in extra for rule in passing if rule.of_servers and not _rest(rule, each[1])
    }
    applied = [rule for pair in pairs for rule in pair.passing]
    absences: tuple[list[str], list[str]] = ([], [])
    for each in (segment for pair in pairs for segment in pair.absent):
        absences[each.elided is not None and each.elided.is_of_hook].append(f"{each.title} was not sent")
    return Sides(
        tuple(pairs),
        unmatched,
        (*found, *_order(ordered), *_extra([each for each in extra if each[0] not in of_servers])),
        tuple(dict.fromkeys(_unknown(each for each in pairs if each.sent is not None or not each.absent))),
        tuple(dict.fromkeys(_near(pairs))),
        tuple(dict.fromkeys([*(each.what for each in applied if not each.of_servers), *free])),
        tuple(dict.fromkeys([*(each.what for each in applied if each.of_servers), *of_servers.values(), *absences[0]])),
        tuple(dict.fromkeys(absences[1])),
    )


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


def _pairs(
    expected: Sequence[Message], sent: Sequence[RequestBlock], passing: Sequence[Passing], absent: Collection[Origin]
) -> Iterator[Pair]:
    """Each message of the preview with its block: those that fit first, then the most alike of the same role."""
    left = dict(enumerate(sent, 1))
    parallel = _parallel(expected)
    of_one = [rule for rule in passing if not rule.parallel]
    found: dict[int, tuple[int, dict[int, str]]] = {}
    after = 0
    for index, message in enumerate(expected):
        fitting = None if _may_say_nothing(message) else _fitting(message, left, after)
        if fitting is not None:
            found[index] = fitting
            after = fitting[0]
            del left[after]
    settled = {
        index: pair
        for index, message in enumerate(expected)
        # Before a message that is only a gap takes its block.
        if index not in found
        and not _may_say_nothing(message)
        and (pair := _first_settled(message, left, passing if message.index in parallel else of_one, absent))
        is not None
    }
    for index, message in enumerate(expected):
        if _may_say_nothing(message):
            # Between its neighbours, or it has not spoken.
            numbers = {each: known[0] for each, known in found.items()} | {
                each: known.number for each, known in settled.items()
            }
            after = max((numbers[each] for each in numbers if each < index), default=0)
            before = min((numbers[each] for each in numbers if each > index), default=len(sent) + 1)
            fitting = _fitting(message, {n: each for n, each in left.items() if after < n < before}, after)
            if fitting is not None:
                found[index] = fitting
                del left[fitting[0]]
    for index, message in enumerate(expected):
        if index in found:
            yield Pair(message, sent[found[index][0] - 1], *found[index])
        elif index in settled:
            yield settled[index]
        else:
            number = _alike(message, left)
            block = left.pop(number) if number else None
            yield _settled(Pair(message, block, number), passing if message.index in parallel else of_one, absent)


def _first_settled(
    message: Message, left: dict[int, RequestBlock], passing: Sequence[Passing], absent: Collection[Origin]
) -> Pair | None:
    """A message with the first block of its role that the program might as well have sent; takes it from ``left``."""
    same = (Pair(message, each, number) for number, each in left.items() if each.role == message.role)
    settled = (_settled(each, passing, absent) for each in same)
    pair = next((each for each in settled if each.gaps is not None), None)
    if pair is not None:
        del left[pair.number]
    return pair


def _may_say_nothing(message: Message) -> bool:
    """Whether a message is only what something that runs may say, such as a hook."""
    gaps = [each.elided for each in message.segments if each.layer == "runtime"]
    is_open = all(each is not None and each.size is None for each in gaps)
    return message.role == "user" and is_open and len(gaps) == len(message.segments)


def _fitting(message: Message, left: dict[int, RequestBlock], after: int) -> tuple[int, dict[int, str]] | None:
    """The block that a message fits best: by role, then by the sizes of its gaps, then by its place."""
    best: tuple[tuple[bool, bool, bool, int], int, dict[int, str]] | None = None
    for number, each in left.items():
        gaps = fill(message.segments, each.text)
        if gaps is None:
            continue
        rank = (each.role != message.role, bool(_other_gaps(message, gaps)), number < after, number)
        if best is None or rank < best[0]:
            best = (rank, number, gaps)
    if best is None or (best[0][0] and all(segment.elided for segment in message.segments)):
        return None
    return best[1], best[2]


def _alike(message: Message, left: dict[int, RequestBlock]) -> int:
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


def _of_pair(pair: Pair, files: Sequence[tuple[str, set[str]]]) -> Iterator[Difference]:
    message = pair.expected
    if pair.sent is None and (_may_say_nothing(message) or pair.absent):
        return
    first = _first(message)
    if pair.sent is None:
        diff = _cut([f"-{line}" for line in message.text.splitlines()])
        yield Difference("missing", f"this {message.role} message was not sent", 0, first, diff)
        return
    if pair.sent.role != message.role:
        says = f"it was sent as {pair.sent.role}, not as {message.role}"
        yield Difference("role", says, pair.number, first)
    gaps = pair.gaps
    if gaps is None:
        yield from _texts(message.segments, pair.sent.text, pair.number)
        return
    yield from _swallowed(pair, gaps, files)
    for group, measured, size, is_least in _other_gaps(message, gaps):
        have = "has" if len(group) == 1 else "have"
        more = " or more" if is_least else ""
        says = f"{' and '.join(each.title for each in group)} {have} {size:,} characters, not {measured:,}{more}"
        yield Difference("size", says, pair.number, group[0])


def _first(message: Message) -> Segment:
    return next((each for each in message.segments if not each.frame), message.segments[0])


def _swallowed(pair: Pair, gaps: dict[int, str], files: Sequence[tuple[str, set[str]]]) -> Iterator[Difference]:
    """A file of the user's of which most stands where the preview has prose of the program's own."""
    segments = pair.expected.segments
    for at, text in gaps.items():
        inside = segments[at : end_of(segments, at)]
        if all(each.layer == "runtime" and each.elided and each.elided.size is None for each in inside):
            # What a hook or a command says may well be a file.
            continue
        lines = {line.strip() for line in text.splitlines()}
        for path, own in files:
            held = own & lines
            if own and 2 * _length(held) >= _length(own) and all(each.origin.path != path for each in inside):
                diff = _cut([f"+{line}" for line in text.splitlines() if line.strip() in held])
                says = f"{path} was sent where the preview has {inside[0].title} only"
                yield Difference("extra", says, pair.number, inside[0], diff)


def _telling(text: str) -> set[str]:
    """The lines of a file that tell where a text is from; where none is long, all but those of a sign or two."""
    lines = {each for line in text.splitlines() if len((each := line.strip()).strip(" -#*")) >= SHORT}
    return {line for line in lines if len(line) >= TELLING} or lines


def _length(lines: Iterable[str]) -> int:
    return sum(map(len, lines))


def _other_gaps(message: Message, gaps: dict[int, str]) -> list[tuple[list[Segment], int, int, bool]]:
    """The gaps that differ from their measure, as ``_measured`` has them."""
    return [
        (group, wanted, size, is_least)
        for group, wanted, size, is_least in _measured(message, gaps)
        if is_other_size(size, wanted) and not (is_least and size > wanted)
    ]


def _near(pairs: Iterable[Pair]) -> Iterator[str]:
    """The gaps that have another size than the one that was measured, which is no difference."""
    for pair in pairs:
        for group, wanted, size, is_least in _measured(pair.expected, pair.gaps or {}):
            if size != wanted and not is_least and not is_other_size(size, wanted):
                yield nearly(" and ".join(dict.fromkeys(each.title for each in group)), size, wanted)


def _measured(message: Message, gaps: dict[int, str]) -> Iterator[tuple[list[Segment], int, int, bool]]:
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


def _parallel(expected: Sequence[Message]) -> set[int]:
    """The messages of the request with the results of several calls, by index."""
    return {each.index for each in expected if each.role == "tool" and each.block}


def _in_free_order(pairs: Sequence[Pair], passing: Sequence[Passing]) -> tuple[list[Pair], list[str]]:
    """The pairs that have an order, those that the program itself has in no fixed one as they were sent."""
    placed = [pair for pair in pairs if pair.sent is not None and pair.expected.role != "tools"]
    free = [rule.what for rule in passing if rule.parallel]
    parallel = _parallel([pair.expected for pair in pairs]) if free else set()
    ordered: list[Pair] = []
    for _, same in groupby(placed, key=lambda pair: (pair.expected.index, pair.expected.role)):
        ordered += sorted(same, key=lambda pair: pair.number if pair.expected.index in parallel else 0)
    return ordered, free if ordered != placed else []


def _order(pairs: Sequence[Pair]) -> Iterator[Difference]:
    """The messages that come before one that they should follow. Tools have no order."""
    latest = 0
    for pair in pairs:
        if pair.number < latest:
            says = f"it was sent before message {latest}, not after it"
            yield Difference("order", says, pair.number, _first(pair.expected))
        latest = max(latest, pair.number)


def _extra(unmatched: Iterable[tuple[int, RequestBlock]]) -> Iterator[Difference]:
    """Blocks that are not in the preview."""
    for number, each in unmatched:
        diff = _cut([f"+{line}" for line in each.text.splitlines()])
        yield Difference("extra", f"this {each.role} message was sent and is not in the preview", number, diff=diff)


def _unknown(pairs: Iterable[Pair]) -> Iterator[str]:
    """What the preview says that it does not know of a message: the text, not even the size."""
    for pair in pairs:
        for own, numbers, _ in runs(pair.expected.segments):
            within = [pair.expected.segments[at] for at in numbers]
            titles = dict.fromkeys(each.title for each in within if each.elided and each.elided.size_offline is None)
            if own or not titles:
                continue
            size = len(pair.gaps.get(numbers[0], "")) if pair.gaps is not None else 0
            sent = f"{size:,} characters were sent" if size else "nothing was sent"
            yield (
                f"{' and '.join(titles)} ({sent})"
                if pair.gaps is not None or pair.sent is None
                else " and ".join(titles)
            )


# -- what the program itself does not fix -----------------------------------------------------------------------------


def _settled(pair: Pair, passing: Sequence[Passing], absent: Collection[Origin]) -> Pair:
    """A pair whose texts are not all there, as the program might as well have sent it."""
    silent = tuple(each for each in pair.expected.segments if each.origin in absent and not each.frame)
    if pair.sent is None and _is_absent(pair.expected, absent):
        return replace(pair, absent=silent)
    if pair.sent is None or pair.gaps is not None:
        return pair
    text, used = pair.sent.text, []
    for rule in passing:
        changed = as_expected(rule, pair.expected.text, text)
        if changed == text:
            continue
        text = changed
        used.append(rule)
        gaps = fill(pair.expected.segments, text)
        if gaps is not None:
            return replace(pair, gaps=gaps, passing=tuple(used))
    found: Pair | None = None
    for segments in _without(pair.expected.segments, absent) if silent else ():
        gaps = fill(segments, text)
        if segments and gaps is not None:
            shown = replace(pair.expected, segments=segments)
            one = replace(pair, expected=shown, gaps=gaps, passing=tuple(used), absent=silent)
            # With too much left out, a gap beside it takes what was sent.
            if not _other_gaps(shown, gaps):
                return one
            found = found or one
    return found or pair


def _without(segments: Sequence[Segment], absent: Collection[Origin]) -> Iterator[tuple[Segment, ...]]:
    """Segments without those of MCP servers and hooks of which nothing was sent, and what closes or begins them."""
    out = [each.origin in absent for each in segments]
    closed = list(out)
    for at in range(1, len(segments)):
        closed[at] |= closed[at - 1] and segments[at].frame == "tail"
    yield tuple(each for each, is_out in zip(segments, closed, strict=True) if not is_out)
    headed = list(out)
    for at in (at for at in range(1, len(segments)) if out[at] and segments[at - 1].frame == "head"):
        # Its own heading, and what parts it from its neighbour.
        headed[at - 1] = True
        near = [place for place in (at + 1, at - 2) if 0 <= place < len(segments)]
        blank = [place for place in near if segments[place].frame and not segments[place].text.strip()]
        for place in blank[:1]:
            headed[place] = True
    yield tuple(each for each, is_out in zip(segments, headed, strict=True) if not is_out)
    begun = list(out)
    for at in range(len(segments) - 1, 0, -1):
        before = segments[at - 1]
        is_between = at > 1 and not before.text.strip() and (out[at - 2] or segments[at - 2].frame == "head")
        begun[at - 1] |= (out[at] and before.frame is not None) or (
            begun[at] and (before.frame == "head" or is_between)
        )
    kept: list[Segment] = []
    for at, each in enumerate(segments):
        # What stands before and after a section that is gone is there once.
        is_second = at > 0 and begun[at - 1] and kept and not each.text.strip() and kept[-1].text.endswith(each.text)
        if not begun[at] and not is_second:
            kept.append(each)
    yield tuple(kept)
    places = [at for at, is_out in enumerate(out) if is_out]
    for many in range(1, 2 * MOST_FRAMES + 1):
        for ahead in range(max(many - MOST_FRAMES, 0), min(many, MOST_FRAMES) + 1):
            gone = list(out)
            for place in places:
                _take(segments, gone, range(place - 1, -1, -1), ahead)
                _take(segments, gone, range(place + 1, len(segments)), many - ahead)
            yield tuple(each for each, is_gone in zip(segments, gone, strict=True) if not is_gone)


def _take(segments: Sequence[Segment], gone: list[bool], near: Iterable[int], many: int) -> None:
    """Let so many pieces of the frame be gone, the nearest first, as far as nothing else is between them."""
    for at in near:
        if not many or not (gone[at] or segments[at].frame):
            return
        many -= not gone[at]
        gone[at] = True


def _is_absent(message: Message, absent: Collection[Origin]) -> bool:
    return bool(absent) and all(each.frame or each.origin in absent for each in message.segments)


def _rest(rule: Passing, sent: RequestBlock) -> str:
    return as_expected(rule, "", sent.text).strip()


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:MOST_LINES]]
    more = len(lines) - len(shown)
    return (*shown, *([f" … {more} more lines"] if more else []))
