"""What is known of each version of OpenClaw: a row for each, and code asks the row.

Sizes are JavaScript's, UTF-16 units (section "Limits"); ``source`` is the package of the version.
"""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # Where openclaw.json sets nothing (wire: per-file-limit, total-limit), and USER.md always (wire: user-md-limit).
    file_limit: int
    total_limit: int
    user_limit: int
    # With less left of the total, no further file is tried; a larger file in bytes is not read at all (source).
    least_left: int
    largest: int
    # In so few there is no room for the mark of a cut (source).
    most_without_mark: int
    # Shares of the limit: of any file, and of AGENTS.md (wire: per-file-limit, user-md-limit).
    head: float
    tail: float
    agents_head: float
    agents_digest: float
    agents_tail: float
    # With less left for the text itself, the short mark takes the place of the long one (source).
    little_text: int
    digest_line: int


NEWEST = Facts(
    Version("2026.9.6", verified=True, note="as agent exec runs it"),
    file_limit=20_000,
    total_limit=60_000,
    user_limit=4_000,
    least_left=64,
    largest=2 * 1024 * 1024,
    most_without_mark=3,
    head=0.75,
    tail=0.25,
    agents_head=0.45,
    agents_digest=0.35,
    agents_tail=0.15,
    little_text=16,
    digest_line=240,
)
ROWS = (NEWEST,)
