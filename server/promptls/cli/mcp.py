"""``promptls mcp``: the answers of the command line for agents, over the Model Context Protocol."""

from __future__ import annotations

from promptls import __version__
from promptls.cli.arguments import Parser, current_directory
from promptls.errors import PromptlsError
from promptls.system.streams import need_streams

# promptls is on no package index, so that its name alone installs nothing: the wheel is what there is.
INSTALL = f"pip install 'promptls-{__version__}-py3-none-any.whl[mcp]'"


def run(argv: list[str]) -> int:
    """Serve until the client closes the connection.

    Raises:
        PromptlsError: the SDK of the protocol is not installed.
    """
    Parser(
        prog="promptls mcp",
        description="Start an MCP server on standard input and output. Its tools answer for files in the current "
        "directory, and only read. It needs the extra of the wheel that was built: "
        f"{INSTALL}.",
    ).parse_args(argv)
    need_streams()
    try:
        from promptls.cli.mcp_server import create  # noqa: PLC0415 - the only command that needs the SDK
    except ImportError as error:
        raise PromptlsError(f"The SDK of MCP is not installed; install the wheel with its extra: {INSTALL}") from error
    create(current_directory()).run("stdio")
    return 0
