"""The versions of Continue's command line: a row for each."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version."""

    version: Version


ROWS = (Facts(Version("1.5.47", verified=True)),)
