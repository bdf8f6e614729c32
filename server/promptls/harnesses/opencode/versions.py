"""What is known of each version of opencode: a row for each, and code asks the row.

Numbers are sections of the specification; sizes are characters, counted in captured requests.
"""

from __future__ import annotations

from promptls.core.model import Timeouts
from promptls.core.values import dataclass
from promptls.harnesses.base import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version
    # Of the provider templates that were captured (7).
    templates: Mapping[str, int]
    # The list of skills with the built-in one alone (1).
    skills: int
    # The reminder behind what the user typed, with the agent plan.
    plan_reminder: int
    # What the read tool answers at most, as its closing remarks say (8).
    read_lines: int
    read_line: int
    read_bytes: int
    # 5 s to the headers are the program's, the total is a limit of ours (4.7; wire: config-url-slow).
    url: Timeouts


NEWEST = Facts(
    Version("1.18.33", verified=True),
    templates={"default.txt": 8528},
    skills=701,
    plan_reminder=1484,
    read_lines=2000,
    read_line=2000,
    read_bytes=50 * 1024,
    url=Timeouts(headers=5.0, total=30.0),
)
ROWS = (NEWEST,)
