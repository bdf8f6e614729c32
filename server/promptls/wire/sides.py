"""The whole of what a program sent beside its preview, and the capture as a preview shows it."""

from __future__ import annotations

from promptls.core.model import COMPUTED, START, Message, Segment, Tool
from promptls.core.secrets import is_config
from promptls.core.text import decode
from promptls.core.uses import OF_TEXTS
from promptls.core.values import replace
from promptls.wire.align import compare
from promptls.wire.formats import Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture

WHY_SENT = "the program sent it"


def sides(prompt: Prompt, found: Capture, host: Host) -> Sides:
    """A preview and a capture side by side; ``host`` made the preview."""
    described = [
        Said("tools", text, 0, number)
        for number, each in enumerate(found.offered)
        for text in (each.description, *each.inner)
    ]
    texts = [
        decode(contents.data, keep_bom=False)
        for path, contents in host.has_read().items()
        if contents.state == "file" and not is_config(path)
    ]
    # What the preview passes over, it may not have read.
    named = {each.path for each in prompt.candidates if each.path is not None and each.use in OF_TEXTS}
    return compare(prompt.messages, (*found.said, *described), texts, [path for path in named if host.kind(path)])


def shown(prompt: Prompt, found: Capture, both: Sides, date: str) -> Prompt:
    """A capture as a preview shows it: with the texts that a preview leaves out, and the origins that it knows."""
    by_number = {pair.number: pair for pair in both.pairs if pair.said is not None and pair.gaps is not None}
    messages = []
    for number, each in enumerate(found.said, 1):
        pair = by_number.get(number)
        if pair is not None:
            segments = filled(pair.expected.segments, pair.gaps or {}, date)
            at = pair.expected.at
        else:
            segments, at = (Segment("runtime", each.role, each.text, COMPUTED, WHY_SENT),), START
        messages.append(Message(each.role, segments, each.index, each.block, at, each.cached))
    tools = tuple(Tool(each.name, enabled=True, why=WHY_SENT, size=each.size) for each in found.offered)
    session = replace(prompt.session, version=found.version)
    return replace(
        prompt, session=session, messages=tuple(messages), model=found.model, tools=tools, notes=found.notes, limits=()
    )


def filled(segments: Sequence[Segment], gaps: Mapping[int, str], date: str) -> tuple[Segment, ...]:
    """Segments with the captured texts in place of what a preview leaves out."""
    found = []
    for number, each in enumerate(segments):
        if each.elided is None:
            found.append(each)
        elif gaps.get(number):
            found.append(replace(each, text=gaps[number], elided=None, captured=date))
    return tuple(found)


def is_same(one: Prompt, other: Prompt) -> bool:
    """Whether two previews show the same messages and tools."""
    return [_shown(each) for each in one.messages] == [_shown(each) for each in other.messages] and _offered(
        one
    ) == _offered(other)


def _shown(message: Message) -> tuple[object, ...]:
    return message.role, [(each.elided or each.text) for each in message.segments]


def _offered(prompt: Prompt) -> list[tuple[object, ...]] | None:
    return None if prompt.tools is None else [(each.name, each.enabled, each.size) for each in prompt.tools]
