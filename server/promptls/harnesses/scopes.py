"""Front matter that says which files a rule is for, and the dialects in which harnesses write and match that.

``applyTo`` (Copilot), ``globs`` (Cursor) and ``paths`` (Claude Code's rules) hold patterns: one text with commas, or
a list. What the patterns are held against differs, so each dialect is named here.
"""

from __future__ import annotations

from promptls.core.formats.header import Header, header, split_patterns
from promptls.core.values import dataclass
from promptls.harnesses.paths import is_below, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Dialect", "Header", "first_match", "header", "split_patterns"]

EVERY_FILE = frozenset(("*", "**", "**/*"))
# A brace group with very many alternatives is not followed; the pattern then matches nothing.
MAX_ALTERNATIVES = 1000


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a pattern is held against. ``name`` is that of the harness.

    ``whole_path``: the absolute path, else the path below the rule's own directory. ``floats``: ``**/`` is put in
    front of a pattern that begins with neither ``/`` nor ``**/``. ``or_name``: the file's name alone is enough.
    ``dot``: wild cards match hidden names.
    """

    name: str
    whole_path: bool = False
    floats: bool = False
    or_name: bool = False
    ignore_case: bool = False
    dot: bool = True


# On the wire only **/*.py was seen; that a name alone is enough was read in 1.0.65 by others.
COPILOT_CLI = Dialect("copilot-cli", or_name=True, dot=False)
# Section B: case-insensitive, against the full path.
COPILOT_VSCODE = Dialect("copilot-vscode", whole_path=True, floats=True, ignore_case=True)
# Not documented; this is the reading under which the documentation's own examples match.
CURSOR = Dialect("cursor", or_name=True)


def first_match(patterns: Iterable[str], path: str, base: str, dialect: Dialect) -> str | None:
    """The first of ``patterns`` that the file at ``path`` matches; ``base`` is what a pattern is relative to."""
    for pattern in patterns:
        if pattern in EVERY_FILE or _matches(pattern, path, base, dialect):
            return pattern
    return None


def _matches(pattern: str, path: str, base: str, dialect: Dialect) -> bool:
    import bracex  # noqa: PLC0415 - the same
    from wcmatch import glob  # noqa: PLC0415 - files without scopes, the usual case, need no pattern library

    if dialect.floats and not pattern.startswith(("/", "**/")):
        pattern = f"**/{pattern}"
    if dialect.whole_path:
        subjects = [path]
    elif is_below(path, base):
        subjects = [path[len(base) :].lstrip("/"), *([name(path)] if dialect.or_name else [])]
    else:
        return False
    flags = glob.GLOBSTAR | glob.FORCEUNIX | (glob.DOTGLOB if dialect.dot else 0)
    flags |= glob.IGNORECASE if dialect.ignore_case else glob.CASE
    try:
        alternatives = bracex.expand(pattern, limit=MAX_ALTERNATIVES)
    except (bracex.ExpansionLimitException, RecursionError):
        return False
    return any(glob.globmatch(subject, each, flags=flags) for each in alternatives for subject in subjects)
