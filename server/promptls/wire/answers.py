"""What a model would answer in a session, request by request, where its calls start sub-agents."""

from __future__ import annotations

import json

from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Call, Turn
    from promptls.core.spec import Delegation

    Steps = Sequence[tuple[Call, ...]]


def answers(turns: Sequence[Turn], delegation: Delegation | None, title: str) -> list[list[tuple[Call, ...]]]:
    """For each turn, the calls of each answer; that of a sub-agent which ends has none.

    The program waits for a sub-agent, so that their requests come one after the other; the one that the last call of
    all starts does not end.

    Raises:
        UsageError: it need not wait, so that nobody knows whose request comes next.
    """
    last = len(turns) - 1
    return [list(_answers(turn.steps, delegation, title, ends=number < last)) for number, turn in enumerate(turns)]


def _answers(steps: Steps, delegation: Delegation | None, title: str, *, ends: bool) -> Iterator[tuple[Call, ...]]:
    for number, step in enumerate(steps):
        yield step
        for call in step:
            if call.steps is None:
                continue
            if len(step) > 1 or not _waits(call, delegation):
                says = f"promptls cannot make {title} wait for what {call.tool} starts here"
                raise UsageError(f"{says}: start one agent in a step, with what preview --subagent says.")
            is_shown = not ends and number == len(steps) - 1
            yield from _answers(call.steps, delegation, title, ends=not is_shown)
            if not is_shown:
                yield ()


def _waits(call: Call, delegation: Delegation | None) -> bool:
    """Whether the program waits for the sub-agent that a call starts: it says all that such a call always says."""
    if delegation is None or call.tool != delegation.tool:
        return delegation is not None and call.tool in delegation.others
    given = json.loads(call.input)
    switches = [(key, value) for key, value in delegation.further if isinstance(value, bool)]
    return all(given.get(key) is value for key, value in switches)
