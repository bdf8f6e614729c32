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
