"""What docs/long-sessions.md shows of recorded sessions is what the commands answer."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from promptls.cli import main
from tests.docs.pages import ROOT
from tests.records.laid_out import HERE, lay_out

PAGE = (ROOT / "docs" / "long-sessions.md").read_text(encoding="utf-8")
SHOWN = [
    ("claude-code", "short", "promptls sessions --rules"),
    ("gemini-cli", "long", "promptls sessions last --find MARK-pkg-GEMINI"),
]
# Counts of ours depend on the length of the folder's path.
OURS = re.compile(r"~[\d,]+")


@pytest.mark.parametrize(("program", "length", "command"), SHOWN, ids=[each[0] for each in SHOWN])
def test_what_is_shown_is_answered(
    program: str,
    length: str,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert f"python -m tests.records.laid_out {program} {length} " in PAGE
    home, folder = lay_out(program, tmp_path, HERE / length)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(folder)
    assert main(shlex.split(command)[1:]) == 0
    answer = [OURS.sub("~", line.strip()) for line in capsys.readouterr().out.splitlines()]
    shown = re.split(r"\n(?! {4}|\n)", PAGE.partition(f"    $ {command}\n")[2])[0].splitlines()
    lines = [OURS.sub("~", line.strip()) for line in shown if line.strip() and not line.startswith("    /")]
    assert lines
    for line in lines:
        cut = line.removesuffix("…")
        assert any(each == line or (cut != line and each.startswith(cut)) for each in answer), line
