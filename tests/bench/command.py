"""`promptls preview FILE` against the start of Python alone, in a workspace with and without a configuration."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.tree import CONFIGS, grow
from tests.bench.turns import Row, median, run_time, turns

PROMPTLS = os.path.join(os.path.dirname(sys.executable), "promptls")
NOTHING = "python -c pass"


def rows(runs: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as top:
        work = {NOTHING: partial(run_time, (sys.executable, "-c", "pass"), top)}
        work["--version"] = partial(run_time, (PROMPTLS, "--version"), top)
        for harness, (config, _) in CONFIGS.items():
            path = grow(Path(top, harness), 3, harness)
            work[f"preview, {config}"] = partial(run_time, (PROMPTLS, "preview", str(path)), f"{top}/{harness}")
        path = grow(Path(top, "none"), 3)
        Path(top, "none", CONFIGS["etcode"][0]).unlink()
        work["preview, no configuration"] = partial(run_time, (PROMPTLS, "preview", str(path)), f"{top}/none")
        taken = turns(runs, work)
    least = median(taken.pop(NOTHING))
    return [
        Row(f"promptls {name}", NOTHING, median(times) / least, f"{median(times) * 1000:.0f} ms", most=4)
        for name, times in taken.items()
    ]
