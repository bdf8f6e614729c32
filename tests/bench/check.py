"""`promptls check` of 2,000 instruction files in a tree of 100,000, against another checker if one is at hand.

That one is found by the variable AGENTS_DOCTOR: the command of the package agents-doctor, installed apart from
promptls. It knows one harness, and so is promptls asked for one; a row for three shows what more of them cost.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.command import PROMPTLS
from tests.bench.tree import grow
from tests.bench.turns import Row, median, most_memory, processor_time, turns

PACKAGES = 2000
LISTING = "git ls-files"
MOST_MEMORY = 120


def rows(runs: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top)
        grow(folder, PACKAGES, "opencode")
        for number, path in enumerate(sorted(folder.rglob("AGENTS.md"))):
            path.write_text(f"# Rules {number}\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
        (folder / "docs" / "style.md").write_text("# Style\n", encoding="utf-8")
        for command in (["rm", "-r", ".git"], ["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=top, check=True)
        listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        check = (PROMPTLS, "check", top, "--no-network")
        work = {
            LISTING: partial(processor_time, listing, top),
            "one harness": partial(processor_time, check, top),
            "three harnesses": partial(
                processor_time, (*check, "--harness", "opencode", "--harness", "etcode", "--harness", "codex"), top
            ),
        }
        other = shlex.split(os.environ.get("AGENTS_DOCTOR", ""))
        if other:
            work["agents-doctor"] = partial(processor_time, (*other, "check", top), top)
        else:
            print("AGENTS_DOCTOR names no command, so there is nothing to compare with.", file=sys.stderr)  # noqa: T201 - it is a script
        taken = turns(runs, work)
        memory = most_memory(check, top)
    unit = "agents-doctor" if other else LISTING
    least = median(taken.pop(unit))
    # Only the checker that knows one harness as well can be compared.
    limits = {"one harness": 1.0} if other else {}
    return [
        *(
            Row(f"check, {name}", unit, median(times) / least, f"{median(times) * 1000:.0f} ms", limits.get(name))
            for name, times in taken.items()
        ),
        Row("check, memory", f"{MOST_MEMORY} MB", memory / MOST_MEMORY, f"{memory:.0f} MB", 1.0),
    ]
