"""What ``promptls check --fix`` changes and ``--diff`` shows: planned in memory, then written file by file."""

from __future__ import annotations

import os
import stat
from collections import Counter

from promptls.cli.patch import hunks, named, not_shown, quoted
from promptls.core import files
from promptls.core.changes import compatible, rewritten, safe_fix
from promptls.core.host import Buffers
from promptls.core.paths import join, name, parent, relative
from promptls.core.text import BOM
from promptls.core.values import dataclass, field, replace
from promptls.system.write_file import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from promptls.core.model import Edit, Fix, Problem

    # Finds the problems if the files had these texts.
    Find = Callable[[Buffers], Iterable[Problem]]

# Problems that a fix reveals, or that overlapping fixes leave, are fixed in the next round.
ROUNDS = 10


@dataclass(slots=True)
class Plan:
    """The changes that apply every safe fix below ``root``.

    ``texts``: path, links resolved, to the text before and after, without a byte order mark; None before for a new
    file. ``renames``: old path to new. ``fixed``: the number of fixed problems by the path of the change. ``left``:
    files that are not changed, and why.
    """

    root: str
    texts: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    fixed: Counter[str] = field(default_factory=Counter)
    left: dict[str, str] = field(default_factory=dict)

    def buffers(self) -> Buffers:
        """The texts, for a host to see before they are written."""
        return Buffers({path: after for path, (before, after) in self.texts.items() if before != after})

    def relative(self, path: str) -> str:
        """``path`` relative to the folder."""
        return relative(path, self.root)


def plan(root: str, find: Find, is_meant: Callable[[Problem], bool], may_change: Callable[[str], bool]) -> Plan:
    """Plan the fixes of the problems that are meant, in files that may be changed, until none is left.

    Files are renamed last, because edits refer to their old names: problems that this reveals are not fixed.
    """
    plan = Plan(files.realpath(root))

    def look() -> list[Problem]:
        return [problem for problem in find(plan.buffers()) if is_meant(problem)]

    found = look()
    for _ in range(ROUNDS):
        chosen = _chosen(plan, found, may_change)
        before, texts, fixed = Counter(map(_key, found)), dict(plan.texts), plan.fixed.copy()
        _make(plan, chosen)
        if not chosen or plan.renames:
            break
        found = look()
        harmful = _without_effect(chosen, before, found)
        if not harmful:
            continue
        # One fix may reveal what another fixes: try the fixes of each rule alone.
        paths = _touched(harmful, chosen)
        held_up = [(problem, fix) for problem, fix in chosen if fix.edits[0].path in paths]
        keys = dict.fromkeys(_key(problem) for problem, _ in held_up)
        for key in keys if len(keys) > 1 else ():
            _restore(plan, paths, texts, fixed)
            alone = [(problem, fix) for problem, fix in held_up if _key(problem) == key]
            _make(plan, alone)
            found = look()
            if not _without_effect(alone, before, found):
                break
        else:
            _restore(plan, paths, texts, fixed)
            for path in paths - plan.left.keys():
                plan.left[path] = f"a fix of {harmful[0][0].code} does not solve it"
    return plan


def _key(problem: Problem) -> tuple[str, str]:
    return problem.path, problem.code


def _make(plan: Plan, chosen: list[tuple[Problem, Fix]]) -> None:
    _carry_out(plan, dict.fromkeys(edit for _, fix in chosen for edit in fix.edits))
    plan.fixed.update(fix.edits[0].path for _, fix in chosen)


def _without_effect(
    chosen: list[tuple[Problem, Fix]], before: Counter[tuple[str, str]], found: list[Problem]
) -> list[tuple[Problem, Fix]]:
    """The fixes after which their rule still finds as many problems: repeating them would do harm."""
    after = Counter(map(_key, found))
    return [(problem, fix) for problem, fix in chosen if after[_key(problem)] >= before[_key(problem)]]


def _touched(some: list[tuple[Problem, Fix]], chosen: list[tuple[Problem, Fix]]) -> set[str]:
    """The files that these fixes change, and those that other fixes change together with one of them."""
    paths = {edit.path for _, fix in some for edit in fix.edits}
    size = -1
    while size != len(paths):
        size = len(paths)
        for _, fix in chosen:
            of_fix = {edit.path for edit in fix.edits}
            if paths & of_fix:
                paths |= of_fix
    return paths


def _restore(plan: Plan, paths: set[str], texts: dict[str, tuple[str | None, str]], fixed: Counter[str]) -> None:
    """Restore the files to their state before this round."""
    for path in paths:
        plan.texts[path] = texts[path]
        plan.fixed.pop(path, None)
        if fixed[path]:
            plan.fixed[path] = fixed[path]


def _chosen(plan: Plan, found: Iterable[Problem], may_change: Callable[[str], bool]) -> list[tuple[Problem, Fix]]:
    """The fixes of the next round: edits of text first; renames only if there are no such edits."""
    fixes: dict[Fix, list[Problem]] = {}
    for problem in found:
        fix = safe_fix(problem)
        if fix is not None and all(may_change(edit.path) for edit in fix.edits):
            resolved = _resolved(fix, plan)
            if resolved is not None:
                fixes.setdefault(resolved, []).append(problem)
    chosen = compatible(fixes)
    inside = [fix for fix in chosen if not any(edit.rename for edit in fix.edits)]
    return [(problem, fix) for fix in inside or chosen for problem in fixes[fix]]


