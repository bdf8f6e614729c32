"""What the steps of a session of Claude Code bring: results of tools, and what comes with them (specification, 5, 7).

The calls of one step are parallel: their results stand in one message, and what they bring behind all of them.
"""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.touches import touched
from promptls.harnesses.frames import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from promptls.core.model import Call, Segment
    from promptls.harnesses.claude_code.files import SentFile
    from promptls.harnesses.claude_code.lazy import Reads
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.draft import Draft

    # A block of a message.
    Block = list[Segment]

NAME = "Claude Code"


@dataclass(slots=True)
class Brought:
    """What one call brings: its result, blocks of the user's behind the results, and sections of role system."""

    call: Call
    result: Block
    # Neighbouring messages of the user's, each with its blocks.
    messages: list[list[Block]] = field(default_factory=list)
    nested: list[SentFile] = field(default_factory=list)
    sections: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Steps:
    """The steps of a session so far."""

    draft: Draft
    setup: Setup
    reads: Reads

    def add(self, calls: Iterable[Call], index: int) -> int:
        """Add the results of the calls of one step, which are message ``index``; returns the last index."""
        brought = [self._brought(call) for call in calls]
        if self.setup.is_inline:
            self._add_inline(brought, index)
            return index
        for block, each in enumerate(brought):
            self.draft.add_message("tool", each.result, index=index, block=block, at=each.call.at)
        for each in () if self.setup.facts.reads_bring_blocks else brought:
            each.sections, each.nested = [entry.bare() for entry in each.nested], []
        self._add_blocks(brought, index)
        sections = [(section, each.call.at) for each in brought for section in each.sections]
        if not sections:
            return index
        joined = [piece for section, _ in sections for piece in (tail("\n\n"), *section)][1:]
        self.draft.add_message("system", joined, index=index + 1, at=sections[0][1])
        return index + 1

    def _brought(self, call: Call) -> Brought:
        given = input_of(call)
        title = f"result of reading {call.read}" if call.read is not None else f"result of {call.tool}"
        why = "the session reads this file" if call.read is not None else "the session calls this tool"
        brought = Brought(call, [replace(elided("runtime", NAME, title, why=why), cache="turn")])
        if self.setup.is_bare:
            return brought
        for path in self._touched(call, given):
            brought.nested += self.reads.nested(path, call.at)
        if call.read is not None or call.tool == "Read":
            agents = [entry for path in self._touched(call, given) for entry in self.reads.agents(path, call.at)]
            brought.sections += [_hook(agents)] if agents else []
        return brought

    def _touched(self, call: Call, given: Mapping[str, object]) -> tuple[str, ...]:
        """The files whose nested files the call brings; a command that cannot find one of its files fails."""
        if call.read is not None:
            return (call.read,)
        paths = touched(call.tool, given, self.setup.cwd)
        is_failed = call.tool == "Bash" and any(self.setup.host.kind(path) != "file" for path in paths)
        return () if is_failed else paths

    def _add_blocks(self, brought: list[Brought], index: int) -> None:
        """Behind all results: what the calls bring, then the nested files (wire: nested-lazy-parallel-reads)."""
        messages = [(message, each.call.at) for each in brought for message in each.messages]
        messages += [([entry.in_reminder()], each.call.at) for each in brought for entry in each.nested]
        block = len(brought)
        for at, (message, event) in enumerate(messages, 1):
            for part in with_seam(message) if at < len(messages) else message:
                self.draft.add_message("user", part, index=index, block=block, at=event)
                block += 1

    def _add_inline(self, brought: list[Brought], index: int) -> None:
        """Reminders stand inside of the result (wire: nested-lazy-read-sonnet-4-5, nested-lazy-read-v2185)."""
        facts = self.setup.facts
        block = len(brought)
        for at, each in enumerate(brought):
            files = [piece for entry in each.nested for piece in (tail("\n\n"), *entry.in_reminder())]
            files += [piece for section in each.sections for piece in (tail("\n\n"), *in_reminder(section))]
            own = elided("runtime", NAME, "reminder", why=WHY_REMINDER, size=facts.result_reminder)
            reminder = [tail("\n\n", "runtime"), *in_reminder([own])]
            behind = [*files, *reminder] if facts.inline_files_first else [*reminder, *files]
            self.draft.add_message("tool", [*each.result, *behind], index=index, block=at, at=each.call.at)
            for message in each.messages:
                for part in message:
                    self.draft.add_message("user", part, index=index, block=block, at=each.call.at)
                    block += 1


WHY_REMINDER = "a reminder of the program's own goes with each result"


def input_of(call: Call) -> Mapping[str, object]:
    """The input of a call; empty where it is no JSON object."""
    if call.read is not None:
        return {"file_path": call.read}
    import json  # noqa: PLC0415 - few sessions call other tools

    try:
        given = json.loads(call.input)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def with_seam(blocks: list[Block]) -> list[Block]:
    """The blocks of a message behind which another one of the user's follows: a line end parts the two."""
    return [*blocks[:-1], [*blocks[-1], tail("\n")]] if blocks else []


def in_reminder(section: Block) -> Block:
    """A section between the tags that a reminder has."""
    return [head("<system-reminder>\n"), *section, tail("\n</system-reminder>")]


def _hook(entries: list[SentFile]) -> Block:
    """What the built-in plugin for AGENTS.md adds to a read, all files in one text (7)."""
    joined = [piece for entry in entries for piece in (tail("\n"), *entry.bare())][1:]
    return [head("tool.call hook additional context: "), *joined]
