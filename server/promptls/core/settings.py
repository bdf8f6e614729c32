"""Settings as the program uses them. What users write is read at the edges and turned into this."""

from __future__ import annotations

from promptls.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one folder or one command. ``harness`` may carry a version: ``etcode@design``.

    ``slow_ms``: an URL that took longer than this, in milliseconds, is told slow.
    ``token_budget``: a prompt with more tokens at its start is told too long; None: none is.
    """

    harness: str | None = None
    model: str | None = None
    agent: str | None = None
    cwd: str | None = None
    args: tuple[str, ...] = ()
    urls_enabled: bool = True
    slow_ms: int = 1000
    token_budget: int | None = None


DEFAULT = Settings()
