"""A new process of Codex that takes a session up with another model (seen by verify)."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Prompt, Turn
from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere


def _taken_up(top: Path, *models: str) -> Prompt:
    turns = [Turn("one"), *(Turn("on", resumes=True, args=("-m", each) if each else ()) for each in models[1:])]
    return preview(top, "codex", {"AGENTS.md": "MARK"}, args=("-m", models[0]), turns=tuple(turns))


def test_a_process_with_another_model_adds_its_base_text(tmp_path: Path) -> None:
    prompt = _taken_up(tmp_path, "gpt-5.4", "gpt-5.4-mini", "gpt-5.4-mini", "")
    assert prompt.model == "gpt-5.4-mini"
    sizes = [
        each.elided.size
        for message in prompt.messages
        for each in message.segments
        if each.title == "change of the model" and each.elided
    ]
    # (seen by verify)
    assert sizes == [16_979 + 126]


@pytest.mark.parametrize("models", [("gpt-6-luna", "gpt-6-sol"), ("gpt-6.2-sol", "gpt-5.4"), ("gpt-5.4", "gpt-6-sol")])
def test_what_more_a_model_changes_is_said_to_be_unknown(models: tuple[str, str], tmp_path: Path) -> None:
    prompt = _taken_up(tmp_path, *models)
    assert f"What {models[1]} changes in the middle of a session is not modelled." in prompt.notes
