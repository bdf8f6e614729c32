"""Every harness by name, and ``preview``: one module a harness, over shared pieces, imported when it is needed."""

from __future__ import annotations

from importlib import import_module

from promptls.core.model import Session
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.harnesses.paths import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.harnesses.base import Harness, Version

# In the order that decides between equals where a folder is set up for several. With the files that show it:
# those of each harness's own description, said here again so that a search need not import every harness.
EVIDENCE: dict[str, tuple[str, ...]] = {
    "etcode": ("etcode.json", "etcode.jsonc", ".etcode.json", "ETCODE.md"),
    "opencode": ("opencode.json", "opencode.jsonc", ".opencode"),
    "claude-code": ("CLAUDE.md", ".claude"),
    "codex": (".codex", "AGENTS.override.md"),
    "gemini-cli": ("GEMINI.md", ".gemini"),
    "copilot-cli": (".github/copilot-instructions.md", ".github/instructions"),
    "copilot-vscode": (".github/copilot-instructions.md", ".github/instructions"),
    "cursor": (".cursor", ".cursorrules"),
    "openclaw": ("SOUL.md",),
    "agent-core": ("config/environments", ".tong_work"),
    "mini-claude-code": ("SYSTEM_PROMPT.md",),
    "learn-claude-code": (".memory/MEMORY.md",),
}
# Harnesses of other packages, which come in by the entry-point group promptls.harnesses (see local.py).
_registered: dict[str, Harness] = {}
# What AGENTS.md alone, or nothing at all, is taken for.
FALLBACK = "opencode"


def names() -> tuple[str, ...]:
    """The names of all harnesses, in order."""
    return tuple(EVIDENCE)


def register(harness: Harness) -> None:
    """Add a harness, or put another one in the place of a name that is known."""
    _registered[harness.name] = harness
    EVIDENCE[harness.name] = harness.evidence


def get(name: str) -> Harness:
    """The harness called ``name``.

    Raises:
        UsageError: there is none.
    """
    if name in _registered:
        return _registered[name]
    if name not in EVIDENCE:
        raise UsageError(f"There is no harness {name!r}; choose one of {', '.join(names())}.")
    harness: Harness = import_module(f"promptls.harnesses.{name.replace('-', '_')}").HARNESS
    return harness


def every() -> list[Harness]:
    """All harnesses, in order."""
    return [get(name) for name in names()]


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
    known_ones = ", ".join(known.name for known in harness.versions)
    raise UsageError(f"{harness.title} {name!r} is not known; the versions known are {known_ones}.")


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
    other = None
    if not session.version and harness.package:
        from promptls.harnesses.installed import installed  # noqa: PLC0415 - only where it can be known

        found = installed(host, harness.command, harness.package, session.cwd)
        known = next((each for each in harness.versions if each.name == found), known)
        other = found if found != known.name else None
    prompt = harness.preview(
        Session(
            harness=harness.name,
            version=known.name,
            cwd=session.cwd,
            reads=tuple(resolve(session.cwd, read) for read in session.reads),
            model=session.model,
            agent=session.agent,
            args=session.args,
            hints=session.hints,
            tools=session.tools,
        ),
        host,
    )
    if other is None:
        return prompt
    note = f"{harness.title} {other} is installed here; this is what {known.name} sends, the version that is known."
    return replace(prompt, notes=(note, *prompt.notes), verified=False)
