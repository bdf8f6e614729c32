"""The versions of mini-claude-code: a row for each."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version


ROWS = (Facts(Version("document", verified=True, note="the code of the design document")),)
