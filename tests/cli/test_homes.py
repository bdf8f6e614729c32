"""Home directories that are not as usual: one clear sentence, or an answer without what is there."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.workspace import machine
from tests.folder import lay_out
from tests.newest import newest


def test_a_home_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "rules\n"}))
    home, stat, is_back = tmp_path / "home", os.stat, threading.Event()
    monkeypatch.setenv("HOME", str(home))

    def hanging(path: Any, **options: Any) -> os.stat_result:
        if str(path).startswith(f"{home}/"):
            is_back.wait()
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", hanging)
    monkeypatch.setattr(machine, "PATIENCE", 0.01)
    try:
        for args in (["preview"], ["use"], ["check", "--no-network"]):
            assert main(args) == 2
            said = capsys.readouterr().err
            assert said.startswith(f"promptls: Your home directory {home} did not answer within ")
            assert said.endswith("or name another directory in HOME.\n")
    finally:
        is_back.set()
        machine._answers.clear()


def test_a_home_that_cannot_be_read_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"CLAUDE.md": "rules\n"}))
    monkeypatch.delenv("CI")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "access", lambda path, _mode: path != str(tmp_path / "home"))
    assert main(["preview", "--only", "summary"]) == 0
    assert f"Your home directory {tmp_path}/home cannot be read" in capsys.readouterr().out


def test_a_home_that_nobody_may_read_is_like_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"CLAUDE.md": "rules\n"}))
    monkeypatch.delenv("CI")
    home = tmp_path / "home"
    lay_out(home, {".claude/CLAUDE.md": "mine\n"}, git=False)
    monkeypatch.setenv("HOME", str(home))
    home.chmod(0)
    try:
        if os.access(home, os.R_OK):
            pytest.skip("this user may read everything")
        assert main(["preview", "--only", "summary"]) == 0
        assert capsys.readouterr().out.startswith(
            f"Claude Code {newest('claude-code')} (newest known) · started in . · "
        )
    finally:
        home.chmod(0o700)


def test_what_ends_a_program_in_the_home_is_reported_to_whom_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A check is the same for everybody, so that what only one machine has is named, and counts with --mine."""
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "rules\n", ".deepagents/AGENTS.md": "own\n"}))
    agent = (
        lay_out(tmp_path / "home", {"dots/A.md": "mine\n", ".deepagents/config.toml": ""}, git=False) / ".deepagents"
    )
    (agent / "agent").mkdir()
    (agent / "agent/AGENTS.md").symlink_to(tmp_path / "home/dots/A.md")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    of_home = "~/.deepagents/agent/AGENTS.md"
    args = ["check", "--no-network", "--harness", "deepagents-code"]
    assert main(args) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert f"Not reported: an error in {of_home}, which only you have; add --mine to see it." in said.err
    assert main([*args, "--mine"]) == 1
    said = capsys.readouterr()
    assert said.out.startswith(f"{of_home}\n  1:1 error config-invalid [deepagents-code]: Deep Agents Code ends with")
    assert "Not reported" not in said.err
    assert main([*args, "--mine", "--format", "json"]) == 1
    assert f'"path": "{of_home}"' in capsys.readouterr().out
    for more in (["--mine", "--format", "github"], ["--mine", "AGENTS.md"], ["--mine", "--fix"], ["--format", "json"]):
        main([*args, *more])
        assert of_home not in capsys.readouterr().err or "--fix" in more
    assert (agent / "agent/AGENTS.md").is_symlink()
