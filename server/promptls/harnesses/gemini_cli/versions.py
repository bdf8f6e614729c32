"""What is known of each version of Gemini CLI: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the public program."""

    version: Version
    # How deep imports are followed (wire: imports-depth).
    import_depth: int
    # What the read tool answers at most (source).
    read_lines: int
    read_line: int


NEWEST = Facts(Version("0.61.0", verified=True), import_depth=5, read_lines=2000, read_line=2000)
ROWS = (NEWEST,)
