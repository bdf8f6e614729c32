"""The server's log: one line per record except for tracebacks, without secrets and terminal commands."""

from __future__ import annotations

import logging

from promptls.core.secrets import masked
from promptls.core.visible import inert, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Formatter(logging.Formatter):
    """Level, logger and message; what follows its first line is indented."""

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """The first lines of a record."""
        return _clean(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the library's name
        """Its traceback."""
        return _clean(super().formatException(ei))


def _clean(text: str) -> str:
    return "\n    ".join(inert(visible(line)) for line in masked(text).split("\n"))
