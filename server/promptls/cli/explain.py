"""``promptls explain``: is this instruction file loaded, by which harness, from where; if not, why."""

from __future__ import annotations

import os

from promptls.cli.arguments import Parser, absolute, current_directory, existing
from promptls.cli.output import visible, write
from promptls.harnesses.explain import explain
from promptls.local import load_harnesses, local_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
        write(json.dumps(known, indent=2) + "\n")
        return 0
    lines = [path]
    for each in found:
        lines += ["", f"{each.harness} {each.version}{' · set up here' if each.is_found else ''}", *_says(each)]
    write("".join(f"{visible(line)}\n" for line in lines))
    return 0


def _says(each: Explanation) -> Iterator[str]:
    """Indented lines, relative to the current directory."""
    here = current_directory()
    if not each.uses:
        other = f" ({os.path.relpath(each.other, here)})" if each.other else ""
        yield f"    not loaded: {each.why}{other}"
    for use in each.uses:
        when = "at start" if use.at == "start" else "when a file beside or below it is read"
        yield f"    loaded {when} as {use.role}, started in {os.path.relpath(use.cwd, here)}"
        yield f"        {use.why}"
        yield f"        a change makes {use.invalidates:,} of {use.of:,} tokens of a cached prompt new"
