"""Every measurement as a small table. Ratios tell; times move with the machine. Ends with 1 if a limit is broken.

python -m tests.bench [command | glance | initialize | keystroke | warm | check | skills | own_text | tokens]...
    [--runs N]
"""

from __future__ import annotations

import argparse
import sys

from tests.bench import check, command, glance, initialize, keystroke, own_text, skills, tokens, warm

PARTS = {
    "command": (command.rows, 21),
    "glance": (glance.rows, 7),
    "initialize": (initialize.rows, 11),
    "keystroke": (keystroke.rows, 100),
    "warm": (warm.rows, 200),
    "check": (check.rows, 7),
    "skills": (skills.rows, 5),
    "own_text": (own_text.rows, 1),
    "tokens": (tokens.rows, 10),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--runs", type=int, help="how often each thing is measured")
    options = parser.parse_args()
    broken = False
    for part in options.parts or PARTS:
        rows, runs = PARTS[part]
        for row in rows(options.runs or runs):
            print(row, flush=True)  # noqa: T201 - it is a script
            broken |= row.is_broken
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
