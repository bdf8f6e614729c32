"""What is known of each version of Qwen Code: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. What says "source" was read in the program's package."""

    version: Version
    # How deep imports are followed (source: memoryImportProcessor).
    import_depth: int
    # Up to how many lines and characters the read tool answers a file as it is (source: truncateToolOutput).
    read_lines: int
    read_characters: int
    # The text of the language file that the program writes at its first start, trimmed (source: languageUtils).
    output_language: int


NEWEST = Facts(
    Version("0.24.4", verified=True),
    import_depth=5,
    read_lines=1000,
    read_characters=25_000,
    output_language=840,
)
ROWS = (NEWEST,)
