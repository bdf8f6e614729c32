"""What a program said last is known once it has ended, however late it is read."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from promptls.wire.job import Job
from promptls.wire.recorder import Recorder
from promptls.wire.started_program import StartedProgram


def test_what_it_said_last_is_read_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    heard = StartedProgram._heard

    def late(self: StartedProgram, data: bytes) -> None:
        ended.wait(5)
        heard(self, data)

    monkeypatch.setattr(StartedProgram, "_heard", late)
    job = Job(sys.executable, [], {}, str(tmp_path), {}, "", [])
    with StartedProgram(job, ["-c", "print('Go on?')"], 1, Recorder()) as program:
        assert program.wait(30, threading.Event())
        soon = threading.Timer(0.05, ended.set)
        soon.start()
        assert program.output == "Go on?\n"
        soon.join()
    assert program._process.stdout is not None
    program._process.stdout.close()
