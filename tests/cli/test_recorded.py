"""``promptls sessions``, ``preview --recorded`` and ``check --recorded``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.cli import main
from tests.records.workspace import lay_out

HOMES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "OPENCODE_DB")
RECORDED = (
    *("claude-code", "codex", "copilot-cli", "gemini-cli", "opencode", "opencode-2", "deepagents-code", "droid"),
    *("goose", "gptme", "grok-build", "hermes", "kimi-code", "letta-code"),
)
# What was typed in each of these sessions.
TYPED = b"MARK-prompt"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, folder = lay_out("claude-code", tmp_path.resolve())
    monkeypatch.setenv("HOME", str(home))
    for name in HOMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    return folder


def test_the_sessions_of_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["started", "program", "model", "tokens", "reads", "session"]
    assert lines[2].split()[:4] == ["2026-11-22", "05:17", "claude-code", "2.1.330"]
    assert "18,017" in lines[2]
    assert main(["sessions", "--format", "json", "--harness", "claude", str(folder)]) == 0
    found = json.loads(capsys.readouterr().out)["sessions"]
    assert [each["version"] for each in found] == ["2.1.330"] * len(found)
    assert "MARK-prompt" not in str(found), "no text of a session"


@pytest.mark.parametrize("name", RECORDED)
def test_no_text_of_a_session_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, folder = lay_out(name, tmp_path.resolve())
    (folder / "pkg/a b.c_d").mkdir()
    monkeypatch.setenv("HOME", str(home))
    for variable in HOMES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(folder)
    recorded = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert TYPED in recorded, "it is there to be shown"
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    for form in ("text", "json"):
        assert main(["sessions", "--all", "--format", form]) == 0
        assert main(["preview", "--recorded", "last", "--no-network", "--format", form]) == 0
    assert TYPED.decode() not in capsys.readouterr().out
    kept = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert not any(TYPED in path.read_bytes() for path in kept)


def test_a_folder_without_sessions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", str(folder / "doc2")]) == 0
    assert capsys.readouterr().out.startswith("No program has recorded a session of this folder.")
    assert main(["sessions", "--harness", "codex", str(folder / "doc2")]) == 0
    assert capsys.readouterr().out == "There is no recorded session of codex of this folder.\n"
    assert main(["sessions", "--harness", "cursor"]) == 2
    assert capsys.readouterr().err.startswith("promptls: The records of cursor are not known; choose from ")


def test_the_prompt_of_a_recorded_session(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", "--recorded", "c3eb6ddc", "--no-network"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("claude-code 2.1.330 · 2026-11-22 05:17 UTC\n")
    assert "counted by the program" in shown
    assert "never      doc2/CLAUDE.md" in shown
    assert "MARK pkg CLAUDE.md" in shown, "the prompt itself"
    assert main(["preview", "--recorded", "c3eb6ddc", "--format", "json", "--no-network"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["session"]["reads"][0] == f"{folder}/pkg/mod.py"
    assert found["session"]["model"] == "claude-sonnet-4-5"
    outcomes = {each["path"].removeprefix(f"{folder}/"): each["outcome"] for each in found["recorded"]["arrivals"]}
    assert outcomes["pkg/CLAUDE.md"] == "arrived"


def test_what_never_arrived_is_a_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--recorded", "c3eb6ddc", "--fail-on", "warning"]) == 1
    assert "never-arrived" in capsys.readouterr().out
    assert main(["check", "--recorded", "c3eb6ddc", str(folder)]) == 0


@pytest.mark.parametrize("more", [["--fix"], ["--changed", "HEAD"], ["lib", "pkg"]])
def test_a_check_of_a_record_is_asked_for_alone(
    folder: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--recorded", "last", *more]) == 2
    assert capsys.readouterr().err.startswith("promptls: --recorded reports one session")
    assert (folder / "doc2" / "CLAUDE.md").exists()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--recorded", "none"], "There is no recorded session none"),
        (["--recorded", "last", "--harness", "codex"], "There is no recorded session"),
        (["--recorded", "last", "--rev", "HEAD"], "cannot be combined"),
    ],
)
def test_a_mistake_is_one_sentence(
    folder: Path, args: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["preview", *args, str(folder)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1
