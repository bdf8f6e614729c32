"""Agents that do not exist: a sentence says so, in each harness that has agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.model import Prompt, Turn
from promptls.core.values import replace
from promptls.sessions.later import delegating
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere
FILES: Files = {"AGENTS.md": "MARK\n", ".github/agents/rev.md": "---\nname: rev\ndescription: x\n---\nYou review.\n"}
DELEGATING = [each for each in harnesses.names() if specs.of(each).delegation is not None]


@pytest.mark.parametrize("harness", DELEGATING)
def test_that_a_sub_agent_is_not_there_is_said(harness: str, tmp_path: Path) -> None:
    turns = delegating(harness, (Turn("hi"),), "nobody: look")
    prompt = preview(tmp_path, harness, FILES, turns=turns, is_trusted=True)
    assert [note for note in _said(prompt) if "nobody" in note], prompt.notes


@pytest.mark.parametrize("harness", DELEGATING)
def test_that_an_agent_is_not_there_is_said(harness: str, tmp_path: Path) -> None:
    prompt = preview(tmp_path, harness, FILES, agent="nobody", is_trusted=True)
    assert len([note for note in _said(prompt) if "nobody" in note]) == 1, prompt.notes
    assert "main session with the agent nobody" not in json.dumps(prompt.notes)


def test_an_agent_of_copilot_cli_that_is_there_is_said_to_be_a_main_session(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "copilot-cli", FILES, agent="rev")
    assert _said(prompt) == [
        "This is a main session with the agent rev. As a sub-agent it gets another prompt: --subagent rev."
    ]
    own = preview(tmp_path / "own", "copilot-cli", FILES, agent="explore")
    assert _said(own) == ["What Copilot CLI sends in a main session of its own agent explore is not known."]


def _said(prompt: Prompt) -> list[str]:
    return [*prompt.notes, *filter(None, (prompt.stopped,))]


def test_a_sub_agent_of_a_sub_agent_is_shown_where_it_can_be_started(tmp_path: Path) -> None:
    (turn,) = delegating("copilot-cli", (), "rev: first")
    ((first,),) = turn.steps
    ((second,),) = delegating("copilot-cli", (), "explore: second")[0].steps
    turns = (replace(turn, steps=((replace(first, steps=((second,),)),),)),)
    prompt = preview(tmp_path, "copilot-cli", FILES, turns=turns)
    text = "".join(message.text for message in prompt.messages)
    assert "second" in text
    assert "You review." not in text
    (turn,) = delegating("gemini-cli", (), "generalist: first")
    ((first,),) = turn.steps
    turns = (replace(turn, steps=((replace(first, steps=((first,),)),),)),)
    prompt = preview(tmp_path / "gemini", "gemini-cli", FILES, turns=turns, is_trusted=True)
    assert "The agent generalist has no tool invoke_agent, so it starts none." in prompt.notes