def _resolved(fix: Fix, plan: Plan) -> Fix | None:
    """The fix with resolved paths; None, with a reason in the plan, if it cannot be applied."""
    edits = []
    for edit in fix.edits:
        # Rename the link itself, not its target.
        path = _place(edit.path) if edit.rename else files.realpath(edit.path)
        rename = _place(edit.rename) if edit.rename else None
        reason = _obstacle(plan, path) or (_obstacle(plan, rename) if rename else None)
        if reason is not None:
            plan.left[path] = reason
            return None
        if path not in plan.texts and not edit.rename:
            if _has_other_names(path):
                plan.left[path] = "it has another hard link, which would keep the old text"
                return None
            before = _read(path)
            plan.texts[path] = (before, before or "")
        edits.append(replace(edit, path=path, rename=rename))
    return replace(fix, edits=tuple(edits))


def _has_other_names(path: str) -> bool:
    try:
        return os.stat(path).st_nlink > 1
    except OSError:  # a new file
        return False


def _place(path: str) -> str:
    """``path`` with the links of its directory resolved, and its own not."""
    return join(files.realpath(parent(path)), name(path))


def _obstacle(plan: Plan, path: str) -> str | None:
    """Why the file at ``path`` cannot be changed; None if it can, or if there is no file."""
    if not path.startswith(plan.root.rstrip("/") + "/"):
        return "it is outside the folder that is checked"
    if path in plan.texts:
        return plan.left.get(path)
    found = files.read(path)
    if found.state == "missing":
        return None
    if found.state != "file":
        return "it is not a readable file"
    if not os.stat(path).st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        return "it is read-only"
    if found.is_cut:
        return "it is too large"
    try:
        found.data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8; save it as UTF-8 first"
    return None


def _read(path: str) -> str | None:
    found = files.read(path)
    return found.data.decode("utf-8").removeprefix(BOM) if found.state == "file" else None


def _carry_out(plan: Plan, edits: Iterable[Edit]) -> None:
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        if edit.rename:
            plan.renames[edit.path] = edit.rename
        else:
            by_path.setdefault(edit.path, []).append(edit)
    for path, each in by_path.items():
        before, after = plan.texts[path]
        plan.texts[path] = (before, rewritten(after, each))


# -- on the disk -------------------------------------------------------------------------------------------------


def carry_out(plan: Plan) -> None:
    """Write the plan; a file that cannot be written, or has changed since it was read, is added to ``left``."""
    for path, (before, after) in plan.texts.items():
        if before != after:
            try:
                if _read_again(path) != before:
                    plan.left[path] = "another program has just changed it"
                else:
                    write(path, after, is_new=before is None)
            except OSError as error:
                plan.left[path] = f"it cannot be written ({(error.strerror or str(error)).lower()})"
    for old, new in plan.renames.items():
        try:
            if os.path.lexists(new) and not os.path.samefile(old, new):
                plan.left[old] = f"{plan.relative(new)} already exists"
            else:
                os.rename(old, new)
        except OSError as error:
            plan.left[old] = f"it cannot be renamed ({(error.strerror or str(error)).lower()})"
    for path in plan.left:
        plan.fixed.pop(path, None)


def _read_again(path: str) -> str | None:
    try:
        return _read(path)
    except UnicodeDecodeError:
        return ""


def write(path: str, text: str, *, is_new: bool) -> None:
    """Replace the file's text atomically; a byte order mark is kept."""
    write_file(path, (_mark(path) + text).encode("utf-8"), is_new=is_new)


def _mark(path: str) -> str:
    """The byte order mark of the file, if it has one."""
    return BOM if files.starts_with(path, BOM.encode()) else ""


def leave_what_cannot_be_shown(plan: Plan) -> None:
    """Leave out files whose patch would show a secret, or a command for a terminal or a CI service."""
    for path, (before, after) in plan.texts.items():
        why = not_shown(path, before or "", after)
        if why:
            plan.left[path] = f"{why}; apply it with --fix"
            # It is still counted: there is something to fix.
            plan.texts[path] = (before, before or "")


# -- as a patch --------------------------------------------------------------------------------------------------


def patch(plan: Plan) -> Iterator[str]:
    """The plan as lines for ``git apply``, each with its line end; paths are relative to the folder."""
    changed = {path for path, (before, after) in plan.texts.items() if before != after}
    for path in sorted(changed | set(plan.renames)):
        before, after = plan.texts.get(path, ("", ""))
        old, new = quoted("a/" + plan.relative(path)), quoted("b/" + plan.relative(plan.renames.get(path, path)))
        yield f"diff --git {old} {new}\n"
        if before is None:
            yield "new file mode 100644\n"
        if path in plan.renames:
            yield "similarity index 100%\n" if before == after else ""
            yield f"rename from {quoted(plan.relative(path))}\n"
            yield f"rename to {quoted(plan.relative(plan.renames[path]))}\n"
        if path in changed:
            mark = _mark(path)
            yield f"--- {named(old) if before is not None else '/dev/null'}\n"
            yield f"+++ {named(new)}\n"
            yield from hunks(mark + before if before is not None else "", mark + after)
