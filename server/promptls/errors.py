"""Every exception that promptls raises on purpose.

    PromptlsError            one plain sentence for the user that says what to do
    ├── UsageError           the command line or a request asked for something that does not exist
    └── ServerError          an MCP server cannot be asked, or does not answer

Parsers and harnesses raise none of them: bad input is data (see ``core.model.Fault``).
"""

from __future__ import annotations


class PromptlsError(Exception):
    """Base of all. Its text is shown to the user as it is."""


def was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is what led to ``error``: within an import, Python may turn it into another exception."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


class UsageError(PromptlsError):
    """The caller named a harness, path or option that does not exist."""


class ServerError(PromptlsError):
    """An MCP server cannot be asked, or does not answer; a sentence that says why."""


class ClientError(Exception):
    """The client answered a request of the server with an error; the text is the client's."""
