"""``promptls serve``: the language server on standard input and output."""

from __future__ import annotations

from promptls.cli.arguments import Parser


def run(argv: list[str]) -> int:
    """Serve until the client sends exit or disconnects."""
    parser = Parser(prog="promptls serve", description="Start the language server.")
    parser.add_argument(
        "--stdio", action="store_true", help="use standard input and output (the default and only transport)"
    )
    parser.add_argument("--verbose", action="store_true", help="log every message to standard error")
    options = parser.parse_args(argv)
    from promptls.lsp.main import serve  # noqa: PLC0415 - the only command that needs the language server stack

    return serve(verbose=options.verbose)
