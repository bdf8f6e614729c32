"""A git that is held: whoever waits for it waits until it is killed, and the test learns when each process ends."""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path

LIMIT = 60.0

# It does nothing. A second process, in a session of its own so that nobody ends it, says which process waits for the
# list of files, and when that one is gone: nobody reads any more. The pipe ends when all of them have.
GIT = """#!{python} -IS
import os, select, signal
reported = os.open({pipe!r}, os.O_WRONLY)
waiting = os.getppid()
if os.fork():
    signal.alarm(60)  # should a test fail to end it
    signal.pause()
os.setsid()
os.write(reported, b"%d waits\\n" % waiting)
output = select.poll()
output.register(1, 0)
output.poll(60_000)
os.write(reported, b"%d is gone\\n" % waiting)
"""


class HeldGit:
    """The program, in a directory for PATH. A listing of a folder starts it twice."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.directory = str(directory)
        self.program = directory / "git"
        pipe = str(directory / "pipe")
        os.mkfifo(pipe)
        self.program.write_text(GIT.format(python=sys.executable, pipe=pipe), encoding="utf-8")
        self.program.chmod(0o755)
        self._pipe = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._reported = b""

    def waits(self) -> int:
        """The id of the process that waits for it."""
        while self._reported.count(b" waits\n") < 2:
            assert self._read(), "git has ended before it was asked to"
        return int(self._reported.split()[0])

    def all_gone(self) -> None:
        """Wait until git and who waited for it are gone."""
        while self._read():
            pass
        assert self._reported.count(b" is gone\n") == 2

    def close(self) -> None:
        os.close(self._pipe)

    def _read(self) -> bytes:
        """What was reported next; nothing after the end."""
        until = time.monotonic() + LIMIT
        readable, _, _ = select.select([self._pipe], [], [], until - time.monotonic())
        assert readable, f"nothing more is reported than {self._reported!r}"
        found = os.read(self._pipe, 1 << 16)
        self._reported += found
        return found
