"""What is known of each version of Mistral Vibe: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters; [source] is its package."""

    version: Version
    # The sentences before and after the instructions [source: core/prompts/agents_doc.md].
    before: int
    after: int
    # What the tool for reading gives at most [source].
    read_lines: int
    read_bytes: int


NEWEST = Facts(Version("3.0.3", verified=True), before=525, after=135, read_lines=2000, read_bytes=64_000)
ROWS = (NEWEST,)
