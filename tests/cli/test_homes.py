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
