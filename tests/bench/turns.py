"""Measuring on a machine that has other work: in turns, pair by pair, and reported as a ratio of medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    import resource

# How much of what a failed command wrote is shown, in characters.
LAST = 2000


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what, against what, how many times as long, and whether that is within ``most``."""

    what: str
    against: str
    ratio: float
    detail: str
    most: float | None = None

    @property
    def is_broken(self) -> bool:
        """Whether it is beyond ``most``."""
        return self.most is not None and self.ratio > self.most

    def __str__(self) -> str:
        limit = "" if self.most is None else f"at most {self.most:g}: {'BROKEN' if self.is_broken else 'kept'}"
        return f"{self.what:44} {self.against:22} x{self.ratio:<6.2f} {self.detail:34} {limit}".rstrip()


def turns(runs: int, work: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """What each callable returns, ``runs`` times in turns, after one run each that does not count."""
    for each in work.values():
        each()
    taken: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(runs):
        for name, each in work.items():
            taken[name].append(each())
    return taken


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def environment(**more: str) -> dict[str, str]:
    """The environment of a measured process: as users have it, so compiled modules are kept."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"} | more


def processor_time(command: Sequence[str], cwd: str) -> float:
    """The processor time of one run of ``command``, in seconds: what else the machine does counts for little."""
    usage = _usage(command, cwd)
    return usage.ru_utime + usage.ru_stime


def most_memory(command: Sequence[str], cwd: str) -> float:
    """The most memory, in MB, that ``command`` had at once."""
    return _usage(command, cwd).ru_maxrss / 1024


def _usage(command: Sequence[str], cwd: str) -> resource.struct_rusage:
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        with subprocess.Popen(command, cwd=cwd, env=environment(HOME=cwd), stdout=said, stderr=said) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            sys.stderr.write(said.read()[-LAST:])
            raise subprocess.CalledProcessError(process.returncode, command)
    return usage
