"""The versions of Kilo Code: a row for each."""

from __future__ import annotations

from promptls.core.model import Timeouts
from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the program's package."""

    version: Version
    # What the read tool answers at most (source).
    read_lines: int
    read_line: int
    read_bytes: int
    # How long an answer of a URL may take (source).
    url: Timeouts


ROWS = (
    Facts(
        Version("7.7.7", verified=True),
        read_lines=2000,
        read_line=2000,
        read_bytes=50 * 1024,
        url=Timeouts(headers=5.0, total=5.0),
    ),
)
