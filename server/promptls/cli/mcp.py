"""``promptls mcp``: the answers of the command line for agents, over the Model Context Protocol."""

from __future__ import annotations

from promptls.cli.arguments import Parser, current_directory
from promptls.errors import PromptlsError
from promptls.system.streams import need_streams


def run(argv: list[str]) -> int:
    """Serve until the client closes the connection.

    Raises:
        PromptlsError: the SDK of the protocol is not installed.
    """
    Parser(
        prog="promptls mcp",
        description="Start an MCP server on standard input and output. Its tools answer for files in the current "
        "directory, and only read. It needs an extra: pip install 'promptls[mcp]'.",
    ).parse_args(argv)
    need_streams()
    try:
        from promptls.cli.mcp_server import create  # noqa: PLC0415 - the only command that needs the SDK
    except ImportError as error:
        raise PromptlsError("The SDK of MCP is not installed; run: pip install 'promptls[mcp]'") from error
    create(current_directory()).run("stdio")
    return 0
