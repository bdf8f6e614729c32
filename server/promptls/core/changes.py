"""Changes to files: combines fixes, and updates references to a file that moves."""

from __future__ import annotations

import posixpath
from bisect import bisect_left, insort

from promptls.core.lazy import regex
from promptls.core.paths import is_absolute, parent, relative
from promptls.core.text import LineIndex
from promptls.core.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.model import Edit, Fix, Problem

_MAGIC = regex(r"[*?\[\]{}]")


def together(fixes: Iterable[Fix]) -> list[Edit]:
    """The edits of all compatible ``fixes``; of two that conflict, the first."""
    return list(dict.fromkeys(edit for fix in compatible(fixes) for edit in fix.edits))


def compatible(fixes: Iterable[Fix]) -> list[Fix]:
    """The compatible ``fixes``; of two that conflict, the first. Identical edits do not conflict."""
    chosen: list[Fix] = []
    taken: dict[str, _Taken] = {}
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in taken.setdefault(edit.path, _Taken()).edits]
        if not any(taken[edit.path].collides(edit) for edit in new):
            chosen.append(fix)
            for edit in new:
                taken[edit.path].add(edit)
    return chosen


@dataclass(slots=True)
class _Taken:
    """The edits of one file that were chosen; ``places`` are where they begin and end, in order."""

    edits: set[Edit] = field(default_factory=set)
    places: list[tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=list)
    is_renamed: bool = False

    def add(self, edit: Edit) -> None:
        self.edits.add(edit)
        self.is_renamed |= edit.rename is not None
        insort(self.places, _place(edit))

    def collides(self, edit: Edit) -> bool:
        """Whether ``edit`` overlaps one of these, or is at the same place. These do not overlap each other."""
        if edit.rename or self.is_renamed:
            return bool(self.edits)
        start, end = _place(edit)
        at = bisect_left(self.places, (start, end))
        before = self.places[max(at - 1, 0) : at]
        after = self.places[at : at + 1]
        return any(other[1] > start for other in before) or any(
            other[0] < end or other == (start, end) for other in after
        )


def _place(edit: Edit) -> tuple[tuple[int, int], tuple[int, int]]:
    where = edit.range
    return (where.start_line, where.start_character), (where.end_line, where.end_character)


def safe_fix(problem: Problem) -> Fix | None:
    """The fix that needs no human judgement; None if there is none."""
    return next((fix for fix in problem.fixes if fix.is_safe), None)


def rewritten(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with ``edits`` applied; they do not overlap, and all their places refer to the original text."""
    lines = LineIndex(text)
    pieces, end = [], len(text)
    for edit in sorted(edits, key=_place, reverse=True):
        where = edit.range
        pieces += [text[lines.offset(where.end_line, where.end_character) : end], edit.text]
        end = lines.offset(where.start_line, where.start_character)
    return "".join(reversed([*pieces, text[:end]]))


def followed(entry: str, target: str, old: str, new: str) -> str | None:
    """``entry``, which refers to ``target``, as it must be written once ``old`` is renamed to ``new``.

    ``entry`` is a path as people write it: absolute, from ``~/`` or relative, or a pattern. ``old`` is a file or a
    directory; all paths are absolute. None where ``entry`` can stay, or where nothing says what it is relative to.
    """
    if _MAGIC.search(entry):
        return _followed_pattern(entry, old, new)
    if target != old and not target.startswith(old + "/"):
        return None
    moved = new + target[len(old) :]
    if is_absolute(entry, target):
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
    return lead + relative(moved, base or "/")


def moved_along(entry: str, target: str, holder: str, new_holder: str, new_target: str) -> str | None:
    """``entry`` as the file at ``holder`` must write it once that file is renamed to ``new_holder``.

    ``entry`` means the file at ``target``, which is then called ``new_target``. None where it can stay, and where it
    is not relative to the directory of ``holder``.
    """
    if is_absolute(entry, holder) or entry.startswith("~") or _MAGIC.search(entry):
        return None
    if posixpath.normpath(posixpath.join(parent(holder), entry)) != target:
        return None
    name = relative(new_target, parent(new_holder))
    if name == posixpath.normpath(entry):
        return None
    return f"./{name}" if entry.startswith("./") and not name.startswith("../") else name


def _followed_pattern(entry: str, old: str, new: str) -> str | None:
    """A pattern below a directory that is renamed: only the part before its first wild card is a path."""
    parts = entry.split("/")
    fixed = next(number for number, part in enumerate(parts) if _MAGIC.search(part))
    for count in range(fixed, 0, -1):
        head = "/".join(parts[:count])
        if head and (old == head or (not head.startswith("/") and old.endswith("/" + head))):
            base = old.removesuffix(head) if old != head else ""
            moved = relative(new, base) if base else new
            return "/".join((moved, *parts[count:]))
    return None
