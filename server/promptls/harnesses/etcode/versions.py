"""What is known of each version of etcode: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.model import Timeouts
from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. ``is_design``: the documented design with what it plans; else the program as it runs."""

    version: Version
    is_design: bool
    # Agents of the program's own with a prompt, and those without.
    agents_with_prompt: tuple[str, ...]
    agents_without_prompt: tuple[str, ...]
    url: Timeouts = Timeouts(headers=5.0, total=5.0)  # (wire: url-slow-headers, url-slow-body)


DESIGN = Facts(
    Version("design", note="the design document with what it plans"),
    is_design=True,
    agents_with_prompt=(),
    agents_without_prompt=(),
)
PUBLIC = Facts(
    Version("d1504ac", verified=True, note="the public program of 2026-03-01"),
    is_design=False,
    agents_with_prompt=("build", "plan", "explore", "title", "summary", "compaction"),
    agents_without_prompt=("general",),
)
ROWS = (DESIGN, PUBLIC)
