"""Every harness by name, and ``preview``: one module a harness, over shared pieces, imported when it is needed."""

from __future__ import annotations

from importlib import import_module

from promptls.core.model import Session
from promptls.errors import UsageError
from promptls.harnesses.paths import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.harnesses.base import Harness, Version

# In the order that decides between equals where a folder is set up for several.
NAMES = ("etcode", "opencode", "claude-code")
# What AGENTS.md alone, or nothing at all, is taken for.
FALLBACK = "opencode"


def get(name: str) -> Harness:
    """The harness called ``name``.

    Raises:
        UsageError: there is none.
    """
    if name not in NAMES:
        raise UsageError(f"There is no harness {name!r}; choose one of {', '.join(NAMES)}.")
    harness: Harness = import_module(f"promptls.harnesses.{name.replace('-', '_')}").HARNESS
    return harness


def every() -> list[Harness]:
    """All harnesses, in order."""
    return [get(name) for name in NAMES]


def describe() -> list[dict[str, Any]]:
    """Every harness as JSON: name, title, versions and what it loads."""
    return [
        {
            "name": harness.name,
            "title": harness.title,
            "versions": [{"version": v.name, "verified": v.verified, "note": v.note} for v in harness.versions],
            "loads": list(harness.loads),
        }
        for harness in every()
    ]


def version(harness: Harness, name: str) -> Version:
    """The version called ``name``; the default one for "".

    Raises:
        UsageError: this harness has no such version.
    """
    for known in harness.versions:
        if name in ("", known.name):
            return known
    names = ", ".join(known.name for known in harness.versions)
    raise UsageError(f"{harness.title} {name!r} is not known; the versions known are {names}.")


def split(text: str) -> tuple[str, str]:
    """``harness@version`` as two strings; the version is "" if none is named."""
    name, _, number = text.partition("@")
    return name, number


def preview(session: Session, host: Host) -> Prompt:
    """What the session's harness sends: a pure function of what it can see through ``host``.

    Raises:
        UsageError: the session names a harness or version that does not exist.
    """
    harness = get(session.harness)
    known = version(harness, session.version)
    return harness.preview(
        Session(
            harness=harness.name,
            version=known.name,
            cwd=session.cwd,
            reads=tuple(resolve(session.cwd, read) for read in session.reads),
            model=session.model,
            agent=session.agent,
            args=session.args,
            hints=session.hints,
        ),
        host,
    )
