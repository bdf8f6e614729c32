"""What a program is told and answered in a session, turn by turn."""

from __future__ import annotations

import json
from shlex import quote

from promptls import harnesses
from promptls.core import specs
from promptls.core.model import Turn
from promptls.core.paths import relative
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.wire.answers import add_before, answers
from promptls.wire.given_arguments import arguments
from promptls.wire.replies import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Session
    from promptls.kit.launch import Program, Run
    from promptls.wire.answers import Answer

# What is typed where the session does not say.
TYPED = "say ok"


def typed_lines(session: Session, turns: Sequence[Turn], program: Program) -> list[str]:
    """What is typed on the screen, or sent by an editor, turn by turn; nothing where the program prints."""
    if session.interactive and program.on_screen is not None:
        return lines(turns, program, session.mode)
    return [_typed(turn, program) for turn in turns] if session.editor and program.speaks is not None else []


def replies(  # noqa: PLR0917 - what a session is made of
    session: Session,
    turns: Sequence[Turn],
    program: Program,
    title: str,
    prompt: Prompt,
    silent: Collection[int],
) -> list[list[dict[str, object]]]:
    """Each answer to each turn, as ``Job.answers`` has it; the ``silent`` ones ask no model."""
    on_screen = bool(session.interactive)
    is_apart = on_screen or bool(session.editor and program.is_apart_in_editor)
    delegation = specs.of(session.harness).delegation
    given = answers(turns, delegation, title, on_screen=is_apart, summaries=program.summaries)
    if session.request == "summary":
        # The session ends with what asks for it.
        while (
            len(given[-1]) > 1 and given[-1][-1].summary is None and any(each.summary is not None for each in given[-1])
        ):
            del given[-1][-1]
    add_before(given, prompt, program.asks_before)
    # The last one is waited for: nobody knows yet what such a session sends.
    for number in program.refuses(turns[:-1]) if program.refuses is not None else ():
        given[number] = []
    for number in silent:
        given[number] = []
    asks_again = not on_screen and any(each.partition("=")[0] in program.asks_again for each in session.args)
    found = [[_answer(each, program, title, session.cwd) for each in turn] for turn in given]
    return [[*turn, turn[-1]] if asks_again else turn for turn in found]


def silent_turns(session: Session, turns: Sequence[Turn], host: Host) -> list[int]:
    """The turns before the last one, by number, that are commands which the program on the screen carries out."""
    anew = specs.of(session.harness).anew
    typed = [each for each in enumerate(turns[:-1]) if session.interactive and (each[1].prompt or "").startswith("/")]
    return [
        number
        for number, turn in typed
        if (turn.prompt or "").strip() in anew or harnesses.preview(replace(session, turns=(turn,)), host).stopped
    ]


def _answer(answer: Answer, program: Program, title: str, cwd: str) -> dict[str, object]:
    is_summary = answer.summary is not None
    return {
        "ways": [_ways(call, program, title, cwd) for call in answer.calls],
        "text": program.summary.format(answer.summary or TEXT) if is_summary else TEXT,
        "tokens": answer.tokens,
        "depth": answer.depth,
        "starts": answer.starts,
        "is_summary": is_summary,
        "stays": answer.stays,
        "task": answer.task,
        "others": list(answer.others),
        "ends": answer.ends,
    }


def turns_of(session: Session, program: Program, title: str) -> tuple[Turn, ...]:
    """The turns of a session that the program can be led through."""
    turns = session.turns or (Turn(),)
    if len(turns) > 1 and not (program.goes_on or session.editor):
        raise UsageError(f"{title} takes up no session by its command line; leave out all turns but the first.")
    if any(turn.attached for turn in turns) and not program.attaches:
        raise UsageError(f"{title} takes no attached files by its command line; type @FILE in the prompt instead.")
    ends = turns[-1].steps[-1:]
    if program.compacts_beside and session.request is None and any(call.compact for step in ends for call in step):
        raise UsageError(f"{title} compacts while the turn goes on; add a step behind the compaction.")
    if any(turn.open for turn in turns) and not program.opens:
        raise UsageError("Only an editor tells a program which files are open; leave them out.")
    return turns


def typed_again(session: Session, program: Program) -> Session:
    """The session as it is run: what somebody types on the screen is taken up there."""
    if not session.interactive or program.on_screen is None or program.on_screen.takes_up is None:
        return session
    again = (*program.on_screen.takes_up, *session.args)
    is_silent = [turn.resumes and turn.args is None for turn in session.turns]
    if not any(is_silent):
        return session
    turns = (replace(turn, args=again) if says else turn for turn, says in zip(session.turns, is_silent, strict=True))
    return replace(session, turns=tuple(turns))


def of_turn(one: Run, turn: Turn, program: Program) -> Run:
    """How a turn is run, with the options of its own."""
    args = one.args if turn.args is None else turn.args if one.runs else arguments(turn.args, program)[0]
    return replace(one, typed=_typed(turn, program), attached=turn.attached, opened=turn.open, args=args)


def _typed(turn: Turn, program: Program) -> str:
    if turn.compact is not None:
        return f"{program.compacts} {turn.compact}".strip()
    return TYPED if turn.prompt is None else turn.prompt


def lines(turns: Sequence[Turn], program: Program, mode: str | None) -> list[str]:
    """What is typed on the screen, turn by turn."""
    found = [_typed(turn, program) for turn in turns]
    screen = program.on_screen
    chooses = screen.modes.get(mode or "", ("",))[-1] if screen is not None else ""
    # The session itself may say where the mode was chosen.
    if chooses and not any(f"{each} ".startswith(chooses) for each in found):
        prompts = [at for at, turn in enumerate(turns) if turn.compact is None] or [0]
        at = prompts[-1] if screen is not None and screen.mode_is_last else 0
        found[at] = f"{chooses}{found[at]}"
    return found


def _ways(call: Call, program: Program, title: str, cwd: str) -> list[tuple[str, object]]:
    """A call as the program's models make it, in each way that there is."""
    if call.read is None:
        name, given = f"{call.namespace}/{call.tool}" if call.namespace else call.tool, json.loads(call.input)
        return list(program.ways(name, given)) if program.ways is not None else [(name, given)]
    if not program.read:
        raise UsageError(f"What {title} sends does not change when it reads a file; leave out the file.")
    value = program.reads_by.format(quote(relative(call.read, cwd))) if program.reads_by else call.read
    return [(program.read, {program.read_argument: value, **program.reads_saying})]
