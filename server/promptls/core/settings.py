"""Settings as the program uses them. What users write is parsed at the edges and converted to this."""

from __future__ import annotations

from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens of the user's own text in ``directory`` one session may get.

    ``of``: what counts, a key of ``core.budgets.KINDS``; ``harness``: the only one that it is for.
    """

    directory: str
    of: str
    most: int
    harness: str | None = None
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Resolved settings of one folder or one command. ``harness`` may carry a version: ``name@version``.

    ``slow_ms``: a URL that took longer than this, in milliseconds, is reported as slow. ``token_budget``: how many
    tokens a prompt may have; ``window_budget``: how many per cent of the model's context window; ``budgets``: of the
    user's own text in a directory. ``harnesses`` are those that matter; without any, the files of the folder say which.
    Only a settings file says these: ``rules``, pairs of a code and its severity or ``off``; ``exclude``, patterns as in
    .gitignore; ``profiles``, specifications of others. ``hints`` of a run and ``tools``, pairs of a name and its
    advice, for harnesses that are given such. ``inlay_hints``: headings of instruction files carry their tokens.
    ``check_workspace``: the server checks the whole folder. ``habits``: what the machine knows of its user says which
    harness is shown. ``fade``: what never reaches the model is faded in an open file. ``urls_allowed``: hosts,
    addresses and networks that URLs may lead to, which only a user may say. ``urls_switched_off``: the settings file
    has them off, for every command.
    """

    harness: str | None = None
    model: str | None = None
    agent: str | None = None
    cwd: str | None = None
    args: tuple[str, ...] = ()
    urls_enabled: bool = True
    urls_switched_off: bool = False
    urls_allowed: tuple[str, ...] = ()
    slow_ms: int = 1000
    inlay_hints: bool = False
    check_workspace: bool = True
    fade: bool = True
    habits: bool = True
    token_budget: int | None = None
    window_budget: int | None = None
    budgets: tuple[Budget, ...] = ()
    harnesses: tuple[str, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    exclude: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    tools: tuple[tuple[str, str], ...] = ()


DEFAULT = Settings()
# What is said of one harness and means nothing to another.
_OF_HARNESS = ("harness", "model", "agent", "args", "hints", "tools")


def name_of(harness: str) -> str:
    """The name in ``harness@version``."""
    return harness.partition("@")[0]


def only_for(settings: Settings, name: str) -> Settings:
    """The settings as they hold for the harness ``name``: what they say of the one that they name is not for others."""
    if settings.harness is None or name_of(settings.harness) == name:
        return settings
    return replace(settings, **{each: getattr(DEFAULT, each) for each in _OF_HARNESS})


def over(above: Settings, below: Settings) -> Settings:
    """What ``above`` says, and ``below`` where that says nothing: editors send defaults for what the user has not set.

    Where they name different harnesses, what ``below`` says of its own is left out.
    """
    if above.harness and below.harness:
        name = name_of(above.harness)
        below = only_for(below, name)
        if name == above.harness:  # the version is said below, if anywhere
            above = replace(above, harness=below.harness or name)
    said: dict[str, Any] = {}
    for name in Settings.__match_args__:
        value = getattr(above, name)
        if value != getattr(DEFAULT, name):
            said[name] = value
    return replace(below, **said)
