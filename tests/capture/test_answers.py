"""What is answered to a program whose calls start sub-agents: one request after the other."""

from __future__ import annotations

import pytest

from promptls.core.model import COMPUTED, START, Call, Message, Prompt, Segment, Session, Turn
from promptls.core.spec import Delegation
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.wire.answers import FULL, LONG, add_before, answers

HOW = Delegation("Agent", "agent", "task", (("description", "task"), ("in_background", False)), others=("Skill",))
READ = (Call(read="/a.py"),)
WAITS = '{"in_background": false}'


def _agent(*steps: tuple[Call, ...], tool: str = "Agent", given: str = WAITS) -> Call:
    return Call(tool=tool, input=given, steps=steps)


def _calls(turns: list[Turn]) -> list[list[tuple[Call, ...]]]:
    return [[each.calls for each in turn] for turn in answers(turns, HOW, "X")]


def test_a_sub_agent_that_is_over_ends_with_an_answer_without_calls() -> None:
    inner = _agent(READ, tool="Skill")
    outer = _agent((inner,))
    turns = [Turn(steps=((outer,), READ))]
    assert _calls(turns) == [[(outer,), (inner,), READ, (), (), READ, ()]]
    assert [each.depth for each in answers(turns, HOW, "X")[0]] == [0, 1, 2, 2, 1, 0, 0]


def test_the_last_sub_agent_of_all_does_not_end() -> None:
    inner, first = _agent(READ), _agent()
    outer = _agent(READ, (inner,))
    turns = [Turn(steps=((first,),)), Turn(steps=((outer,),))]
    assert _calls(turns) == [[(first,), (), ()], [(outer,), READ, (inner,), READ, ()]]
    assert [each.depth for each in answers(turns, HOW, "X")[1]] == [0, 1, 1, 2, 2]


@pytest.mark.parametrize("given", ["{}", '{"in_background": true}'])
def test_a_session_that_need_not_wait_is_made_to(given: str) -> None:
    first, waiting = _agent(given=given), _agent()
    turns = [Turn(steps=((first,),))]
    assert [each.starts for each in answers(turns, HOW, "X")[0]] == [True, False]
    turns = [Turn(steps=((waiting,),))]
    assert [each.starts for each in answers(turns, HOW, "X")[0]] == [False, False]
    assert [each.starts for each in answers(turns, HOW, "X", on_screen=True)[0]] == [True, False]


def test_where_nobody_waits_a_sub_agent_does_not_end() -> None:
    turns = [Turn(steps=((_agent(READ),), READ))]
    apart = replace(HOW, is_apart_on_screen=True)
    for how, on_screen, stays in ((apart, True, True), (apart, False, False), (HOW, True, False)):
        found = answers(turns, how, "X", on_screen=on_screen)[0]
        assert [each.stays for each in found] == [False, False, stays, False, False]


@pytest.mark.parametrize(
    ("step", "advice"),
    [
        ((_agent(tool="SendMessage"),), "start one agent in a step"),
        ((_agent(), _agent()), "give each agent of a step a task of its own"),
        ((_agent(given='{"task": "a"}'), _agent(given='{"task": "say a"}')), "give each agent of a step"),
        ((_agent(given='{"task": "a"}'), _agent(tool="Skill")), "give each agent of a step"),
    ],
)
def test_who_asks_next_has_to_be_known(step: tuple[Call, ...], advice: str) -> None:
    with pytest.raises(UsageError, match=f"whose request of X comes next; {advice}"):
        answers([Turn(steps=(step,))], HOW, "X")


def test_agents_of_one_step_are_answered_one_after_the_other() -> None:
    inner = _agent(given='{"task": "c", "in_background": false}')
    one, two = _agent(READ, (inner,), given='{"task": "a"}'), _agent(READ, given='{"task": "b"}')
    found = answers([Turn(steps=((*READ, one, two), READ))], HOW, "X")[0]
    assert [each.calls for each in found] == [(*READ, one, two), READ, (inner,), (), (), READ, (), READ, ()]
    assert [each.depth for each in found] == [0, 1, 1, 2, 1, 1, 1, 0, 0]
    assert [each.task for each in found] == ["", "a", "a", "a", "a", "b", "b", "", ""]
    assert {each.others for each in found if each.task == "a"} == {("b",)}
    # The last one is shown, and the others have ended.
    shown = answers([Turn(steps=((one, two),))], HOW, "X")[0]
    assert [(each.calls, each.depth) for each in shown[-2:]] == [(READ, 1), ((), 1)]


def test_what_is_called_beside_an_agent_is_over_before_it() -> None:
    agent = _agent(READ)
    found = answers([Turn(steps=((agent, *READ),))], HOW, "X")[0]
    assert [(each.calls, each.depth) for each in found] == [((agent, *READ), 0), (READ, 1), ((), 1)]


def test_a_harness_without_sub_agents() -> None:
    assert [[each.calls for each in turn] for turn in answers([Turn(steps=(READ,)), Turn()], None, "X")] == [
        [READ, ()],
        [()],
    ]
    with pytest.raises(UsageError):
        answers([Turn(steps=((_agent(),),))], None, "X")


def test_a_compaction_that_is_typed_is_a_turn_with_the_summary_alone() -> None:
    before, asked, after = answers([Turn("a"), Turn(compact="", summary="s"), Turn("b")], None, "X", summaries=2)
    assert [each.tokens for each in before] == [LONG]
    assert [each.summary for each in asked] == ["s", "s"]
    assert [each.summary for each in after] == [None]


def test_a_program_compacts_when_the_request_before_was_long() -> None:
    auto = (Call(compact="auto", summary="s"),)
    first, second = answers([Turn("a", steps=(READ, auto, READ)), Turn("b", steps=(auto,))], None, "X")
    assert [(each.tokens, each.summary) for each in first] == [(FULL, None), (1, "s"), (1, None), (FULL, None)]
    assert [(each.tokens, each.summary) for each in second] == [(1, "s"), (1, None)]


def test_a_sub_agent_that_runs_a_command_asks_first() -> None:
    turns = [Turn("/sub"), Turn("hi", steps=(READ,)), Turn("/sub")]
    given = answers(turns, None, "It")
    parts = [Message("user", (Segment("runtime", "remark", "x", COMPUTED, ""),), 1, at=at) for at in (START, "turn:3")]
    add_before(given, Prompt(Session("x", "/"), tuple(parts), ()), "remark")
    assert [len(turn) for turn in given] == [2, 2, 2]
