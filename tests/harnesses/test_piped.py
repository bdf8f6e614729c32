"""What is piped to a program stands with the prompt, as the programs send it."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, Turn
from promptls.core.prompt_json import to_json

pytestmark = pytest.mark.same_everywhere
# Captured: Claude Code 2.1.330, Codex 0.169.0, Copilot CLI 1.0.102, Gemini CLI 0.61.0, opencode 1.18.33.
SENT = {
    "claude-code": "my prompt\npiped\ntext\n",
    "codex": "my prompt\n\n<stdin>\npiped\ntext\n</stdin>",
    "copilot-cli": "my prompt",
    "gemini-cli": "piped\ntext\n\n\nmy prompt",
    "opencode": '"my prompt"\npiped\ntext\n',
}


def sent(harness: str, tmp_path: Path, turn: Turn) -> Prompt:
    host = Host(home=str(tmp_path / "home"), env={"GEMINI_CLI_TRUST_WORKSPACE": "true"})
    return harnesses.preview(Session(harness=harness, cwd=str(tmp_path), turns=(turn,)), host)


@pytest.mark.parametrize("harness", SENT)
def test_it_stands_with_the_prompt(harness: str, tmp_path: Path) -> None:
    turn = Turn(prompt="my prompt", stdin="piped\ntext\n")
    prompt = sent(harness, tmp_path, turn)
    assert any(message.role == "user" and message.text.endswith(SENT[harness]) for message in prompt.messages)
    assert ("piped" in SENT[harness]) == any("piped\ntext" in message.text for message in prompt.messages)
    assert prompt.session.turns == (turn,)
    assert to_json(prompt)["session"]["turns"][0]["stdin"] == "piped\ntext\n"


def test_without_a_last_line_break_codex_adds_one(tmp_path: Path) -> None:
    prompt = sent("codex", tmp_path, Turn(prompt="my prompt", stdin="piped text"))
    assert prompt.messages[-1].text == "my prompt\n\n<stdin>\npiped text\n</stdin>"


@pytest.mark.parametrize(
    ("harness", "typed", "says"),
    [("aider", "hi", "piped to it, and"), ("codex", None, "piped to it without a prompt, and"), ("codex", "hi", "")],
)
def test_what_is_not_known_is_said(harness: str, typed: str | None, says: str, tmp_path: Path) -> None:
    prompt = sent(harness, tmp_path, Turn(prompt=typed, stdin="text"))
    assert any(says in note for note in prompt.notes) if says else all("piped" not in note for note in prompt.notes)
    assert (prompt.messages == sent(harness, tmp_path, Turn(prompt=typed)).messages) is bool(says)


def test_a_turn_without_it_is_as_it_is_typed(tmp_path: Path) -> None:
    session = Session("codex", str(tmp_path), turns=(Turn("one", stdin="text"), Turn("two")))
    prompt = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
    assert prompt.messages[-1].text == "two"
    assert prompt.notes == sent("codex", tmp_path, Turn("one", stdin="text")).notes
