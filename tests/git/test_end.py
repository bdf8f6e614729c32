"""The end of the process: git that is being started just then ends too, and none is started after it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from promptls import git
from promptls.git.state import state
from tests.folder import lay_out
from tests.limits import at_most


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(tmp_path / "shop", {"AGENTS.md": "rules\n", "../bin/git": "#!/bin/sh\nexec sleep 60\n"})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(git, "_ENDING", threading.Event())
    return folder


def test_git_that_is_being_started_ends_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = subprocess.Popen
    ends = threading.Thread(target=git.stop_all)

    def popen(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        process = begin(*args, **kwargs)
        ends.start()
        ends.join(0.05)  # it waits until what was started is noted
        return process

    monkeypatch.setattr(subprocess, "Popen", popen)
    started = git.start(str(folder), "status")
    ends.join()
    assert started is not None
    try:
        assert started.wait(10)
        assert started.code == -SIGKILL
    finally:
        started.stop()


def test_after_the_end_none_is_started(folder: Path) -> None:
    git.stop_all()
    assert git.start(str(folder), "status") is None


def test_a_state_waits_no_longer_than_its_own_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptls.git.state.LIMIT", 0.1)
    with at_most(20):
        assert state(str(folder)) is None


# What it has started is in a session of its own and holds the output until it has something to read.
HOLDS = """#!{python} -IS
import os, time
if not os.fork():
    os.setsid()
    open({fifo!r}).read()
    os._exit(0)
time.sleep(60)
"""


def test_an_output_that_is_held_is_closed_when_it_is_free(folder: Path) -> None:
    fifo, program = folder.parent / "fifo", folder.parent / "bin/git"
    os.mkfifo(fifo)
    program.write_text(HOLDS.format(python=sys.executable, fifo=str(fifo)), encoding="utf-8")
    started = git.start(str(folder), "status")
    assert started is not None
    assert not started.wait(0)
    with at_most(30), fifo.open("w"):
        started.stop()
        assert started.code == -SIGKILL
        assert not vars(started)["_process"].stdout.closed
    vars(started)["_listener"].join(10)
    assert vars(started)["_process"].stdout.closed
