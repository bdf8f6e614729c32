"""``promptls mcp``: the answers of the command line for agents, over the Model Context Protocol."""

from __future__ import annotations

from promptls.cli.arguments import Parser, current_directory
from promptls.errors import PromptlsError
from promptls.system.streams import need_streams

# promptls is not on a package index, so its name alone installs nothing of it: a clone is what everybody has.
INSTALL = "In a clone of promptls, run: uv tool install '.[mcp]' (or: pip install '.[mcp]')"


def run(argv: list[str]) -> int:
    """Serve until the client closes the connection.

    Raises:
        PromptlsError: the SDK of the protocol is not installed.
    """
    Parser(
        prog="promptls mcp",
        description="Start an MCP server on standard input and output. Its tools answer for files in the current "
        f"directory, and only read. The command needs the extra mcp. {INSTALL}.",
    ).parse_args(argv)
    need_streams()
    try:
        from promptls.cli.mcp_server import create  # noqa: PLC0415 - the only command that needs the SDK
    except ImportError as error:
        raise PromptlsError(f"The MCP server needs the extra mcp, which is not installed. {INSTALL}.") from error
    create(current_directory()).run("stdio")
    return 0
