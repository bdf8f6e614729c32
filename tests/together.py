"""What CI runs, in lanes side by side: ``python -m tests.together``, which is ``make test``.

A part is a target of make. Its output is kept together: its last lines are shown when it has passed, all of it when it
has failed, and test-output/parts has every one. The others go on after one has failed, as do the
targets of a part. Ends with 1 if any has failed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
OUTPUT = CHECKOUT / "test-output" / "parts"
# What follows one another. What waits comes first in priority, as it has limits in seconds: the editors, then what runs
# programs. The ordinary tests wait for nothing, have the processors while the others wait, and end last.
LANES = (("check", "ordinary"), ("compiled", "hostile-environment"), ("installed",))
NICER = {"ordinary": 12, "hostile-environment": 6}
# All of it, in seconds; it takes a quarter.
LIMIT = 55 * 60
TELL_EVERY = 60
LAST_LINES = 3
# A disk in memory, and the bytes that must be free: for the files, which are gone in a moment, a tenth of that, and for
# the editors. Run alone, the ordinary tests take a sixth of their time to make and remove files on another disk.
IN_MEMORY, ROOM = "/dev/shm", 4 * 1024**3  # noqa: S108 - each part has directories of its own there


@dataclass
class Part:
    """A target of make, and how it went."""

    name: str
    took: float | None = None
    # Of the processors, in seconds: what tells when other parts ran beside it. Processes that nobody waited for,
    # such as those of a browser, are not in it.
    worked: float = 0.0
    code: int | None = None
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def log(self) -> Path:
        return OUTPUT / f"{self.name}.txt"

    def last(self, count: int) -> list[str]:
        """Its last lines that say something."""
        lines = self.log.read_text("utf-8", "replace").splitlines() if self.log.exists() else []
        return [line for line in lines if line.strip()][-count:]


class Run:
    """The lanes, and the screen that they share."""

    def __init__(self, make: Sequence[str], lanes: Sequence[Sequence[str]], limit: float = LIMIT) -> None:
        """``make``: the command to which the name of a part is added. ``limit``: seconds for all of it."""
        self.lanes = [[Part(name) for name in lane] for lane in lanes]
        self.parts = [part for lane in self.lanes for part in lane]
        self._make = make
        self._screen = threading.Lock()
        self._limit = limit
        self._began = time.monotonic()
        self._ended = threading.Event()

    def run(self) -> int:
        """Run everything; the exit code."""
        OUTPUT.mkdir(parents=True, exist_ok=True)
        threads = [threading.Thread(target=self._lane, args=(lane,), daemon=True) for lane in self.lanes]
        for thread in threads:
            thread.start()
        try:
            told = time.monotonic()
            while any(thread.is_alive() for thread in threads):
                if time.monotonic() - self._began > self._limit:
                    self._say(f"Stopped after {self._limit / 60:.0f} minutes.")
                    break
                if time.monotonic() - told > TELL_EVERY:
                    told = time.monotonic()
                    self._tell()
                next(thread for thread in threads if thread.is_alive() or thread is threads[-1]).join(0.2)
        finally:
            self._ended.set()
            self._end()
        for thread in threads:
            thread.join(5)
        self._say("", *(f"{self._state(part):8} {part.name}" for part in self.parts))
        self._say(f"All of it took {_minutes(time.monotonic() - self._began)}.")
        return 0 if all(part.code == 0 for part in self.parts) else 1

    def _lane(self, parts: list[Part]) -> None:
        for part in parts:
            if self._ended.is_set():
                return
            self._part(part)

    def _part(self, part: Part) -> None:
        self._say(f"-- {part.name} began")
        began = time.monotonic()
        command = [*(("nice", "-n", str(NICER[part.name])) if part.name in NICER else ()), *self._make, part.name]
        with part.log.open("wb") as log:
            part.process = subprocess.Popen(
                command,
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,  # not a session: Linux gives each session an equal share, whatever is nice in it
            )
            _, status, usage = os.wait4(part.process.pid, 0)
        code = part.process.returncode = os.waitstatus_to_exitcode(status)
        part.code, part.took, part.worked = code, time.monotonic() - began, usage.ru_utime + usage.ru_stime
        if code:
            self._say(f"-- {part.name} FAILED after {_minutes(part.took)}; all that it said:")
            self._say(part.log.read_text("utf-8", "replace"), f"-- end of {part.name}")
        else:
            worked = f"{_minutes(part.worked)} of the processors"
            self._say(f"-- {part.name} passed in {_minutes(part.took)}, {worked}", *part.last(LAST_LINES))

    def _tell(self) -> None:
        running = [part for part in self.parts if part.process and part.code is None]
        self._say(*(f".. {part.name}: {' '.join(part.last(1))[-100:]}" for part in running))

    def _end(self) -> None:
        for part in self.parts:
            if part.process and part.code is None:
                with suppress(ProcessLookupError):
                    os.killpg(part.process.pid, signal.SIGKILL)

    def _state(self, part: Part) -> str:
        if part.took is None:
            return "not run" if part.process is None else "STOPPED"
        return _minutes(part.took) if part.code == 0 else "FAILED"

    def _say(self, *lines: str) -> None:
        with self._screen:
            sys.stdout.write("".join(f"{line}\n" for line in lines))
            sys.stdout.flush()


def in_memory(place: str = IN_MEMORY, room: int = ROOM) -> str | None:
    """Where temporary files are in memory; None without so much of it, or where no program may be started."""
    if sys.platform != "linux" or not os.access(place, os.W_OK | os.X_OK):
        return None
    found = os.statvfs(place)
    said = re.search(r"^MemAvailable: *(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    free = min(found.f_bavail * found.f_frsize, int(said[1]) * 1024 if said else 0)
    return None if found.f_flag & os.ST_NOEXEC or free < room else place


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


if __name__ == "__main__":
    if not os.environ.get("TMPDIR") and (place := in_memory()) is not None:
        os.environ["TMPDIR"] = place
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(Run([os.environ.get("MAKE", "make"), "--no-print-directory", "--keep-going"], LANES).run())
