"""Every measurement as a small table. Ratios tell; times move with the machine.

python -m tests.bench [command | glance | initialize | warm | check | skills]... [--runs N]
"""

from __future__ import annotations

import argparse

from tests.bench import check, command, glance, initialize, skills, warm

PARTS = {
    "command": (command.rows, 21),
    "glance": (glance.rows, 7),
    "initialize": (initialize.rows, 11),
    "warm": (warm.rows, 200),
    "check": (check.rows, 7),
    "skills": (skills.rows, 5),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--runs", type=int, help="how often each thing is measured")
    options = parser.parse_args()
    for part in options.parts or PARTS:
        rows, runs = PARTS[part]
        for row in rows(options.runs or runs):
            print(row, flush=True)  # noqa: T201 - it is a script


if __name__ == "__main__":
    main()
