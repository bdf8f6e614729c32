"""Everything at length, bounded by the counts below: make torture (PART=name for one, SEED=number for another run)."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable

from tests.torture import answers, histories, inputs, kills, leaks, requests, server, trees, trimmed, unified

PARTS: dict[str, tuple[Callable[[int, int], None], int]] = {
    "server": (server.run, 5_000),
    "requests": (requests.run, 20_000),
    "leaks": (leaks.run, 50_000),
    "kills": (kills.run, 200),
    "answers": (answers.run, len(answers.ANSWERS)),
    "trees": (trees.run, 1_000),
    "unified": (unified.run, 5_000),
    "trimmed": (trimmed.run, 2_000),
    "histories": (histories.run, 500),
    "inputs": (inputs.run, 100_000),
}


def main() -> int:
    """Run the parts that are asked for; the exit code says how many failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all of them if none is named")
    parser.add_argument("--seed", type=int, default=int(time.time()) // 86_400, help="by default another one each day")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        os.environ.update({"HOME": home, "PROMPTLS_CACHE_DIR": os.path.join(home, "cache")})
        for name in options.parts or PARTS:
            run, count = PARTS[name]
            start = time.monotonic()
            try:
                run(options.seed, count)
            except AssertionError as error:
                failed += 1
                sys.stderr.write(f"{name}: {error}\n")
            else:
                sys.stdout.write(f"{name}: {count} in {time.monotonic() - start:.0f} s, seed {options.seed}\n")
                sys.stdout.flush()
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
