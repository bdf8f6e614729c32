"""``promptls schema``: the JSON schema of what a command prints with ``--format json``."""

from __future__ import annotations

import os

from promptls.cli.arguments import Parser
from promptls.cli.output import write
from promptls.core import files
from promptls.errors import UsageError
from promptls.workspace.machine import schema_directory

ENDING = ".json"


def run(argv: list[str]) -> int:
    """Print a schema."""
    names = [each.removesuffix(ENDING) for each in sorted(os.listdir(schema_directory()))]
    parser = Parser(prog="promptls schema", description="Print the JSON schema of what a command prints as JSON.")
    parser.add_argument(
        "name", metavar="NAME", help=f"one of {', '.join(names)}; overview is promptls without a command"
    )
    options = parser.parse_args(argv)
    if options.name not in names:
        raise UsageError(f"There is no schema {options.name!r}; choose one of {', '.join(names)}.")
    write(files.read(os.path.join(schema_directory(), f"{options.name}{ENDING}")).data.decode("utf-8"))
    return 0
