"""Codex: a sub-agent that begins with its parent's history (seen by verify in 0.169.0 and 0.171.0)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.model import Call, Turn
from tests.harnesses.shown import preview

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
