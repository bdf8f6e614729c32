"""`promptls` alone in a repository of several coding agents, against the start of Python alone: the first time, which
makes every preview and checks the folder, and from then on, while nothing changes.

The repository is as people have them: its files are committed, and older than git's index, so git need not read them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.bench.command import NOTHING, PROMPTLS
from tests.bench.tree import RULES, grow
from tests.bench.turns import Row, median, processor_time, turns

PACKAGES, FILES = 40, 150
LONG_AGO = 1_700_000_000
COMMITTER = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false"]
# A row of the table, and how many times `pass` it may take.
FIRST, AGAIN, OF_FILE = "alone, the first time", "alone, again", "FILE, again"
LIMITS = {FIRST: 60.0, AGAIN: 10.0, OF_FILE: 8.0}


def rows(runs: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as top:
        folder, cache = Path(top, "folder"), Path(top, "cache")
        path = grow(folder, PACKAGES, None, FILES)
        for name in ("CLAUDE.md", ".cursor/rules/a.mdc", ".github/copilot-instructions.md", ".codex/config.toml"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("" if name.endswith(".toml") else RULES, encoding="utf-8")
        _commit(folder)
        os.environ["PROMPTLS_CACHE_DIR"] = str(cache)

        def first() -> float:
            shutil.rmtree(cache, ignore_errors=True)
            return processor_time((PROMPTLS,), str(folder))

        work: dict[str, Callable[[], float]] = {
            NOTHING: partial(processor_time, (sys.executable, "-c", "pass"), top),
            FIRST: first,
            AGAIN: partial(processor_time, (PROMPTLS,), str(folder)),
            OF_FILE: partial(_again, (PROMPTLS, str(path)), str(folder)),
        }
        taken = turns(runs, work)
    least = median(taken.pop(NOTHING))
    return [
        Row(f"promptls {name}", NOTHING, median(times) / least, f"{median(times) * 1000:.0f} ms", LIMITS[name])
        for name, times in taken.items()
    ]


def _commit(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    for each in folder.rglob("*"):
        os.utime(each, (LONG_AGO, LONG_AGO))
    for command in (["init", "-q"], ["add", "-A"], [*COMMITTER, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *command], cwd=folder, check=True)  # noqa: S607 - the user's own git


def _again(command: tuple[str, ...], folder: str) -> float:
    processor_time(command, folder)
    return processor_time(command, folder)
