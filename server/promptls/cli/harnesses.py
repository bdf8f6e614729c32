"""``promptls harnesses``: the coding agents that are known, and which of them this folder is set up for."""

from __future__ import annotations

import os
import sys

from promptls import harnesses
from promptls.cli.arguments import Parser
from promptls.harnesses.detect import detect, workspace_of
from promptls.local import load_harnesses, local_host


def run(argv: list[str]) -> int:
    """List them as text or JSON."""
    parser = Parser(prog="promptls harnesses", description="The coding agents that promptls knows.")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    here = os.getcwd()
    load_harnesses()
    host = local_host()
    found = {each.name: list(each.evidence) for each in detect(host, here, workspace_of(host, here, here))}
    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        known = [
            {**each, "found": each["name"] in found, "evidence": found.get(each["name"], [])}
            for each in harnesses.describe()
        ]
        sys.stdout.write(json.dumps({"harnesses": known}, indent=2) + "\n")
        return 0
    for harness in harnesses.every():
        versions = ", ".join(v.name + (" (verified)" if v.verified else "") for v in harness.versions)
        print(f"{harness.name}  {versions}")
        for line in harness.loads:
            print(f"    {line}")
        if harness.name in found:
            print(f"  found here: {', '.join(found[harness.name])}")
    return 0
