"""What is known of each version of Goose: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version; [source] is its public source."""

    version: Version
    # How many files may lead to each other by imports (wire: imports-depth).
    imports: int
    # A larger file is sent without what it imports, in bytes [source].
    largest_importing: int


NEWEST = Facts(
    Version("1.34.0", verified=True),
    imports=3,
    largest_importing=128 * 1024,
)
ROWS = (NEWEST,)
