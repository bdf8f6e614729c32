"""``promptls use``: the programs that the user has, and which one they mean."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from promptls.cli import main
from tests.folder import lay_out
from tests.newest import newest


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of somebody with two programs, who stands in a folder."""
    monkeypatch.delenv("CI")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    lay_out(tmp_path / "home", {".claude/CLAUDE.md": "x\n", ".codex/config.toml": ""}, git=False)
    monkeypatch.chdir(lay_out(tmp_path / "project", {"a.py": "1\n"}))
    return tmp_path / "home"


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(list(args)) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("mine")
def test_a_choice_is_kept_for_all_folders_and_forgotten(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not on your PATH\n    in your home directory: ~/.claude/CLAUDE.md" in shown(capsys, "use")
    assert json.loads(shown(capsys, "use", "codex", "gemini", "--format", "json"))["chosen"]
    kept = mine / ".config/promptls/promptls.toml"
    assert kept.read_text(encoding="utf-8") == 'harnesses = ["codex", "gemini-cli"]\n'
    found = json.loads(shown(capsys, "--format", "json"))
    assert [each["harness"] for each in found["columns"]] == ["codex", "gemini-cli"]
    assert found["sessions"][0]["assumed"] is None
    assert [each["name"] for each in json.loads(shown(capsys, "use", "--clear", "--format", "json"))["programs"]] == [
        "claude-code",
        "codex",
    ]
    assert main(["use", "nosuch"]) == 2
    assert kept.read_text(encoding="utf-8") == ""


def test_it_is_asked_once_where_several_are_meant(
    mine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    answers = io.StringIO("2\n")
    monkeypatch.setattr(answers, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", answers)
    first = shown(capsys)
    assert "1  Claude Code\n  2  Codex\nIts number" in first
    assert f"Codex {newest('codex')} (newest known) · started in . · " in first
    assert 'harnesses = ["codex", "claude-code"]' in (mine / ".config/promptls/promptls.toml").read_text(
        encoding="utf-8"
    )
    assert "Its number" not in shown(capsys)


def test_a_check_names_the_programs_that_it_leaves_out(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("GEMINI.md").write_text("Use tabs.\n", encoding="utf-8")
    assert main(["check", "--no-network"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert "promptls: Not checked for Claude Code, Codex, which only you have; add --mine to check for them." in told
    main(["check", "--no-network", "--mine"])
    assert "Not checked" not in capsys.readouterr().err
    assert mine.exists()


def test_a_file_is_about_the_start_that_was_recorded(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is named, or stood in, is about a start there."""
    here = Path.cwd()
    lay_out(here, {"sdk/AGENTS.md": "Use pnpm.\n", "sdk/a.ts": "1\n", "README.md": "x\n"}, git=False)
    meta = {"id": "1", "cwd": str(here / "sdk"), "cli_version": "0.169.0", "source": "cli"}
    meta["timestamp"] = "2026-11-22T05:16:23Z"
    turn = {"approval_policy": "never", "sandbox_policy": {"type": "read-only"}, "model": "gpt-5.4"}
    lines = [{"type": "session_meta", "payload": meta}, {"type": "turn_context", "payload": turn}]
    record = mine / ".codex/sessions/2026/11/22/rollout-1.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    said = " · interactive · mode never, read-only · gpt-5.4"
    for args in (("sdk/a.ts",), ("README.md",), ("preview", "sdk/a.ts"), ("explain", "sdk/AGENTS.md")):
        assert shown(capsys, *args).startswith(f"Codex 0.169.0 (recorded) · started in sdk{said}"), args
    starts: list[tuple[str, ...]] = [(), (".",), ("preview",), ("preview", ".")]
    for start in starts:
        assert shown(capsys, *start).startswith(f"Codex 0.169.0 (recorded) · started in .{said}"), start
    assert "promptls sdk " in shown(capsys)
    assert "Codex: yes, at the start.\n" in shown(capsys, "explain", "sdk/AGENTS.md")
    assert "start: sdk, as you last started Codex there, on 2026-11-22" in shown(
        capsys, "preview", "README.md", "--verbose"
    )
    settings = here / "promptls.toml"
    settings.write_text('cwd = "."\n', encoding="utf-8")
    assert shown(capsys, "preview", "sdk/a.ts").startswith("Codex 0.169.0 (recorded) · started in . ·")
    settings.unlink()
    (here / "sdk").rename(here / "gone")
    assert shown(capsys, "preview", "README.md").startswith("Codex 0.169.0 (recorded) · started in . ·")


def test_who_last_used_it_in_an_editor_sees_that(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = Path.cwd()
    lay_out(here, {"AGENTS.md": "Use pnpm.\n", "a.ts": "1\n"}, git=False)
    meta = {"id": "1", "cwd": str(here), "cli_version": "0.171.0", "source": "vscode"}
    meta["timestamp"] = "2026-11-22T05:16:23Z"
    record = mine / ".codex/sessions/2026/11/22/rollout-1.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"type": "session_meta", "payload": meta}), encoding="utf-8")
    assert " · in an editor" in shown(capsys, "preview", "a.ts").splitlines()[0]
    assert "interactive: in an editor, as you used it here on 2026-11-22" in shown(capsys, "preview", "--verbose")
    assert " · in an editor" not in shown(capsys, "preview", "a.ts", "--print").splitlines()[0]
    assert " · interactive" in shown(capsys, "preview", "a.ts", "--interactive").splitlines()[0]
