"""`promptls preview FILE` against the start of Python alone, by what the workspace is set up with."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.tree import CONFIGS, grow
from tests.bench.turns import Row, median, processor_time, turns

PROMPTLS = os.path.join(os.path.dirname(sys.executable), "promptls")
NOTHING = "python -c pass"


# What the folder is set up with: a name for the table, a file and its text, and how many times `pass` it may take.
WORKSPACES = (
    ("no configuration", "README.md", "", 4.0),
    ("etcode.json", *CONFIGS["etcode"], 4.0),
    ("opencode.json", "opencode.json", '{"instructions": ["docs/style.md"]}', 4.0),
    ("opencode.json with a pattern", *CONFIGS["opencode"], 4.0),
    ("opencode.jsonc with comments", "opencode.jsonc", '{"instructions": ["docs/style.md"] /* one */}', 4.0),
)


def rows(runs: int) -> list[Row]:
    limits = {"--version": 1.3}
    with tempfile.TemporaryDirectory() as top:
        work = {NOTHING: partial(processor_time, (sys.executable, "-c", "pass"), top)}
        work["--version"] = partial(processor_time, (PROMPTLS, "--version"), top)
        for number, (name, config, text, limit) in enumerate(WORKSPACES):
            folder = Path(top, str(number))
            path = grow(folder, 3, None)
            (folder / config).write_text(text, encoding="utf-8")
            work[f"preview, {name}"] = partial(processor_time, (PROMPTLS, "preview", str(path)), str(folder))
            limits[f"preview, {name}"] = limit
        taken = turns(runs, work)
    least = median(taken.pop(NOTHING))
    return [
        Row(f"promptls {name}", NOTHING, median(times) / least, f"{median(times) * 1000:.0f} ms", most=limits[name])
        for name, times in taken.items()
    ]
