"""How commands end where nobody waits for them, and what they take for the home directory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from promptls import cli
from promptls.cli import main
from promptls.workspace.machine import home


@pytest.mark.parametrize("command", [["serve"], ["mcp"]])
@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_protocol_needs_both_streams(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], command: list[str], stream: str
) -> None:
    monkeypatch.setattr(sys, stream, None)
    assert main(command) == 2
    says = f"promptls: Standard {stream.removeprefix('std')}put is closed; "
    assert capfd.readouterr().err.startswith(says)


def test_a_session_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["preview", "--session", "-"]) == 2
    assert "Standard input is closed" in capfd.readouterr().err


def test_ctrl_c_within_an_import_is_no_bug(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Python makes another exception of it, for example where a class is made."""

    class Interrupts:
        def __set_name__(self, *_: object) -> None:
            raise KeyboardInterrupt

    def run(_args: list[str]) -> int:
        type("Made", (), {"name": Interrupts()})
        return 0

    monkeypatch.setattr(cli, "_run", run)
    assert main([]) == 130
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["preview", "no-such-file"], 2)])
def test_a_process_ends_at_once_but_what_is_left_is_done(tmp_path: Path, words: list[str], code: int) -> None:
    """Nothing is taken apart: what an object would do when it goes is not done. What was to be done at the end is."""
    program = """
import atexit, sys
from promptls import cli

class Goes:
    def __del__(self):
        print("taken apart")

def run(words, run=cli._run):
    atexit.register(print, "at the end")
    return run(words)

kept = Goes()
cli._run = run
sys.exit(cli.main())
"""
    command = [sys.executable, "-c", program, *words]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (code, "at the end")


def test_the_home_directory_has_no_steps_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", f"{tmp_path}/shop/../home")
    assert home() == f"{tmp_path}/home"
