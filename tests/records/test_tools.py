"""In how many recorded sessions each tool was called that the requests of a program carry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from promptls.cli import main
from tests.cli.test_schema import closed, schema
from tests.records.workspace import lay_out

# A tool that sessions called, and one that none did.
CALLED = {
    "claude-code": ("Read", "WebFetch"),
    "codex": ("exec_command", "view_image"),
    "copilot-cli": ("view", "sql"),
    "gemini-cli": ("read_file", "google_web_search"),
    "opencode": ("read", "webfetch"),
}


@pytest.mark.parametrize("program", CALLED)
def test_what_was_called_is_counted(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = lay_out(program, tmp_path)
    monkeypatch.setenv("HOME", str(home))
    assert main(["sessions", "--tools", str(folder), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    Draft202012Validator(closed(schema("sessions-tools"))).validate(found)
    (table,) = found["programs"]
    rows = {each["name"].rpartition("/")[2]: each for each in table["tools"]}
    called, idle = CALLED[program]
    assert rows[called]["called"] > 0
    assert rows[called]["last"]
    assert (rows[idle]["called"], rows[idle]["last"]) == (0, None)
    counts = [each["called"] > 0 for each in table["tools"]]
    assert counts == sorted(counts)


def test_the_table_says_what_nobody_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = lay_out("opencode", tmp_path)
    monkeypatch.setenv("HOME", str(home))
    assert main(["sessions", "--tools", str(folder), "--last", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "opencode · 2 recorded sessions of this folder"
    assert "tools were called in none of them: ~" in lines[1]
    assert lines[2].startswith("··········   0 of 2  ")
    assert any(line.startswith("█") for line in lines)
