"""What is known of each version of Kimi CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters, without what it fills in; [source] is its package."""

    version: Version
    # Before the instruction files and after them, on another system than Windows [source: agents/default/system.md].
    base: int
    base_after: int
    # For all instruction files together (wire: budget-leaf-first, budget-drops-root).
    max_bytes: int


NEWEST = Facts(Version("1.51.0", verified=True), base=10_806, base_after=2_900, max_bytes=32_768)
ROWS = (NEWEST,)
