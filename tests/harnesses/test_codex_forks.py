"""Codex: a sub-agent that begins with its parent's history, or has a model of its own (seen by verify)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Call, Prompt, Turn
from tests.harnesses.shown import Files, preview, segments

pytestmark = pytest.mark.same_everywhere
GIVEN = json.dumps({"task_name": "sub", "message": "do it", "fork_turns": "all"})


@pytest.mark.parametrize(
    ("model", "gone"),
    [
        ("gpt-6.1-sol", ["functions.request_user_input_async"]),
        ("gpt-6.2-sol", ["functions.request_user_input_async", "functions.send_message_to_user_async"]),
    ],
)
def test_a_fork_has_the_call_that_started_it_and_its_place_among_agents(
    tmp_path: Path, model: str, gone: list[str]
) -> None:
    call = Call(tool="spawn_agent", namespace="collaboration", input=GIVEN, steps=())
    turns = (Turn("say ok", steps=((call,),)),)
    shown = preview(tmp_path, "codex", {}, interactive=False, model=model, turns=turns).messages
    at = next(number for number, message in enumerate(shown) if message.text == "say ok")
    after = shown[at + 1 :]
    assert [message.role for message in after] == ["tool", *["developer"] * 4, *["agent_message"] * 2]
    assert after[0].text == "aborted"
    titles = [[segment.title for segment in message.segments if segment.elided] for message in after]
    assert titles[1:3] == [["role of a sub-agent"], ["role among agents"]]
    assert after[3].text.splitlines()[1:] == [f"- {name}" for name in gone]
    assert titles[4] == ["mode of agents"]


def _spawn(name: str, *steps: tuple[Call, ...], turns: str = "all") -> Call:
    said = json.dumps({"task_name": name, "message": f"do {name}", "fork_turns": turns})
    return Call(tool="spawn_agent", namespace="collaboration", input=said, steps=steps)


def _texts(folder: Path, *step: Call) -> list[str]:
    turns = (Turn("say ok", steps=(step,)),)
    shown = preview(folder, "codex", {}, interactive=False, model="gpt-6.2-sol", turns=turns).messages
    at = next(number for number, message in enumerate(shown) if message.text == "say ok")
    return [message.text for message in shown[at + 1 :]]


def test_a_fork_of_a_step_has_what_the_others_got_behind_its_own_call(tmp_path: Path) -> None:
    before = ["aborted", '{"task_name":"/root/one"}']
    assert _texts(tmp_path / "two", _spawn("one"), _spawn("two"))[:2] == before
    # What is called behind it has no result yet either.
    last = Call(tool="exec_command", input='{"cmd": "cat a"}')
    assert _texts(tmp_path / "three", _spawn("one"), _spawn("two"), last)[:3] == ["aborted", *before]


def test_a_fork_of_a_fork_is_told_only_what_it_is(tmp_path: Path) -> None:
    listed = Call(tool="list_agents", namespace="collaboration", input="{}")
    outer = _spawn("outer", (listed,), (_spawn("first", turns="none"), _spawn("inner")))
    after = _texts(tmp_path, outer)
    own = after[after.index("do outer") + 1 :]
    # What its parent did, what that has started, its own place among agents, and its task.
    assert own[1:3] == ["aborted", '{"task_name":"/root/outer/first"}']
    assert len(own) == 7
    assert own[5:] == [
        "Message Type: NEW_TASK\nTask name: /root/outer/inner\nSender: /root/outer\nPayload:\n",
        "do inner",
    ]


def test_a_fork_has_as_many_tools_as_its_parent(tmp_path: Path) -> None:
    def size(folder: str, call: Call) -> int:
        shown = preview(
            tmp_path / folder, "codex", {}, interactive=False, model="gpt-6.2-sol", turns=(Turn("a", steps=((call,),)),)
        )
        return sum(tool.size or 0 for tool in shown.tools or ())

    whole, less = size("all", _spawn("a")), size("none", _spawn("a", turns="none"))
    assert size("fork of a fork", _spawn("a", (_spawn("b"),))) == whole > less
    assert size("fork of another", _spawn("a", (_spawn("b"),), turns="none")) == less


OWN = 'name = "rev"\ndescription = "d"\ndeveloper_instructions = "Own."\n'
ROLE: Files = {"~/.codex/agents/rev.toml": OWN}
TERRA: Files = {"~/.codex/agents/rev.toml": f'{OWN}model = "gpt-6.1-terra"\n'}


def _started(tmp_path: Path, files: Files, session: str = "gpt-6.2-sol", **given: Any) -> Prompt:
    said = json.dumps({"task_name": "sub", "message": "do it", "fork_turns": "none", **given})
    call = Call(tool="spawn_agent", namespace="collaboration", input=said, steps=())
    turns = (Turn("say ok", steps=((call,),)),)
    return preview(tmp_path, "codex", files, interactive=False, model=session, turns=turns)


@pytest.mark.parametrize(
    ("files", "given", "size"),
    [
        (ROLE, {"agent_type": "rev", "model": "gpt-6.1-sol"}, 21_524),
        (TERRA, {"agent_type": "rev", "model": "gpt-6.1-sol"}, 21_175),
        (ROLE, {"agent_type": "rev"}, 25_933),
    ],
)
def test_the_base_text_is_that_of_the_model_that_the_call_asks_for(
    tmp_path: Path, files: Files, given: dict[str, Any], size: int
) -> None:
    found = [each.elided for each in segments(_started(tmp_path, files, **given)) if each.title == "base text"]
    assert [each.size for each in found if each is not None] == [size]


@pytest.mark.parametrize(
    ("files", "given", "size"),
    [(ROLE, {"model": "gpt-6.1-sol"}, 21_669), (TERRA, {"agent_type": "rev"}, 21_322)],
)
def test_a_fork_with_another_model_is_told_its_base_text(
    tmp_path: Path, files: Files, given: dict[str, Any], size: int
) -> None:
    shown = _started(tmp_path, files, fork_turns="all", **given)
    told = next(each for each in shown.messages if each.text.startswith("<model_instructions>"))
    parts = [each.elided.size if each.elided else len(each.text) for each in told.segments]
    assert sum(part or 0 for part in parts) == size
    assert "functions.send_message_to_user_async" in "".join(each.text for each in shown.messages)


def test_a_sub_agent_with_its_parents_history_takes_no_role(tmp_path: Path) -> None:
    shown = _started(tmp_path, ROLE, "stub-model", agent_type="rev", fork_context=True)
    assert any(
        each
        == "A sub-agent with its parent's history takes no role, so no sub-agent starts, and the main session is shown."
        for each in shown.notes
    )


def test_a_sub_agent_has_the_tools_for_agents_that_the_session_has(tmp_path: Path) -> None:
    shown = _started(tmp_path, ROLE, "stub-model", model="gpt-6.1-sol")
    titles = {each.title for each in segments(shown)}
    assert "base text" in titles
    assert not {"role among agents", "mode of agents"} & titles


def test_a_model_without_tools_among_what_is_said_is_told_of_the_change(tmp_path: Path) -> None:
    shown = _started(tmp_path, {"~/.codex/agents/rev.toml": OWN}, model="gpt-5.5")
    base = next(each for each in segments(shown) if each.title == "base text")
    assert base.elided is not None
    assert base.elided.size == 25_933
    switch = next(each for each in shown.messages if each.text.startswith("<model_switch>"))
    assert sum(part.elided.size or 0 if part.elided else len(part.text) for part in switch.segments) == 21_454
    # Its tools for sub-agents are looked up, and with them the roles.
    assert "Available roles:" not in "".join(each.text for each in segments(shown))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "gpt-6.2-sol-x"}, "Codex does not know the model 'gpt-6.2-sol-x'"),
        ({"task_name": "A b!"}, "The name of a task has only lowercase letters, digits and underscores"),
    ],
)
def test_a_call_that_codex_refuses_starts_nothing(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    shown = _started(tmp_path, {}, **given)
    assert f"{says}, so no sub-agent starts, and the main session is shown." in shown.notes
