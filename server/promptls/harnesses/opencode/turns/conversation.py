"""What is said and done in a session, turn by turn (section 8; surfaces, 1 and 4)."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment, Turn
from promptls.harnesses.opencode.instructions import names
from promptls.harnesses.opencode.start.setup import quoted
from promptls.harnesses.opencode.turns.messages import Conversation
from promptls.kit.numbered_read import Nested, read_label, read_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from promptls.core.model import Call
    from promptls.harnesses.opencode.listing.commands import Called
    from promptls.harnesses.opencode.listing.skills import Skills
    from promptls.harnesses.opencode.start.setup import Setup

WHY_TYPED = "what the user types"
WHY_ATTACHED = "a file is attached on the command line"
WHY_MENTION = "the prompt mentions a file or folder, which the program on the screen reads in"


def converse(setup: Setup, found: Skills, system: set[str], own: str, called: Mapping[int, Called]) -> Conversation:
    """The history of the session itself. ``own``: the agent that it begins with; ``called``: commands by turn.

    That of a command is its turn's alone.
    """
    talk = begun(setup, found, system)
    turns = setup.session.turns or (Turn(),)
    for number, turn in enumerate(turns, 1):
        at = START if number == 1 else f"turn:{number}"
        own = turn.agent or own
        command = called.get(number)
        agent = own if command is None or command.is_subtask else command.agent or own
        is_last = number == len(turns)
        if turn.compact is not None:
            # As the last turn, it is what the program does of itself: it goes on, or says the prompt again that failed.
            is_own = is_last and turn.prompt is None and setup.session.request is None
            if is_last and turn.prompt is None and not is_own:
                # It is the one whose request for a summary is wanted.
                return talk
            before = turns[number - 2] if number > 1 else None
            has_steps = before is not None and bool(before.steps)
            _compact(talk, turn.summary, at, goes_on=is_own and has_steps, fails=is_own and not has_steps)
        if command is not None and command.is_subtask:
            from promptls.harnesses.opencode.listing import commands  # noqa: PLC0415 - few sessions call one

            commands.run_apart(talk, command, at, agent)
        elif turn.prompt is not None or (number == 1 and turn.compact is None) or command is not None:
            talk.say([*_parts_of_turn(setup, talk, turn, command, at)], at, agent)
        do(talk, turn.steps, agent)
        follows = turns[number] if number < len(turns) else None
        # A turn has an answer where another one follows; one that fails, or goes on, has none yet, and that of a
        # compaction is the summary (captured: compact-twice).
        is_typed = turn.compact is None or turn.prompt is not None or bool(turn.steps)
        is_open = follows is not None and follows.compact is not None and number + 1 == len(turns)
        is_failing = follows is not None and is_open and follows.prompt is None and setup.session.request is None
        if follows is not None and is_typed and not is_failing:
            answer(talk, agent)
    return talk


def do(talk: Conversation, steps: Sequence[Sequence[Call]], agent: str) -> None:
    """The steps of a turn; the program may compact the session between two of them, and goes on by itself."""
    for step in steps:
        for call in step:
            if call.compact:
                _compact(talk, None, call.at, goes_on=True)
        if own := [call for call in step if not call.compact]:
            talk.step(own, agent)


def answer(talk: Conversation, agent: str) -> None:
    """The end of a turn, after which old results may be cleared."""
    talk.answer(agent)
    if talk.setup.config.compaction.get("prune") is True:
        from promptls.harnesses.opencode.turns import compaction  # noqa: PLC0415 - it is off by default

        compaction.prune(talk)


def _compact(talk: Conversation, summary: str | None, at: str, *, goes_on: bool, fails: bool = False) -> None:
    from promptls.harnesses.opencode.turns import compaction  # noqa: PLC0415 - few sessions are so long

    compaction.compact(talk, summary, at, goes_on=goes_on, fails=fails)


def begun(setup: Setup, found: Skills, system: set[str]) -> Conversation:
    """A conversation in which nothing has been said."""
    nested = Nested(setup.draft, setup.host, setup.cwd, names(setup.flag), set(system), setup.read_tool)
    return Conversation(setup, found, nested, frozenset(system))


def _attached(setup: Setup, talk: Conversation) -> Iterator[list[Segment]]:
    for path in setup.attached:
        yield [read_label(path, WHY_ATTACHED)]
        yield read_result(setup.read_tool, setup.host, path, talk.nested.reminder(path, START))


def _parts_of_turn(
    setup: Setup, talk: Conversation, turn: Turn, command: Called | None, at: str
) -> Iterator[list[Segment]]:
    is_first = at == START and turn.compact is None
    if is_first:
        yield from _attached(setup, talk)
    typed = setup.typed if is_first else turn.prompt
    if command is not None:
        from promptls.harnesses.opencode.listing import commands  # noqa: PLC0415 - few sessions call one

        yield command.text
        yield from commands.mentioned(setup, talk.nested, command.text, at=at)
    elif typed is not None:
        yield from _parts(setup, talk, quoted(typed) if setup.is_run and not is_first else typed, at)


def _parts(setup: Setup, talk: Conversation, text: str, at: str) -> Iterator[list[Segment]]:
    """A prompt, and on the screen the files that it mentions after it (captured: interactive-mention)."""
    segments = [Segment("runtime", "prompt", text, Origin("argument"), WHY_TYPED)]
    yield segments
    if setup.is_on_screen and "@" in text:
        from promptls.harnesses.opencode.listing import commands  # noqa: PLC0415 - few prompts mention a file

        yield from commands.mentioned(setup, talk.nested, segments, why=WHY_MENTION, at=at)
