"""What is known of each version of Copilot CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # How many levels below the top file imports are followed (wire: settle-imports-deep).
    import_levels: int


NEWEST = Facts(Version("1.0.102", verified=True), import_levels=8)
ROWS = (NEWEST,)
