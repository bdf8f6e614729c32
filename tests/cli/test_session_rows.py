"""The rows of a recorded session in a terminal that is too narrow for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.cli import main
from tests.records.laid_out import HERE, lay_out

SINCE = "compacted since: no request behind that is recorded, and the next one has not all of these files"


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


@pytest.mark.parametrize("rest", ["", '{"parentUuid":"a795342c-e711'])
def test_a_record_that_ends_with_a_compaction_says_so(
    rest: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also one that is cut off in the middle of a line."""
    home, folder = lay_out("claude-code", tmp_path, HERE / "long")
    record = next(path for path in home.rglob("11111111-*.jsonl") if "compact_boundary" in path.read_text("utf-8"))
    whole = record.read_text("utf-8").splitlines(keepends=True)
    end = next(number for number, line in enumerate(whole) if "compact_boundary" in line)
    record.write_text("".join(whole[: end + 1]) + rest, "utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "")
    monkeypatch.chdir(folder)
    assert main(["sessions", record.stem, "--harness", "claude-code"]) == 0
    lines = capsys.readouterr().out.splitlines()
    number = next(at for at, line in enumerate(lines) if line.strip() == SINCE)
    assert lines[number - 1].lstrip().startswith("8  ")
