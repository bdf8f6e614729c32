"""Programs that send their files in another order each time: a preview of more than one file says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("harness", ["aider", "crush"])
def test_of_more_than_one_file(tmp_path: Path, harness: str, number: int) -> None:
    names = ("AGENTS.md", "CRUSH.md", "GEMINI.md")[:number]
    files: Files = dict.fromkeys(names, "x")
    args = [each for name in names for each in ("--read", name)] if harness == "aider" else []
    prompt = preview(tmp_path, harness, files, args=tuple(args))
    assert any("in an order that changes from start to start" in note for note in prompt.notes) is (number > 1)
