"""Changes to files: fixes that go together, and names that follow a file to its new place."""

from __future__ import annotations

import posixpath
import re

from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.model import Edit, Fix, Problem

_MAGIC = re.compile(r"[*?\[\]{}]")


def together(fixes: Iterable[Fix]) -> list[Edit]:
    """The edits of all ``fixes`` that do not get into each other's way; of two that do, the first."""
    return list(dict.fromkeys(edit for fix in compatible(fixes) for edit in fix.edits))


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """The ``fixes`` that do not get into each other's way; of two that do, the first. The same edit does not."""
    chosen: list[Fix] = []
    taken: dict[str, list[Edit]] = {}
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in taken.get(edit.path, ())]
        if not any(_collide(edit, other) for edit in new for other in taken.get(edit.path, ())):
            chosen.append(fix)
            for edit in new:
                taken.setdefault(edit.path, []).append(edit)
    return chosen


def safe_fix(problem: Problem) -> Fix | None:
    """The fix that needs nobody's judgement; None if there is none."""
    return next((fix for fix in problem.fixes if fix.is_safe), None)


def rewritten(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with ``edits`` made, which do not overlap; all their places are those before the first."""
    lines = LineIndex(text)
    pieces, end = [], len(text)
    for edit in sorted(edits, key=lambda each: (each.range.start_line, each.range.start_character), reverse=True):
        where = edit.range
        pieces += [text[lines.offset(where.end_line, where.end_character) : end], edit.text]
        end = lines.offset(where.start_line, where.start_character)
    return "".join(reversed([*pieces, text[:end]]))


def _collide(one: Edit, other: Edit) -> bool:
    if one.path != other.path:
        return False
    if one.rename or other.rename:
        return True
    a, b = sorted((one.range, other.range), key=lambda where: (where.start_line, where.start_character))
    return (b.start_line, b.start_character) < (a.end_line, a.end_character) or a == b


def followed(entry: str, target: str, old: str, new: str) -> str | None:
    """``entry``, which means the file at ``target``, as it has to be written once ``old`` is called ``new``.

    ``entry`` is a path as people write it: absolute, from ``~/`` or relative, or a pattern. ``old`` is a file or a
    directory; all paths are absolute. None where ``entry`` can stay, or where nothing says what it is relative to.
    """
    if _MAGIC.search(entry):
        return _followed_pattern(entry, old, new)
    if target != old and not target.startswith(old + "/"):
        return None
    moved = new + target[len(old) :]
    if entry.startswith("/"):
        return moved
    if entry.startswith("~/"):
        home = target.removesuffix(entry[1:])
        return "~" + moved[len(home) :] if moved.startswith(home + "/") else moved
    rest = posixpath.normpath(entry)
    up = 0
    while rest.startswith("../"):
        rest, up = rest[3:], up + 1
    base = target.removesuffix("/" + rest)
    if base == target or (up and not moved.startswith(base + "/")):
        return None
    lead = "../" * up or ("./" if entry.startswith("./") else "")
    return lead + posixpath.relpath(moved, base or "/")


def moved_along(entry: str, target: str, holder: str, new_holder: str, new_target: str) -> str | None:
    """``entry`` as the file at ``holder`` has to write it once that is called ``new_holder``.

    ``entry`` means the file at ``target``, which is then called ``new_target``. None where it can stay, and where it
    is not relative to the directory of ``holder``.
    """
    if entry.startswith(("/", "~")) or _MAGIC.search(entry):
        return None
    if posixpath.normpath(posixpath.join(posixpath.dirname(holder), entry)) != target:
        return None
    name = posixpath.relpath(new_target, posixpath.dirname(new_holder))
    if name == posixpath.normpath(entry):
        return None
    return f"./{name}" if entry.startswith("./") and not name.startswith("../") else name


def _followed_pattern(entry: str, old: str, new: str) -> str | None:
    """A pattern below a directory that is renamed: only what stands before its first wild card is a path."""
    parts = entry.split("/")
    fixed = next(number for number, part in enumerate(parts) if _MAGIC.search(part))
    for count in range(fixed, 0, -1):
        head = "/".join(parts[:count])
        if head and (old == head or (not head.startswith("/") and old.endswith("/" + head))):
            base = old.removesuffix(head) if old != head else ""
            moved = posixpath.relpath(new, base) if base else new
            return "/".join((moved, *parts[count:]))
    return None
