"""The versions of Aider: a row for each."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.kit.base import Version


@dataclass(frozen=True, slots=True)
class Facts:
    """A version. ``index`` is the place of the files in the request, after the system message and the examples.

    (section "Placement")
    """

    version: Version
    index: int


ROWS = (Facts(Version("0.86.2", verified=True), index=5),)
