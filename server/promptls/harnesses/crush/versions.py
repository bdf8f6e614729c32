"""What is known of each version of Crush: a row for each, and code asks the row."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. Sizes of its own texts are characters [source: internal/agent/templates/coder.md.tpl]."""

    version: Version
    # Up to the working directory, and the sentences before the project's files and before the user's own.
    base: int
    project: int
    user: int


ROWS = (
    Facts(
        Version("37f36e9", note="read in its source, not verified", read_in="source"), base=18_888, project=58, user=124
    ),
)
