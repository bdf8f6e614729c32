"""What follows the instructions in a chat: what the user types, and what the tools answer that the model calls."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment, Turn
from promptls.core.secrets import masked
from promptls.core.values import replace
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from promptls.core.model import Call, Role
    from promptls.kit.draft import Draft

    Typed = Callable[[Turn], Iterable[Iterable[Segment]]]
    Result = Callable[[Call], Iterable[Iterable[Segment]]]
    Read = Callable[[str], list[list[Segment]] | None]
    After = Callable[[Call], tuple[Role, list[Segment]] | None]
    Beside = Callable[[Turn], tuple[Role, list[Segment]] | None]


def typed(harness: str, turn: Turn, why: str) -> Segment:
    """What the user types in a turn, to the letter; a placeholder where that is not known."""
    if turn.prompt is None:
        return elided("runtime", harness, "prompt", why=why)
    return Segment("runtime", "prompt", turn.prompt, Origin("argument", name="prompt"), why)


def result(harness: str, call: Call, why: str) -> Segment:
    """A placeholder for what a tool answers."""
    what = f"result of reading {call.read}" if call.read is not None else f"result of {call.tool}"
    return elided("runtime", harness, what, why=why)


def send_chat(
    draft: Draft,
    *,
    index: int,
    prompt: Typed,
    answer: Result,
    given: str | None = None,
    before: After = lambda _call: None,
    after: After = lambda _call: None,
    beside: Beside = lambda _turn: None,
) -> None:
    """Add the turns from message ``index`` on; between the results of two steps is the model's own message.

    ``prompt`` gives the parts of the message of a turn; ``answer`` those of the result of a call. ``given``: what the
    command line types, where the session says nothing of the first turn. ``before`` gives the role and the text of a
    message before the results of a step, by its first call; ``after`` those of one that follows them because of one of
    its calls, ``beside`` those of one that follows what is typed.
    """
    first, *others = draft.session.turns or (Turn(),)
    if first.prompt is None and given is not None:
        first = replace(first, prompt=masked(given))
    for number, turn in enumerate((first, *others), 1):
        at = START if number == 1 else f"turn:{number}"
        for block, part in enumerate(prompt(turn)):
            draft.add_message("user", part, index=index, block=block, at=at)
        index = _with_message(draft, beside(turn), index, at)
        for step in turn.steps:
            index += 1
            index = _with_message(draft, before(step[0]), index, step[0].at) if step else index
            for call in step:
                index += 1
                for block, part in enumerate(answer(call)):
                    draft.add_message("tool", part, index=index, block=block, at=call.at)
            for call in step:
                index = _with_message(draft, after(call), index, call.at)
        index += 2


def _with_message(draft: Draft, said: tuple[Role, list[Segment]] | None, index: int, at: str) -> int:
    """The number of the last message, with one more where something is said."""
    role, segments = said or ("user", [])
    if not segments:
        return index
    draft.add_message(role, segments, index=index + 1, at=at)
    return index + 1


def answers(harness: str, why: str, read: Read | None = None) -> Result:
    """What tools answer: ``read`` gives the parts for a path, if it knows them; the rest is a placeholder."""

    def answer(call: Call) -> list[list[Segment]]:
        known = read(call.read) if read is not None and call.read is not None else None
        return known or [[result(harness, call, why)]]

    return answer


def send_plain(
    draft: Draft, harness: str, *, index: int, why: str, read: Read | None = None, given: str | None = None
) -> None:
    """Add the turns of a harness that adds nothing to a prompt or a result, and ``why`` that is so."""
    send_chat(
        draft,
        index=index,
        prompt=lambda turn: [[typed(harness, turn, why)]],
        answer=answers(harness, why, read),
        given=given,
    )
