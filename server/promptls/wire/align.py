"""A preview and a capture side by side: which message is which, what fills the gaps, and where they differ.

A message of a preview is a row of texts with gaps, one for each ``Elided``. It fits a block of a request that has the
same role and these texts in this order, with prose of the right size in the gaps.
"""

from __future__ import annotations

import difflib
from itertools import groupby

from promptls.core.values import dataclass, replace
from promptls.wire.difference import Difference, as_expected, is_other_size, nearly
from promptls.wire.gaps import TELLING, end_of, fill, measured, other_gaps, runs
from promptls.wire.unsaid import is_absent, without_absent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from promptls.core.model import Message, Origin, Segment
    from promptls.kit.launch import Passing
    from promptls.wire.offers import Offers
    from promptls.wire.request_formats import RequestBlock

# Lines of a difference, and characters of each, that are shown.
MOST_LINES = 40
LONGEST_LINE = 240
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
        each[0]: rule.what for each in extra for rule in passing if rule.of_servers and not _unexplained(rule, each[1])
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
        tuple(dict.fromkeys(_nearly_measured(pairs))),
        tuple(dict.fromkeys([*(each.what for each in applied if not each.of_servers), *free])),
        tuple(dict.fromkeys([*(each.what for each in applied if each.of_servers), *of_servers.values(), *absences[0]])),
        tuple(dict.fromkeys(absences[1])),
    )


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
        rank = (each.role != message.role, bool(other_gaps(message, gaps)), number < after, number)
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
    first = _first_own_segment(message)
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
    for group, wanted, size, is_least in other_gaps(message, gaps):
        have = "has" if len(group) == 1 else "have"
        more = " or more" if is_least else ""
        says = f"{' and '.join(each.title for each in group)} {have} {size:,} characters, not {wanted:,}{more}"
        yield Difference("size", says, pair.number, group[0])


def _first_own_segment(message: Message) -> Segment:
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


def _nearly_measured(pairs: Iterable[Pair]) -> Iterator[str]:
    """The gaps that have another size than the one that was measured, which is no difference."""
    for pair in pairs:
        for group, wanted, size, is_least in measured(pair.expected, pair.gaps or {}):
            if size != wanted and not is_least and not is_other_size(size, wanted):
                yield nearly(" and ".join(dict.fromkeys(each.title for each in group)), size, wanted)


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
            yield Difference("order", says, pair.number, _first_own_segment(pair.expected))
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
    if pair.sent is None and is_absent(pair.expected, absent):
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
    for segments in without_absent(pair.expected.segments, absent) if silent else ():
        gaps = fill(segments, text)
        if segments and gaps is not None:
            shown = replace(pair.expected, segments=segments)
            one = replace(pair, expected=shown, gaps=gaps, passing=tuple(used), absent=silent)
            # With too much left out, a gap beside it takes what was sent.
            if not other_gaps(shown, gaps):
                return one
            found = found or one
    return found or pair


def _unexplained(rule: Passing, sent: RequestBlock) -> str:
    return as_expected(rule, "", sent.text).strip()


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:MOST_LINES]]
    more = len(lines) - len(shown)
    return (*shown, *([f" … {more} more lines"] if more else []))
