"""A preview and a capture as two texts for an editor's own diff: the same wherever the program sent what was expected.

What a preview does not reproduce is a placeholder on both sides, so that only what matters differs.
"""

from __future__ import annotations

import difflib

from promptls.core.phrases import short
from promptls.core.visible import visible
from promptls.wire.gaps import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Segment
    from promptls.wire.align import Pair, Sides
    from promptls.wire.difference import Difference


def columns(sides: Sides, cwd: str) -> tuple[str, str]:
    """What was expected, and what was sent; paths below ``cwd`` are relative to it."""
    pairs = list(sides.pairs)
    expected = [_message(each, sides, cwd, is_sent=False) for each in pairs]
    if any(each.kind == "order" for each in sides.differences):
        # Tools have no order, and what was not sent stays where it was expected.
        numbers = [each.number if each.number and each.expected.role != "tools" else None for each in pairs]
        placed = iter(sorted(number for number in numbers if number is not None))
        by_number = {each.number: each for each in pairs}
        pairs = [by_number[next(placed)] if number else each for each, number in zip(pairs, numbers, strict=True)]
    sent = [_message(each, sides, cwd, is_sent=True) for each in pairs]
    extra = {each.message for each in sides.differences if each.kind == "extra"}
    for number, said in sides.unmatched:
        if number in extra:
            expected.append(f"━━ {said.role} · not in the preview ━━")
            sent.append(f"━━ {said.role} · not in the preview ━━\n\n{said.text}")
    tools = [each for each in sides.differences if each.kind == "tool"]
    if sides.tools is not None and tools:
        head = "\n".join(["━━ tools ━━", *(_rule(each, cwd) for each in tools), ""])
        for texts, rows in zip((expected, sent), sides.tools.rows, strict=True):
            texts.append("\n".join((head, *rows)))
    return _as_text(expected), _as_text(sent)


def _as_text(messages: Sequence[str]) -> str:
    return "".join(f"{visible(line, keep_tabs=True)}\n" for line in "\n\n".join(messages).split("\n"))


def _message(pair: Pair, sides: Sides, cwd: str, *, is_sent: bool) -> str:
    segments = pair.expected.segments
    own = [
        each for each in sides.differences if each.message == pair.number and (pair.number or each.expected in segments)
    ]
    titles = dict.fromkeys(short(each.title, cwd) for each in segments if not each.frame)
    role = pair.sent.role if is_sent and pair.sent is not None else pair.expected.role
    head = [f"━━ {role} · {', '.join(titles)} ━━", *(_rule(each, cwd) for each in own)]
    if is_sent and pair.sent is None:
        return head[0]
    text = "".join(_sent(pair, own)) if is_sent else pair.expected.text
    return "\n".join((*head, "", text))


def _rule(difference: Difference, cwd: str) -> str:
    says = difference.says.replace(f"{cwd}/", "")
    rule = f" Expected because {difference.expected.why}." if difference.expected is not None else ""
    return f"   {says}.{rule}"


def _sent(pair: Pair, differences: Sequence[Difference]) -> Iterator[str]:
    segments, text = pair.expected.segments, pair.sent.text if pair.sent is not None else ""
    if pair.gaps is None:
        yield from _differing(segments, text)
        return
    other = [each.expected for each in differences if each.kind == "size"]
    for _, numbers, _ in runs(segments):
        is_other = any(segments[each] in other for each in numbers)
        size = len(pair.gaps.get(numbers[0], ""))
        yield f"⟪{segments[numbers[0]].title}: {size} characters were sent⟫" if is_other else _text(segments, numbers)


def _text(segments: Sequence[Segment], numbers: Sequence[int]) -> str:
    return "".join(segments[each].text for each in numbers)


def _differing(segments: Sequence[Segment], text: str) -> Iterator[str]:
    """What was sent, as it is where it is not as expected."""
    at, wanted, before, after = 0, "", "", ""
    for own, numbers, _ in runs(segments):
        if not own and wanted:
            after = _text(segments, numbers)
        elif not own:
            before = _text(segments, numbers)
        else:
            found = text.find(own, at) if before or wanted else (at if text.startswith(own, at) else -1)
            if found < 0:
                wanted, after = wanted + own, ""
                continue
            yield _between(text[at:found], before, wanted, after) + own
            at, wanted, before, after = found + len(own), "", "", ""
    yield _between(text[at:], before, wanted, after)


def _between(sent: str, before: str, wanted: str, after: str) -> str:
    """What was sent in the place of ``wanted`` and of the placeholders around it."""
    if not wanted:
        return before or sent
    lines = sent.splitlines(keepends=True)
    steps = difflib.SequenceMatcher(None, wanted.splitlines(keepends=True), lines, autojunk=False).get_opcodes()
    first = steps[0][4] if before and steps and steps[0][0] == "insert" else 0
    last = steps[-1][3] if after and steps and steps[-1][0] == "insert" else len(lines)
    head, tail = before if first else "", after if last < len(lines) else ""
    return head + "".join(lines[first : max(first, last)]) + tail
