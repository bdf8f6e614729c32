"""``promptls explain``: is this instruction file loaded, by which harness, from where; if not, why."""

from __future__ import annotations

import os
import sys

from promptls.cli.arguments import Parser, absolute, existing
from promptls.harnesses.explain import explain
from promptls.local import load_harnesses, local_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.explain import Explanation


def run(argv: list[str]) -> int:
    """Say it for every harness, those of this workspace first."""
    parser = Parser(prog="promptls explain", description="Is this instruction file loaded, and if not, why?")
    parser.add_argument("path", metavar="FILE", help="an instruction file")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    path = existing(absolute(options.path), "file")
    load_harnesses()
    found = explain(path, local_host)
    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        known = {"path": path, "harnesses": [each.json() for each in found]}
        sys.stdout.write(json.dumps(known, indent=2) + "\n")
        return 0
    print(path)
    width = max(len(f"{each.harness} {each.version}") for each in found)
    for each in found:
        print(f"  {f'{each.harness} {each.version}':<{width}}  {_says(each)}")
    return 0


def _says(each: Explanation) -> str:
    here = os.getcwd()
    if not each.uses:
        return f"not loaded · {each.why}" + (f" ({os.path.relpath(each.other, here)})" if each.other else "")
    return "; ".join(
        f"loaded {'at start' if use.at == 'start' else 'when a file beside or below it is read'} as {use.role}"
        f", started in {os.path.relpath(use.cwd, here)} · {use.why}"
        for use in each.uses
    )
