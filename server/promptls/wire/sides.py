"""The whole of what a program sent beside its preview, and the capture as a preview shows it."""

from __future__ import annotations

import re
from itertools import pairwise

from promptls.core.model import COMPUTED, CONFIGURED, START, Message, Segment, Tool
from promptls.core.secrets import is_config
from promptls.core.text import decode
from promptls.core.values import replace
from promptls.kit.launch import Passing
from promptls.kit.paths import native
from promptls.wire.align import compare
from promptls.wire.difference import Difference
from promptls.wire.find_program import program_of
from promptls.wire.gaps import TELLING
from promptls.wire.offers import offers, safe
from promptls.wire.request_formats import RequestBlock
from promptls.wire.ties import in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Origin, Prompt
    from promptls.kit.launch import Passing, Program
    from promptls.wire.align import Sides
    from promptls.wire.capture import Capture

WHY_SENT = "the program sent it"
# What an agent or a skill is for, as a tool's definition may have it.
HEADER = r"^description:(.+)$"


def sides(prompt: Prompt, found: Capture, host: Host, *, has_tools: bool = True) -> Sides:
    """A preview and all of a request side by side; ``host`` made the preview.

    Without ``has_tools``, nobody could see which tools were sent.
    """
    program = program_of(prompt.session.harness)
    described = [
        RequestBlock("tools", text, 0, number)
        for number, each in enumerate(found.offered)
        for text in (each.description, *each.inner)
    ]
    files = [
        (path, decode(contents.data, keep_bom=False))
        for path, contents in host.has_read().items()
        if contents.state == "file" and not is_config(path)
    ]
    spoken = [each.text for each in found.blocks if each.role != "assistant"]
    messages = [each for each in prompt.messages if not _is_of_server(each)]
    servers = {each.origin.name: None for m in prompt.messages for each in m.segments if _is_unasked(each)}
    tools = offers(
        prompt.tools if has_tools else None, found.offered, spoken, program.named, list(filter(None, servers))
    )
    absent = (*tools.absent, *_silent(messages, [*spoken, *(each.name for each in found.offered)]))
    passing = (*program.passing, *_races(prompt, program))
    blocks, tied = _untied(messages, found.blocks, passing, host)
    both = compare(messages, (*blocks, *described), files, passing, absent)
    definitions = [each for _, each in both.unmatched if each.role == "tools"]
    hidden = [found.offered[each.block].name for each in definitions if _has_of_users(each, found, program, files)]
    return replace(
        both,
        differences=(*both.differences, *tools.differences, *map(_hidden, dict.fromkeys(hidden))),
        unknown=(*both.unknown, *tools.unknown),
        near=(*both.near, *tools.near),
        passing=(*both.passing, *tied),
        of_servers=(*both.of_servers, *tools.of_servers),
        tools=tools,
    )


def _untied(
    messages: Sequence[Message], sent: Sequence[RequestBlock], passing: Sequence[Passing], host: Host
) -> tuple[Sequence[RequestBlock], list[str]]:
    """What was sent, files of the same time of change in the order of the preview; and what allows that."""
    used = []
    for rule in (each for each in passing if each.tied):
        before, sent = sent, in_order(messages, sent, rule.tied, host.modified)
        used += [rule.what] if sent != tuple(before) else []
    return sent, used


def _silent(messages: Sequence[Message], texts: Sequence[str]) -> Iterator[Origin]:
    """The places of MCP servers and hooks that a preview leaves room for, and that no text names a tool of.

    Nor is there what stands before the text of one, and has its name.
    """
    for before, each in (pair for message in messages for pair in pairwise((None, *message.segments))):
        if each is None or each.elided is None or each.elided.size is not None or each.origin.kind not in CONFIGURED:
            continue
        label = before.text.strip() if before is not None and before.frame else ""
        is_named = bool(each.origin.name) and str(each.origin.name) in label
        has_label = not is_named or any(label in text for text in texts)
        if each.origin.name and not (has_label and any(f"mcp__{safe(each.origin.name)}" in text for text in texts)):
            yield each.origin


def _races(prompt: Prompt, program: Program) -> Iterator[Passing]:
    """The files of which now one counts and now the other, as a preview says (parts: skills-duplicates)."""
    if not program.race:
        return
    pairs = [
        (native(each.path), native(each.other))
        for each in prompt.candidates
        if each.path and each.other and each.reason == program.race.format(each.other)
    ]
    if pairs:
        yield Passing("which of several files of one name is used", either=tuple(pairs))


def _is_of_server(message: Message) -> bool:
    """Whether a message stands for the tools of MCP servers, of which only a server that runs knows more."""
    return message.role == "tools" and all(map(_is_unasked, message.segments))


def _is_unasked(segment: Segment) -> bool:
    """Whether it stands for what only a server that runs says."""
    is_gap = segment.elided is not None and segment.elided.size is None and not segment.elided.is_of_hook
    return is_gap and segment.origin.kind in CONFIGURED


def _has_of_users(said: RequestBlock, found: Capture, program: Program, files: Sequence[tuple[str, str]]) -> bool:
    """Whether the definition of a tool has what only a preview with a message for it shows."""
    tool = found.offered[said.block]
    if said.text and tool.name in program.described and said.text == tool.description:
        return True
    headers = (each[1].strip(" \t\"'") for _, text in files for each in re.finditer(HEADER, text, re.MULTILINE))
    return any(len(each) >= TELLING and each in said.text for each in headers)


def _hidden(name: str) -> Difference:
    return Difference("tool", f"the definition of the tool {name} has text that is not in the preview", 0)


def shown(prompt: Prompt, found: Capture, both: Sides, date: str) -> Prompt:
    """A capture as a preview shows it: with the texts that a preview leaves out, and the origins that it knows."""
    by_number = {pair.number: pair for pair in both.pairs if pair.sent is not None and pair.gaps is not None}
    messages = []
    for number, each in enumerate(found.blocks, 1):
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
    return [_content(each) for each in one.messages] == [_content(each) for each in other.messages] and _offered(
        one
    ) == _offered(other)


def _content(message: Message) -> tuple[object, ...]:
    return message.role, [(each.elided or each.text) for each in message.segments]


def _offered(prompt: Prompt) -> list[tuple[object, ...]] | None:
    return None if prompt.tools is None else [(each.name, each.enabled, each.size) for each in prompt.tools]
