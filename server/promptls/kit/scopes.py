"""Front matter that says which files a rule is for, and the dialects in which harnesses write and match that.

``applyTo``, ``globs`` and ``paths`` hold patterns: one text with commas, or a list. What the patterns are matched
against differs, so each harness names its dialect.
"""

from __future__ import annotations

from promptls.core.formats.header import Header, header, split_patterns
from promptls.core.formats.patterns import alternatives, path_matcher
from promptls.core.values import dataclass
from promptls.kit.paths import is_below, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Dialect", "Header", "first_match", "header", "split_patterns"]

EVERY_FILE = frozenset(("*", "**", "**/*"))


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a pattern is held against.

    ``whole_path``: the absolute path, else the path below the rule's own directory. ``floats``: ``**/`` is put in
    front of a pattern that begins with neither ``/`` nor ``**/``. ``or_name``: the file's name alone is enough.
    ``by_name``: a pattern without ``/`` is held against the name alone. Wild cards match hidden names.
    """

    whole_path: bool = False
    floats: bool = False
    or_name: bool = False
    ignore_case: bool = False
    by_name: bool = False


def first_match(patterns: Iterable[str], path: str, base: str, dialect: Dialect) -> str | None:
    """The first of ``patterns`` that the file at ``path`` matches; ``base`` is what a pattern is relative to."""
    for pattern in patterns:
        if pattern in EVERY_FILE or _matches(pattern, path, base, dialect):
            return pattern
    return None


def _matches(pattern: str, path: str, base: str, dialect: Dialect) -> bool:
    if dialect.floats and not pattern.startswith(("/", "**/")):
        pattern = f"**/{pattern}"
    if dialect.whole_path:
        subjects = [path]
    elif dialect.by_name and "/" not in pattern:
        subjects = [name(path)]
    elif is_below(path, base):
        subjects = [path[len(base) :].lstrip("/"), *([name(path)] if dialect.or_name else [])]
    else:
        return False
    for each in alternatives(pattern) or ():
        matches = path_matcher(each, dot=True, ignore_case=dialect.ignore_case)
        if any(map(matches, subjects)):
            return True
    return False
