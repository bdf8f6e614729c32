"""What some sessions of a version have otherwise, where no value of its row explains it: in which sessions it is so.

A tool of another size, one more or fewer, or a text of another size counts for the sessions that have something in
common: a model, the screen, a mode, a sub-agent. All of these that were run must have it, each with the same value.
"""

from __future__ import annotations

from promptls.core.model import CONFIGURED
from promptls.core.values import dataclass
from promptls.harnesses.deviations import Deviation
from promptls.wire.difference import is_other_size
from promptls.wire.gaps import end_of, groups
from promptls.wire.offers import as_in_preview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    from promptls.core.model import Prompt
    from promptls.harnesses.deviations import Kind
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture

    # What differs: a kind, a name, and the size that the preview says.
    Key: TypeAlias = tuple[Kind, str, int | None]

# What sessions may have in common, the least first.
COMMON = (
    *((), ("model",), ("screen",), ("mode",), ("agent",)),
    *(("model", "screen"), ("model", "mode"), ("model", "agent"), ("screen", "mode")),
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A session that was run: its preview, what was sent beside it, and what tells it from others."""

    prompt: Prompt
    found: Capture
    both: Sides
    known: Mapping[str, str]


def deviations(sessions: Sequence[Compared]) -> list[Deviation]:
    """What sessions with something in common have otherwise."""
    differing = [dict(_differing(each)) for each in sessions]
    found: list[Deviation] = []
    for key in dict.fromkeys(key for each in differing for key in each):
        seen = [
            (each.known, values.get(key))
            for each, values in zip(sessions, differing, strict=True)
            if key in values or _is_in(each.prompt, key)
        ]
        found += _of_common(key, seen)
    return found


def _of_common(key: Key, seen: Sequence[tuple[Mapping[str, str], int | None]]) -> Iterator[Deviation]:
    """In which sessions it is so; ``seen``: what tells each from others, and what was sent, None as in the preview."""
    left = {number for number, (_, value) in enumerate(seen) if value is not None}
    for names in COMMON:
        alike: dict[tuple[str, ...], list[int]] = {}
        for number, (known, _) in enumerate(seen):
            alike.setdefault(tuple(known[name] for name in names), []).append(number)
        for at, numbers in alike.items():
            values = {seen[number][1] for number in numbers}
            value = next(iter(values))
            if len(values) == 1 and value is not None and not left.isdisjoint(numbers):
                left.difference_update(numbers)
                yield Deviation(*key, value, tuple(zip(names, at, strict=True)))


def _differing(session: Compared) -> Iterator[tuple[Key, int]]:
    """What was sent otherwise than the preview says, and its size."""
    prompt, both = session.prompt, session.both
    offered = {each.name: each.size for each in as_in_preview(session.found.offered, prompt.tools or ())}
    shown = {each.name: each for each in prompt.tools or () if each.enabled and each.origin.kind not in CONFIGURED}
    if both.tools is not None and prompt.tools is not None:
        for name in both.tools.only_shown:
            if name in shown:
                yield ("gone", name, shown[name].size), 0
        for name in both.tools.only_sent:
            yield ("more", name, None), offered.get(name, 0)
    for name, tool in shown.items():
        if name in offered and offered[name] != tool.size:
            yield ("size", name, tool.size), offered[name]
    for pair in both.pairs:
        segments, gaps = pair.expected.segments, pair.gaps or {}
        for group in groups(segments, list(gaps)):
            inside = [each for at in group for each in segments[at : end_of(segments, at)] if each.elided]
            own = inside[0].elided if len(inside) == 1 else None
            sent = sum(len(gaps[at]) for at in group)
            if own is not None and own.size is not None and is_other_size(sent, own.size):
                yield ("text", own.name, own.size), sent


def _is_in(prompt: Prompt, key: Key) -> bool:
    """Whether a preview has what differs elsewhere."""
    kind, name, was = key
    if kind == "more":
        return prompt.tools is not None
    if kind != "text":
        return any(each.enabled and (each.name, each.size) == (name, was) for each in prompt.tools or ())
    elided = [each.elided for message in prompt.messages for each in message.segments if each.elided]
    return any((each.name, each.size) == (name, was) for each in elided)
