"""What is said and done in a session, message by message (section 8; surfaces, 1 and 4)."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment
from promptls.core.values import dataclass, field
from promptls.harnesses.opencode import skills
from promptls.harnesses.opencode.instructions import names
from promptls.harnesses.opencode.setup import quoted
from promptls.kit import tool_input as calls
from promptls.kit.numbered_read import Nested, read_label, read_result
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal

    from promptls.core.model import Call, Role, Turn
    from promptls.harnesses.opencode.commands import Called
    from promptls.harnesses.opencode.setup import Setup
    from promptls.harnesses.opencode.skills import Skills

    # A prompt, the calls of a step with their results, what the model answers, and what a compaction leaves.
    Kind = Literal["user", "step", "answer", "summary"]

WHY_TYPED = "what the user types"
WHY_ATTACHED = "a file is attached on the command line"
WHY_MENTION = "the prompt mentions a file or folder, which the program on the screen reads in"
WHY_PLAN = "the agent plan adds it to the last prompt"
WHY_BUILD = "the agent plan has answered before, and now it is build"
WHY_STORED = "the first prompt of the agent plan keeps it"
WHY_ANSWER = "only the model knows what it answers"
PLAN, BUILD = "plan", "build"
OPENING, CLOSING = "<system-reminder>\n", "\n</system-reminder>\n"


@dataclass(slots=True)
class Spoken:
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
    messages: list[Spoken] = field(default_factory=list)
    summaries: list[str | None] = field(default_factory=list)

    # -- what is said --

    def say(self, parts: Sequence[list[Segment]], at: str, agent: str) -> None:
        """A user's message."""
        was_plan = any(each.kind in ("step", "answer") and each.agent == PLAN for each in self.messages[-1:])
        stored = (
            [stored_reminder(self.setup)] if agent == PLAN and self.setup.flag.has_plan_files and not was_plan else []
        )
        self.messages.append(Spoken("user", at, agent, [*parts, *stored]))

    def step(self, step: Sequence[Call], agent: str) -> None:
        """The calls of a step, with what the tools answer; or a compaction between two steps."""
        if any(call.compact for call in step):
            self.compact(None, step[0].at, goes_on=True)
            step = [call for call in step if not call.compact]
        if not step:
            return
        before = frozenset(self.nested.sent)
        done = [(call, self._result(call)) for call in step]
        self.messages.append(
            Spoken("step", step[0].at, agent, results=done, nested=frozenset(self.nested.sent) - before)
        )

    def answer(self, agent: str) -> None:
        """The end of a turn."""
        self.messages.append(Spoken("answer", START, agent))
        if self.setup.config.compaction.get("prune") is True:
            from promptls.harnesses.opencode import compaction  # noqa: PLC0415 - it is off by default

            compaction.prune(self)

    def compact(self, summary: str | None, at: str, *, goes_on: bool = False, fails: bool = False) -> None:
        """The history is replaced by a summary and its newest messages."""
        from promptls.harnesses.opencode import compaction  # noqa: PLC0415 - few sessions are so long

        compaction.compact(self, summary, at, goes_on=goes_on, fails=fails)

    def _result(self, call: Call) -> list[Segment]:
        """What a tool answers, as far as files decide it."""
        setup = self.setup
        if call.read is not None:
            return read_result(setup.read_tool, setup.host, call.read, self.nested.reminder(call.read, call.at))
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


def converse(setup: Setup, found: Skills, system: set[str], agent: str, called: Called | None) -> Conversation:
    """The history of the session itself. ``agent`` is the one that it begins with."""
    talk = begun(setup, found, system)
    turns = setup.session.turns
    for number, turn in enumerate(turns, 1):
        at = START if number == 1 else f"turn:{number}"
        agent = turn.agent or agent
        is_last = number == len(turns)
        if turn.compact is not None:
            # As the last turn, it is what the program does of itself: it goes on, or says the prompt again that failed.
            is_own = is_last and turn.prompt is None and setup.session.request is None
            before = turns[number - 2] if number > 1 else None
            has_steps = before is not None and bool(before.steps)
            talk.compact(turn.summary, at, goes_on=is_own and has_steps, fails=is_own and not has_steps)
        if number == 1 and turn.compact is None:
            talk.say([*_attached(setup, talk), *_first(setup, talk, called)], at, agent)
        elif turn.prompt is not None:
            talk.say(_later(setup, talk, turn, at), at, agent)
        for step in turn.steps:
            talk.step(step, agent)
        follows = turns[number] if number < len(turns) else None
        # A turn has an answer where another one follows; one that fails, or goes on, has none yet.
        is_open = follows is not None and follows.compact is not None and number + 1 == len(turns)
        if follows is not None and not (is_open and follows.prompt is None and setup.session.request is None):
            talk.answer(agent)
    if not turns:
        talk.say([*_attached(setup, talk), *_first(setup, talk, called)], START, agent)
    return talk


def begun(setup: Setup, found: Skills, system: set[str]) -> Conversation:
    """A conversation in which nothing has been said."""
    nested = Nested(setup.draft, setup.host, setup.cwd, names(setup.flag), set(system))
    return Conversation(setup, found, nested, frozenset(system))


def _attached(setup: Setup, talk: Conversation) -> Iterator[list[Segment]]:
    for path in setup.attached:
        yield [read_label(path, WHY_ATTACHED)]
        yield read_result(setup.read_tool, setup.host, path, talk.nested.reminder(path, START))


def _first(setup: Setup, talk: Conversation, called: Called | None) -> Iterator[list[Segment]]:
    typed = setup.typed
    if called is not None:
        from promptls.harnesses.opencode import commands  # noqa: PLC0415 - few sessions begin with one

        yield called.text
        yield from commands.mentioned(setup, talk.nested, called.text)
    elif typed is not None:
        yield from _parts(setup, talk, typed, START)


def _later(setup: Setup, talk: Conversation, turn: Turn, at: str) -> list[list[Segment]]:
    prompt = turn.prompt or ""
    return list(_parts(setup, talk, prompt if setup.is_on_screen else quoted(prompt), at))


def _parts(setup: Setup, talk: Conversation, text: str, at: str) -> Iterator[list[Segment]]:
    """A prompt, and on the screen the files that it mentions after it (captured: interactive-mention)."""
    segments = [Segment("runtime", "prompt", text, Origin("argument"), WHY_TYPED)]
    yield segments
    if setup.is_on_screen and "@" in text:
        from promptls.harnesses.opencode import commands  # noqa: PLC0415 - few prompts mention a file

        yield from commands.mentioned(setup, talk.nested, segments, why=WHY_MENTION, at=at)
