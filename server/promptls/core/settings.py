"""Settings as the program uses them. What users write is read at the edges and turned into this."""

from __future__ import annotations

from promptls.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one folder or one command. ``harness`` may carry a version: ``etcode@design``.

    ``slow_ms``: an URL that took longer than this, in milliseconds, is told slow.
    ``inlay_hints``: headings of instruction files carry their tokens.
    """

    harness: str | None = None
    model: str | None = None
    agent: str | None = None
    cwd: str | None = None
    args: tuple[str, ...] = ()
    urls_enabled: bool = True
    slow_ms: int = 1000
    inlay_hints: bool = False


DEFAULT = Settings()
