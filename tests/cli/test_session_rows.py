"""The rows of a recorded session in a terminal that is too narrow for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.cli import main
from tests.records.test_standing import HERE, lay_out


@pytest.mark.parametrize("columns", ["80", ""])
def test_what_changed_is_below_a_row_that_is_too_long(
    columns: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, folder = lay_out("codex", tmp_path, HERE / "long")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.chdir(folder)
    assert main(["sessions", "last", "--harness", "codex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(number for number, line in enumerate(lines) if line.lstrip().startswith("1  "))
    says = "gpt-5.4 · + ~/.codex/AGENTS.md · + AGENTS.md · + pkg/AGENTS.md"
    assert lines[row + 1].strip() == says if columns else lines[row].endswith(f"  {says}")
