"""Sessions that the user has begun anew on the screen (seen by verify)."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Call, Turn
from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere
FILES = {"AGENTS.md": "Root.\n", "sub/AGENTS.md": "Sub.\n", "sub/a.py": ""}
TYPED = [
    *(("codex", each) for each in ("/clear", "/new")),
    ("gemini-cli", "/clear"),
    *(("copilot-cli", each) for each in ("/clear", "/new ")),
    *(("opencode", each) for each in ("/clear", "/new")),
]


@pytest.mark.parametrize(("harness", "typed"), TYPED, ids="-".join)
def test_nothing_is_left_of_what_was_said_before(tmp_path: Path, harness: str, typed: str) -> None:
    read = Turn("first", steps=((Call(read=str(tmp_path / "1/folder/sub/a.py")),),))
    anew = preview(tmp_path / "1", harness, {**FILES}, interactive=True, turns=(read, Turn(typed), Turn("second")))
    fresh = preview(tmp_path / "2", harness, {**FILES}, interactive=True, turns=(Turn("second"),))
    assert [message.text.replace(str(tmp_path / "1"), str(tmp_path / "2")) for message in anew.messages] == [
        message.text for message in fresh.messages
    ]
    assert [turn.prompt for turn in anew.session.turns] == ["first", typed, "second"]


@pytest.mark.parametrize("typed", ["/new", "/reset"])
def test_claude_code_is_told_that_it_was_cleared(tmp_path: Path, typed: str) -> None:
    turns = (Turn("first"), Turn(typed), Turn("second"))
    shown = "".join(message.text for message in preview(tmp_path, "claude-code", {}, turns=turns).messages)
    assert "first" not in shown
    assert "<command-name>/clear</command-name>" in shown


def test_a_run_that_prints_takes_it_for_a_prompt(tmp_path: Path) -> None:
    turns = (Turn("first"), Turn("/clear"), Turn("second"))
    shown = preview(tmp_path, "codex", {}, interactive=False, turns=turns)
    assert [message.text for message in shown.messages][-3:] == ["first", "/clear", "second"]
