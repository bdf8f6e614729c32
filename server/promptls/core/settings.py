"""Settings as the program uses them. What users write is read at the edges and turned into this."""

from __future__ import annotations

from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one folder or one command. ``harness`` may carry a version: ``etcode@design``.

    ``slow_ms``: an URL that took longer than this, in milliseconds, is told slow. ``token_budget``: how many tokens
    a prompt may have. Only a settings file says these: ``harnesses``, which are in use even without files of their
    own; ``rules``, pairs of a code and its severity or ``off``; ``exclude``, patterns as in .gitignore.
    ``hints`` of a run and ``tools``, pairs of a name and its advice, for harnesses that are given such.
    ``inlay_hints``: headings of instruction files carry their tokens. ``check_workspace``: the server checks the
    whole folder.
    """

    harness: str | None = None
    model: str | None = None
    agent: str | None = None
    cwd: str | None = None
    args: tuple[str, ...] = ()
    urls_enabled: bool = True
    slow_ms: int = 1000
    inlay_hints: bool = False
    check_workspace: bool = True
    token_budget: int | None = None
    harnesses: tuple[str, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    exclude: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    tools: tuple[tuple[str, str], ...] = ()


DEFAULT = Settings()


def over(above: Settings, below: Settings) -> Settings:
    """What ``above`` says, and ``below`` where that says nothing: editors send defaults for what nobody has set."""
    said: dict[str, Any] = {}
    for name in Settings.__match_args__:
        value = getattr(above, name)
        if value != getattr(DEFAULT, name):
            said[name] = value
    return replace(below, **said)
