"""What a program said last is known once it has ended, however late it is read."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from promptls.wire.recorder import Recorder
from promptls.wire.runner import Job, _Program


def test_what_it_said_last_is_read_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    heard = _Program._heard

    def late(self: _Program, data: bytes) -> None:
        ended.wait(5)
        heard(self, data)

    monkeypatch.setattr(_Program, "_heard", late)
    job = Job(sys.executable, [], {}, str(tmp_path), {}, "", [])
    with _Program(job, ["-c", "print('Go on?')"], 1, Recorder()) as program:
        assert program.wait(30, threading.Event())
        soon = threading.Timer(0.05, ended.set)
        soon.start()
        assert program.output == "Go on?\n"
        soon.join()
    assert program._process.stdout is not None
    program._process.stdout.close()
