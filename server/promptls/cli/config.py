"""``promptls config schema``: the JSON schema of promptls.toml."""

from __future__ import annotations

from promptls.cli.arguments import Parser
from promptls.cli.output import write_json


def run(argv: list[str]) -> int:
    """Print the schema, for editors that use it to complete and check TOML."""
    parser = Parser(prog="promptls config", description="Print the JSON schema of promptls.toml.")
    parser.add_argument("what", choices=("schema",), metavar="schema", help="print the JSON schema")
    parser.parse_args(argv)
    from promptls.workspace.options import schema  # noqa: PLC0415 - pydantic is slow to import

    write_json(schema())
    return 0
