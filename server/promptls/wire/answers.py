"""What a model would answer in a session, request by request: calls, also of sub-agents, and summaries."""

from __future__ import annotations

import json

from promptls.core.model import START
from promptls.core.values import dataclass, replace
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Call, Prompt, Turn
    from promptls.core.spec import Delegation

    Steps = Sequence[tuple[Call, ...]]

# Tokens that a request is said to have had: so many that a program compacts its session by itself, more than any model
# holds; and so many that it is worth it when the user asks.
FULL, LONG = 9_000_000, 30_000


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its calls, or a text where there are none.

    ``depth``: how many sub-agents are inside of one another where it is given. ``starts``: its call starts one, for
    which the program need not wait: who asks next is known by what is in the request. ``tokens``: so many the request
    is said to have had. ``summary``: it is given to the next request, whatever that offers,
    which asks for a summary; "" where nobody says what the model makes of it. ``stays``: the request is heard and never
    answered, so that a sub-agent for which nobody waits does not end at a moment that nobody knows. ``task``: that of
    the sub-agent which it is for, or that this one is inside of, where ``others`` were started in the same step.
    ``ends``: the tool that the sub-agent calls to end.
    """

    calls: tuple[Call, ...] = ()
    depth: int = 0
    starts: bool = False
    tokens: int = 1
    summary: str | None = None
    stays: bool = False
    task: str = ""
    others: tuple[str, ...] = ()
    ends: str = ""


def answers(
    turns: Sequence[Turn], delegation: Delegation | None, title: str, *, on_screen: bool = False, summaries: int = 1
) -> list[list[Answer]]:
    """For each turn, the answers; the last one has no calls.

    A sub-agent asks before the session that started it does, and the one that the last call of all starts does not end.
    ``on_screen``: no program waits for a sub-agent there. ``summaries``: how often a program asks for one.

    Several that a step starts ask at once, and are answered one after the other: their tasks tell whose request it is.

    Raises:
        UsageError: nobody knows whose request comes next.
    """
    last = len(turns) - 1
    found: list[list[Answer]] = []
    for number, turn in enumerate(turns):
        if turn.compact is not None:
            if found:
                found[-1][-1] = replace(found[-1][-1], tokens=LONG)
            found.append([Answer(summary=turn.summary or "")] * summaries)
            continue
        final = Answer(depth=0 if number < last else _depth(turn.steps))
        given = [*_answers(turn.steps, delegation, title, ends=number < last, on_screen=on_screen), final]
        if given[0].summary is not None and found:
            found[-1][-1] = replace(found[-1][-1], tokens=FULL)
        found.append([each for answer in given for each in [answer] * (1 if answer.summary is None else summaries)])
    return found


def add_before(given: list[list[Answer]], prompt: Prompt, title: str) -> None:
    """Add answers for sub-agents that ask first in a turn, because the program itself has them run a command.

    ``title`` is that of the part which the session then begins with (``kit.launch.Program.asks_before``).
    """
    for message in prompt.messages:
        if any(each.title == title for each in message.segments):
            number = 1 if message.at == START else int(message.at.rpartition(":")[2])
            given[number - 1].insert(0, Answer())


def _answers(
    steps: Steps, delegation: Delegation | None, title: str, *, ends: bool, on_screen: bool, depth: int = 0
) -> Iterator[Answer]:
    for number, step in enumerate(steps):
        if any(call.compact for call in step):
            yield Answer(depth=depth, summary=step[0].summary or "")
            continue
        is_full = number + 1 < len(steps) and any(call.compact for call in steps[number + 1])
        started = [call for call in step if call.steps is not None]
        if started and (delegation is None or not all(_starts(call, delegation) for call in started)):
            raise UsageError(f"promptls cannot tell whose request of {title} comes next; start one agent in a step.")
        tasks = _tasks(started, delegation, title)
        is_apart = bool(started) and (on_screen or not all(_waits(call, delegation) for call in started))
        yield Answer(step, depth, is_apart, FULL if is_full else 1)
        for at, call in enumerate(started):
            is_shown = not ends and number == len(steps) - 1 and call is started[-1]
            others = (*tasks[:at], *tasks[at + 1 :])
            for answer in _of_agent(call, delegation, title, is_shown=is_shown, on_screen=on_screen, depth=depth + 1):
                yield replace(answer, task=answer.task or tasks[at], others=(*answer.others, *others))


def _of_agent(
    call: Call, delegation: Delegation | None, title: str, *, is_shown: bool, on_screen: bool, depth: int
) -> Iterator[Answer]:
    yield from _answers(call.steps or (), delegation, title, ends=not is_shown, on_screen=on_screen, depth=depth)
    if not is_shown:
        is_left = on_screen and delegation is not None and delegation.is_apart_on_screen
        yield Answer(depth=depth, stays=is_left, ends=delegation.ends if delegation is not None else "")


def _tasks(started: Sequence[Call], delegation: Delegation | None, title: str) -> list[str]:
    """The tasks of the agents that a step starts; of one alone, nobody has to know it."""
    if delegation is None or len(started) <= 1:
        return [""] * len(started)
    given = [json.loads(call.input).get(delegation.task) if call.tool == delegation.tool else None for call in started]
    tasks = [each.strip() if isinstance(each, str) else "" for each in given]
    if any(task in other for at, task in enumerate(tasks) for other in (*tasks[:at], *tasks[at + 1 :])):
        raise UsageError(
            f"promptls cannot tell whose request of {title} comes next; give each agent of a step a task of its own, "
            "which is in no other."
        )
    return tasks


def _depth(steps: Steps) -> int:
    """How many sub-agents are inside of one another at the end of the steps."""
    last = next((call.steps for call in reversed(steps[-1]) if call.steps is not None), None) if steps else None
    return 0 if last is None else 1 + _depth(last)


def _starts(call: Call, delegation: Delegation) -> bool:
    return call.tool == delegation.tool or call.tool in delegation.others


def _waits(call: Call, delegation: Delegation | None) -> bool:
    """Whether the program waits for the sub-agent that a call starts: it says all that such a call always says."""
    if delegation is None or call.tool != delegation.tool:
        return delegation is not None
    given = json.loads(call.input)
    switches = [(key, value) for key, value in delegation.further if isinstance(value, bool)]
    return not delegation.is_apart and all(given.get(key) is value for key, value in switches)
