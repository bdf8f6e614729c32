"""What is answered to a program whose calls start sub-agents: one request after the other."""

from __future__ import annotations

import pytest

from promptls.core.model import Call, Turn
from promptls.core.spec import Delegation
from promptls.errors import UsageError
from promptls.wire.answers import answers

HOW = Delegation("Agent", "agent", "task", (("description", "task"), ("in_background", False)), others=("Skill",))
READ = (Call(read="/a.py"),)
WAITS = '{"in_background": false}'


def _agent(*steps: tuple[Call, ...], tool: str = "Agent", given: str = WAITS) -> Call:
    return Call(tool=tool, input=given, steps=steps)


def test_a_sub_agent_that_is_over_ends_with_an_answer_without_calls() -> None:
    inner = _agent(READ, tool="Skill")
    outer = _agent((inner,))
    assert answers([Turn(steps=((outer,), READ))], HOW, "X") == [[(outer,), (inner,), READ, (), (), READ]]


def test_the_last_sub_agent_of_all_does_not_end() -> None:
    inner, first = _agent(READ), _agent()
    outer = _agent(READ, (inner,))
    turns = [Turn(steps=((first,),)), Turn(steps=((outer,),))]
    assert answers(turns, HOW, "X") == [[(first,), ()], [(outer,), READ, (inner,), READ]]


@pytest.mark.parametrize(
    "step",
    [
        (_agent(given="{}"),),
        (_agent(given='{"in_background": true}'),),
        (_agent(tool="SendMessage"),),
        (_agent(), _agent()),
        (_agent(), *READ),
    ],
)
def test_who_asks_next_has_to_be_known(step: tuple[Call, ...]) -> None:
    with pytest.raises(UsageError, match=r"X wait for what \w+ starts here: start one agent in a step"):
        answers([Turn(steps=(step,))], HOW, "X")


def test_a_harness_without_sub_agents() -> None:
    assert answers([Turn(steps=(READ,)), Turn()], None, "X") == [[READ], []]
    with pytest.raises(UsageError):
        answers([Turn(steps=((_agent(),),))], None, "X")
