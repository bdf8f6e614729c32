"""Where a program does not send what a preview shows."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from promptls.core.model import Segment

    Kind = Literal["missing", "text", "role", "order", "size", "extra", "tool"]

# How far a size may be from the one that was measured, and still be the same.
TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a capture is not as the preview says: ``expected`` is the segment that says so, with its rule.

    ``message`` counts from 1, in the capture where there is one; ``diff``: lines that begin with ``-`` for what the
    preview has and with ``+`` for what was sent.
    """

    kind: Kind
    says: str
    message: int
    expected: Segment | None = None
    diff: tuple[str, ...] = ()


def is_other_size(size: int, measured: int) -> bool:
    """Whether a text of the program's own is not the one that was measured: it is longer or shorter by over 1 %."""
    return abs(size - measured) > TOLERANCE * max(measured, 100)
