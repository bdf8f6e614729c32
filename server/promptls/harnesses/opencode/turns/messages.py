"""The messages of a session: what is said, what tools answer, and how they are sent (section 8)."""

from __future__ import annotations

from promptls.core.model import START
from promptls.core.values import dataclass, field
from promptls.harnesses.opencode.listing import skills
from promptls.kit.numbered_read import Nested, read_result
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from promptls.core.model import Call, Role, Segment
    from promptls.harnesses.opencode.listing.skills import Skills
    from promptls.harnesses.opencode.start.setup import Setup

    # A prompt, the calls of a step with their results, what the model answers, and what a compaction leaves.
    Kind = Literal["user", "step", "answer", "summary"]

WHY_PLAN = "the agent plan adds it to the last prompt"
WHY_BUILD = "the agent plan has answered before, and now it is build"
WHY_STORED = "the first prompt of the agent plan keeps it"
PLAN, BUILD = "plan", "build"
OPENING, CLOSING = "<system-reminder>\n", "\n</system-reminder>\n"


@dataclass(slots=True)
class SessionMessage:
    """A message: its parts, or the calls of a step, each with its result. ``agent``: that of its turn.

    ``nested`` are the instruction files that its reads have attached.
    """

    kind: Kind
    at: str
    agent: str
    parts: list[list[Segment]] = field(default_factory=list)
    results: list[tuple[Call, list[Segment]]] = field(default_factory=list)
    nested: frozenset[str] = frozenset()


@dataclass(slots=True)
class Conversation:
    """The messages of a session, or of a sub-agent. ``system`` are the files in its system message.

    ``summary`` is what the last compaction made of the history: the text, or None where nobody knows it.
    """

    setup: Setup
    found: Skills
    nested: Nested
    system: frozenset[str]
    messages: list[SessionMessage] = field(default_factory=list)
    summaries: list[str | None] = field(default_factory=list)

    # -- what is said --

    def say(self, parts: Sequence[list[Segment]], at: str, agent: str) -> None:
        """A user's message."""
        was_plan = any(each.kind in ("step", "answer") and each.agent == PLAN for each in self.messages[-1:])
        stored = (
            [stored_reminder(self.setup)] if agent == PLAN and self.setup.flag.has_plan_files and not was_plan else []
        )
        self.messages.append(SessionMessage("user", at, agent, [*parts, *stored]))

    def step(self, step: Sequence[Call], agent: str) -> None:
        """The calls of a step, with what the tools answer."""
        before = len(self.nested.added)
        done = [(call, self._result(call)) for call in step]
        self.messages.append(
            SessionMessage("step", step[0].at, agent, results=done, nested=frozenset(self.nested.added[before:]))
        )

    def answer(self, agent: str) -> None:
        """The end of a turn."""
        self.messages.append(SessionMessage("answer", START, agent))

    def _result(self, call: Call) -> list[Segment]:
        """What a tool answers, as far as files decide it."""
        setup = self.setup
        if call.read is not None:
            return read_result(self.nested.tool, setup.host, call.read, self.nested.reminder(call.read, call.at))
        from promptls.kit import tool_calls as calls  # noqa: PLC0415 - most sessions only read

        if call.tool == "skill":
            return skills.tool_result(setup, self.found, calls.text(call, "name"))
        if call.tool == "task" and calls.text(call, "subagent_type") in setup.agents.names():
            why = "only the sub-agent knows what it answers"
            size = setup.facts.task_id
            return [
                head('<task id="', "runtime"),
                elided("runtime", "opencode", "number of the task", why=why, size=size),
                tail('" state="completed">\n<task_result>\n', "runtime"),
                elided("runtime", "opencode", "answer of the sub-agent", why=why),
                tail("\n</task_result>\n</task>", "runtime"),
            ]
        return [elided("runtime", "opencode", f"result of {call.tool}", why="only the tool knows what it answers")]

    # -- what is sent --

    def send(self, agent: str) -> None:
        """Add the messages; the last prompt has what is added to it each time."""
        last = next((each for each in reversed(self.messages) if each.kind == "user"), None)
        index = 1
        for message in self.messages:
            parts = message.parts
            if message is last:
                parts = [*parts, self._reminder(agent)]
            if message.kind == "answer":
                continue
            role: Role = "assistant" if message.kind == "summary" else "user"
            for block, segments in enumerate(parts):
                self.setup.draft.add_message(role, segments, index=index, block=block, at=message.at)
            for call, segments in message.results:
                self.setup.draft.add_message("tool", segments, index=index, at=call.at)
                index += 1
            index += not message.results

    def _reminder(self, agent: str) -> list[Segment]:
        """What is added to the last prompt and not kept (captured: mode-plan, mode-plan-own, mode-plan-to-build)."""
        facts = self.setup.facts
        if agent == PLAN and not self.setup.flag.has_plan_files:
            return _reminded("reminder of plan mode", WHY_PLAN, facts.plan_reminder)
        was_plan = any(each.kind in ("step", "answer") and each.agent == PLAN for each in self.messages)
        if agent == BUILD and was_plan:
            return _reminded("reminder that plan mode has ended", WHY_BUILD, facts.build_reminder)
        return []


def _reminded(title: str, why: str, size: int) -> list[Segment]:
    reminder = elided("runtime", "opencode", title, why=why, size=size)
    return [head(OPENING, "runtime"), reminder, tail(CLOSING, "runtime")]


def stored_reminder(setup: Setup) -> list[Segment]:
    """That of plan mode with a file for the plan (captured: mode-plan-experimental)."""
    before, name, after = setup.facts.plan_file
    title = "reminder of plan mode"
    place = f"{setup.root.rstrip('/')}/.opencode/plans/"
    return [
        head(OPENING, "runtime"),
        elided("runtime", "opencode", title, why=WHY_STORED, size=before),
        tail(place, "runtime"),
        elided("runtime", "opencode", "name of the plan's file", why="it holds the time and two words", size=name),
        elided("runtime", "opencode", f"{title}, rest", why=WHY_STORED, size=after),
        tail(CLOSING, "runtime"),
    ]
