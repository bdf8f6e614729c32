"""The turns of a session of Claude Code after the first one, and what its compactions leave."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment, Turn
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.environment import model, token_counter
from promptls.harnesses.claude_code.git_status import attribution
from promptls.harnesses.claude_code.message_blocks import NAME, in_reminder
from promptls.harnesses.claude_code.messages import first_message, later_message, mode_of, planning, turn_ends
from promptls.harnesses.claude_code.models import PLAN
from promptls.harnesses.claude_code.resumed import Resumed
from promptls.harnesses.claude_code.tools import deferred_again
from promptls.harnesses.claude_code.turns.local_commands import too_little, turns_on_plan
from promptls.harnesses.claude_code.turns.user_turns import TurnContent, plan_typed
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Call
    from promptls.harnesses.claude_code.files.instruction_file import SentFile
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.harnesses.claude_code.turns.compaction import Compaction
    from promptls.harnesses.claude_code.turns.tool_results import StepResults
    from promptls.harnesses.claude_code.turns.user_turns import Speech
    from promptls.kit.draft import Draft

COMPACT = "/compact"
NOTHING_TO_COMPACT = "A compaction before anything was said, or behind another one that kept nothing, changes nothing."
NOT_ALONE = "A compaction that is typed asks for nothing by itself: what goes with the next prompt is shown."
NOT_ASKED = "The session does not end with a compaction, so there is no request for a summary: the last one is shown."


@dataclass(slots=True)
class LaterTurns:
    """Goes on with a session that has started."""

    draft: Draft
    started: StartedSession
    entries: list[SentFile]
    speech: Speech
    steps: StepResults
    compaction: Compaction | None = None
    # What the next prompt says of compactions that were refused.
    refused: list[list[Block]] = field(default_factory=list)

    def go_on(self, turns: Sequence[Turn], said: TurnContent, index: int) -> TurnContent:
        """All ``turns``, of which the first has ``said`` something up to ``index``; what the last one says."""
        turns = that_compact(self.draft, turns, is_new=True)
        self.compaction = self.steps.compaction = self._compaction(turns)
        self.steps.says(said)
        opening, *later = turns
        index = self.steps.turn(opening, index, is_last=self._is_switch(0))
        return self._add_turns(later, said, self._ended(opening, index))

    def _tell_of_model(self, said: TurnContent, before: Setup, *, by_command: bool) -> None:
        """What a prompt says of a model that a new process or a command has chosen; ``before``: the last process."""
        now = said.process or before
        commits = in_reminder(attribution(now), "environment") if self.started.has_attribution else []
        if now.model != before.model:
            one, other = (replace(self.started, setup=each) for each in (before, now))
            said.model = [model(now), *deferred_again(one, other)]
            self.steps.counter = token_counter(now)
            # After a compaction it stands among what is said again.
            is_said = self.compaction is not None and self.compaction.again is not None
            said.commits = [] if is_said else [commits]
        elif by_command and commits:
            said.typed = [[commits], *said.typed]

    def _is_of_program(self, turn: Turn) -> bool:
        """Whether the turn is a command that asks the model nothing: the next prompt says what came of it."""
        setup = self.started.setup
        if is_refused(turn):
            self.refused += too_little(setup, given(turn))
            return True
        if not setup.is_interactive or plan_typed(turn) != "":
            return False
        self.refused += turns_on_plan(setup, "", is_on=setup.mode == PLAN)
        self.steps.mode = mode_of(planning(setup))
        return True

    def _is_switch(self, number: int) -> bool:
        """Whether turn ``number``, from 0 on, is the one in which a command asks for another model."""
        return self.started.setup.first_model is None and self.started.setup.switched_at == number

    def _ended(self, turn: Turn, index: int) -> int:
        if self.compaction is not None:
            self.compaction.counts()
        return turn_ends(self.draft, self.started.setup, turn, index)

    def _add_turns(self, later: Sequence[Turn], said: TurnContent, index: int) -> TurnContent:
        """Those behind a turn that has ended at ``index``."""
        compaction = self.compaction
        setup = self.started.setup
        resumed = Resumed(self.draft, setup, mode_of, setup.first_model or setup.model)
        if compaction is not None:
            compaction.now = resumed.process
        for number, turn in enumerate(later, 2):
            at, is_last = f"turn:{number}", self._is_switch(number - 1)
            if turn.resumes:
                self.steps.take_up()
            before = resumed.process
            resumed.takes_up(turn)
            hooked, modes = resumed.hooks(turn, at), resumed.modes(turn, number)
            if compaction is not None:
                compaction.now = resumed.now(turn) if turn.resumes else compaction.now
                index, is_over = self._compacted(turn, at, index, resumed)
                if is_over:
                    continue
            if self._is_of_program(turn):
                continue
            said = (
                self.speech.content_of(turn, at)
                if self.started.task is None
                else _message_to_agent(self.started.setup, turn)
            )
            said.resumed, said.modes = hooked, modes
            if turn.resumes and setup.is_interactive and self.steps.left:
                from promptls.harnesses.claude_code.turns.subagents import left_at_work  # noqa: PLC0415 - few leave any

                said.typed = [[left_at_work(setup, self.steps.left)], *said.typed]
            said.process = resumed.process
            self._tell_of_model(said, before, by_command=is_last and setup.model_before is not None)
            index = self._message(said, index, at)
            if setup.is_interactive and plan_typed(turn):
                self.steps.mode = mode_of(planning(setup))
            self.steps.says(said)
            left = turn.steps[1:] if compacts(turn.steps[:1]) else turn.steps
            index = self.steps.turn(replace(turn, steps=left), index, is_last=is_last)
            index = self._ended(turn, index)
        if compaction is not None and compaction.again is not None:
            self.draft.notes.append(NOT_ALONE)
            said = self.speech.content_of(Turn(), f"turn:{len(later) + 2}")
            self._message(said, index, f"turn:{len(later) + 2}")
        return said

    def _compaction(self, turns: Sequence[Turn]) -> Compaction | None:
        """What compacts the session, if anything does."""
        many = sum((turn.compact is not None) + sum(map(_compacts, turn.steps)) for turn in turns)
        ends = turns[-1].compact is not None or compacts(turns[-1].steps[-1:])
        is_asked_for = self.draft.session.request == "summary"
        if is_asked_for and not ends:
            self.draft.notes.append(NOT_ASKED)
        if not many:
            return None
        from promptls.harnesses.claude_code.files.read_files import ReadFiles  # noqa: PLC0415 - few sessions have one
        from promptls.harnesses.claude_code.turns.compaction import Compaction  # noqa: PLC0415 - the same

        asks, now = is_asked_for and ends, self.started.setup
        self.steps.files = files = ReadFiles(now, self.steps.reads)
        files.start()
        return Compaction(self.draft, self.started, self.entries, self.steps, files, many, asks, now)

    def _compacted(self, turn: Turn, at: str, index: int, resumed: Resumed) -> tuple[int, bool]:
        """Compact the session where the turn begins with that; the last index, and whether nothing else is in it."""
        compaction = self.compaction
        if compaction is None or (turn.compact is None and not compacts(turn.steps[:1])):
            return index, False
        resumed.compacts()
        if turn.compact is not None:
            return compaction.typed(turn, at, index), True
        index = compaction.before(next(call for call in turn.steps[0] if call.compact), at, index)
        return index, compaction.asks and not compaction.left

    def _message(self, said: TurnContent, index: int, at: str) -> int:
        """What is said, behind message ``index``. Returns the last index."""
        compaction = self.compaction
        said.typed, self.refused = [*self.refused, *said.typed], []
        if compaction is None or compaction.again is None:
            # The model's answer is a message too.
            waiting = [*self.steps.waiting, *self.steps.heard(at)]
            if not said.is_alone:
                self.steps.waiting = []
                # What a compaction has left to say of the mode (seen by verify).
                said.modes, self.steps.mode = [*self.steps.mode, *said.modes], []
            return later_message(self.draft, self.started, said, index + 2, at, waiting)
        again, compaction.again = compaction.again, None
        said.again = again
        said.called, said.alone = [*again.called, *said.called], 1 if again.called else said.alone
        said.typed = [*again.typed, *said.typed]
        return first_message(self.draft, self.started, self.entries, said, again.index, at)


def _message_to_agent(setup: Setup, turn: Turn) -> TurnContent:
    """A message to a sub-agent that has ended, in the place of what the user says (captured: subagent-resumed)."""
    why = "another agent sends this message"
    before, after = (
        elided("runtime", NAME, f"{part} of the message", why=why, size=size)
        for part, size in zip(("introduction", "end"), setup.facts.message_frame, strict=True)
    )
    text = Segment("runtime", "message", turn.prompt or "", COMPUTED, why, cache="turn")
    return TurnContent(typed=[[[before, tail("\n", "runtime"), text, tail("\n\n", "runtime"), after]]])


def that_compact(draft: Draft, turns: Sequence[Turn], *, is_new: bool) -> tuple[Turn, ...]:
    """The turns without compactions that nothing comes before; ``is_new``: nothing was said before them.

    One that finds too little to compact stays a prompt that is typed, ``/compact``.
    """
    kept: list[Turn] = []
    refused = refused_at(turns, is_new=is_new)
    has_said, is_idle = not is_new, bool(refused)
    for number, turn in enumerate(turns):
        if compacts_when_typed(turn):
            if number not in refused:
                kept.append(replace(turn, compact=given(turn)))
            elif kept:
                kept.append(replace(turn, compact=None, prompt=f"{COMPACT} {given(turn)}".strip()))
            has_said = False
            continue
        steps = []
        for step in turn.steps:
            if _compacts(step) and not has_said:
                is_idle = True
                continue
            steps.append(step)
            has_said = not _compacts(step)
        kept.append(replace(turn, steps=tuple(steps)))
        has_said = True
    if is_idle:
        draft.notes.append(NOTHING_TO_COMPACT)
    return tuple(kept)


def refused_at(turns: Sequence[Turn], *, is_new: bool = True) -> frozenset[int]:
    """The typed compactions, by number, that find nothing to compact: all that was said is in the summary before them.

    A compaction keeps the last answer or step, if it is not the only one, and that is enough for another (seen by
    verify).
    """
    found, rounds = set(), 0 if is_new else 1
    for number, turn in enumerate(turns):
        if compacts_when_typed(turn):
            if not rounds:
                found.add(number)
            rounds = int(rounds > 1)
            continue
        for step in turn.steps:
            rounds = int(rounds > 1) if _compacts(step) else rounds + 1
        rounds += 1
    return frozenset(found)


def compacts_when_typed(turn: Turn) -> bool:
    """Whether the turn is ``/compact``, which may be refused."""
    return turn.compact is not None or is_refused(turn)


def is_refused(turn: Turn) -> bool:
    """Whether ``/compact`` was typed that compacts nothing; of ``that_compact``, which makes the others compactions."""
    return turn.compact is None and (turn.prompt or "").split()[:1] == [COMPACT]


def given(turn: Turn) -> str:
    """What was typed behind ``/compact``."""
    return turn.compact or (turn.prompt or "").partition(COMPACT)[2].strip()


def compacts(steps: Sequence[tuple[Call, ...]]) -> bool:
    """Whether the program compacts the session in one of these steps."""
    return any(map(_compacts, steps))


def _compacts(step: tuple[Call, ...]) -> bool:
    return any(call.compact for call in step)
