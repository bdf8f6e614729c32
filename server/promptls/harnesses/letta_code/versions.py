"""What is known of each version of Letta Code: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters."""

    version: Version
    # What EnterWorktree shows of an AGENTS.md (captured: worktree-large).
    worktree: int


NEWEST = Facts(Version("0.32.18", verified=True), worktree=30_000)
ROWS = (NEWEST,)
