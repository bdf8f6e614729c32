"""``promptls config schema``: the JSON schema of promptls.toml."""

from __future__ import annotations

from promptls.cli.arguments import Parser
from promptls.cli.output import write


def run(argv: list[str]) -> int:
    """Print the schema, for editors that complete and check TOML by one."""
    parser = Parser(prog="promptls config", description="The JSON schema of promptls.toml.")
    parser.add_argument("what", choices=("schema",), metavar="schema", help="print the JSON schema")
    parser.parse_args(argv)
    import json  # noqa: PLC0415 - not for the help

    from promptls.options import schema  # noqa: PLC0415 - pydantic is slow to import

    write(json.dumps(schema(), indent=2) + "\n")
    return 0
