"""``promptls harnesses``: the coding agents that are known, and which of them this folder is set up for."""

from __future__ import annotations

from promptls import harnesses
from promptls.cli.arguments import Parser, current_directory
from promptls.cli.output import show, visible, write
from promptls.core.render import Line
from promptls.harnesses.detect import detect, workspace_of
from promptls.local import load_harnesses, local_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def run(argv: list[str]) -> int:
    """List them as text or JSON."""
    parser = Parser(prog="promptls harnesses", description="The coding agents that promptls knows.")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(argv)
    here = current_directory()
    load_harnesses()
    host = local_host()
    found = {each.name: list(each.evidence) for each in detect(host, here, workspace_of(host, here, here))}
    if options.format == "json":
        import json  # noqa: PLC0415 - people do not need it

        known = [
            {**each, "found": each["name"] in found, "evidence": found.get(each["name"], [])}
            for each in harnesses.describe()
        ]
        write(json.dumps({"harnesses": known}, indent=2) + "\n")
        return 0
    show(_lines(found))
    return 0


def _lines(found: dict[str, list[str]]) -> Iterator[Line]:
    for harness in harnesses.every():
        versions = ", ".join(v.name + (" (verified)" if v.verified else "") for v in harness.versions)
        yield Line(f"{harness.name}  {versions}", "message")
        yield from (Line(f"    {line}") for line in harness.loads)
        if harness.name in found:
            yield Line(f"  found here: {', '.join(map(visible, found[harness.name]))}", "note")
