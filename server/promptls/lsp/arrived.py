"""When the message that is handled has arrived: what was looked up since then is new enough for its answer."""

from __future__ import annotations

from contextvars import ContextVar

# As ``time.monotonic`` has it; None in work that answers no message.
ARRIVED: ContextVar[float | None] = ContextVar("ARRIVED", default=None)
