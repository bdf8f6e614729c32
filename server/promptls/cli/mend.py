"""What ``promptls check --fix`` changes and ``--diff`` shows: worked out in memory, then written file by file."""

from __future__ import annotations

import os
import stat
from collections import Counter

from promptls.core import files
from promptls.core.changes import compatible, rewritten, safe_fix
from promptls.core.host import Buffers
from promptls.core.text import BOM
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from promptls.core.model import Edit, Fix, Problem

    # The problems that would be found with these texts in the place of the files'.
    Find = Callable[[Buffers], Iterable[Problem]]

# What one fix uncovers, or two that overlap leave, is for the next round.
ROUNDS = 10


@dataclass(slots=True)
class Plan:
    """The changes that mend everything that is safe to mend below ``root``.

    ``texts``: path, links resolved, to the text before and after, without a byte order mark; None before for a new
    file. ``renames``: old path to new. ``mended``: how many problems by the path of the change. ``left``: files that
    stay as they are, and why.
    """

    root: str
    texts: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    renames: dict[str, str] = field(default_factory=dict)
    mended: Counter[str] = field(default_factory=Counter)
    left: dict[str, str] = field(default_factory=dict)

    def buffers(self) -> Buffers:
        """The texts as a host sees them before they are written."""
        return Buffers({path: after for path, (before, after) in self.texts.items() if before != after})

    def relative(self, path: str) -> str:
        """``path`` as seen from the folder."""
        return os.path.relpath(path, self.root)


def plan(root: str, find: Find, is_meant: Callable[[Problem], bool], may_change: Callable[[str], bool]) -> Plan:
    """Work out what mends the problems that are meant, in files that may be changed, until nothing more is.

    Files are renamed last, as places in them are found by their names: what that uncovers is left.
    """
    plan = Plan(os.path.realpath(root))
    found = [problem for problem in find(Buffers()) if is_meant(problem)]
    for _ in range(ROUNDS):
        chosen = _chosen(plan, found, may_change)
        texts = dict(plan.texts)
        _carry_out(plan, dict.fromkeys(edit for _, fix in chosen for edit in fix.edits))
        plan.mended.update(fix.edits[0].path for _, fix in chosen)
        if not chosen or plan.renames:
            break
        before = Counter((problem.path, problem.code) for problem in found)
        found = [problem for problem in find(plan.buffers()) if is_meant(problem)]
        after = Counter((problem.path, problem.code) for problem in found)
        for problem, fix in chosen:
            key = problem.path, problem.code
            if after[key] >= before[key]:  # made once more, it would do harm
                for path in {edit.path for edit in fix.edits} - plan.left.keys():
                    plan.texts[path], plan.left[path] = texts[path], f"a fix of {problem.code} does not mend it"
                    del plan.mended[path]
    return plan


def _chosen(plan: Plan, found: Iterable[Problem], may_change: Callable[[str], bool]) -> list[tuple[Problem, Fix]]:
    """The fixes of the next round: those inside of files, and if there are none, the renames."""
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
    """The fix with the paths of the files themselves; None, with a reason in the plan, where it cannot be made."""
    edits = []
    for edit in fix.edits:
        # A link is renamed itself.
        path = _place(edit.path) if edit.rename else os.path.realpath(edit.path)
        rename = _place(edit.rename) if edit.rename else None
        reason = _obstacle(plan, path) or (_obstacle(plan, rename) if rename else None)
        if reason is not None:
            plan.left[path] = reason
            return None
        if path not in plan.texts and not edit.rename:
            before = _read(path)
            plan.texts[path] = (before, before or "")
        edits.append(replace(edit, path=path, rename=rename))
    return replace(fix, edits=tuple(edits))


def _place(path: str) -> str:
    """``path`` with the links of its directory resolved, and its own not."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _obstacle(plan: Plan, path: str) -> str | None:
    """Why the file at ``path`` cannot be changed; None if it can. A path without a file is none."""
    if not path.startswith(plan.root.rstrip("/") + "/"):
        return "it stands outside of the folder that is checked"
    if path in plan.texts:
        return plan.left.get(path)
    found = files.read(path)
    if found.state == "missing":
        return None
    if found.state != "file":
        return "it is no file that can be read"
    if not os.stat(path).st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(path, os.W_OK):
        return "it is read-only"
    if found.is_cut:
        return "it is too large"
    try:
        found.data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8; save it so first"
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
    """Write the plan; a file that cannot be written, or has changed since it was read, is left and named in it."""
    for path, (before, after) in plan.texts.items():
        if before != after:
            try:
                if _read_again(path) != before:
                    plan.left[path] = "it has just been changed by another program"
                else:
                    _write(path, after, is_new=before is None)
            except OSError as error:
                plan.left[path] = f"it cannot be written ({(error.strerror or str(error)).lower()})"
    for old, new in plan.renames.items():
        try:
            if os.path.lexists(new) and not os.path.samefile(old, new):
                plan.left[old] = f"{plan.relative(new)} has come into being"
            else:
                os.rename(old, new)
        except OSError as error:
            plan.left[old] = f"it cannot be renamed ({(error.strerror or str(error)).lower()})"
    for path in plan.left:
        plan.mended.pop(path, None)


def _read_again(path: str) -> str | None:
    try:
        return _read(path)
    except UnicodeDecodeError:
        return ""


def _write(path: str, text: str, *, is_new: bool) -> None:
    """Put ``text`` into the file at once, by a new file in its place: as it was, but for the text."""
    import contextlib  # noqa: PLC0415 - only where something is mended
    import tempfile  # noqa: PLC0415 - the same

    directory = os.path.dirname(path)
    if is_new:
        os.makedirs(directory, exist_ok=True)
    handle, new = tempfile.mkstemp(prefix=".promptls-", dir=directory)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write((_mark(path) + text).encode("utf-8"))
            file.flush()
            os.fsync(handle)
        if is_new:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(new, 0o666 & ~mask)
        else:
            was = os.stat(path)
            with contextlib.suppress(OSError):  # only the owner and the superuser may
                os.chown(new, was.st_uid, was.st_gid)
            os.chmod(new, stat.S_IMODE(was.st_mode))
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def _mark(path: str) -> str:
    """The byte order mark of the file, if it has one."""
    return BOM if files.starts_with(path, BOM.encode()) else ""


# -- as a patch --------------------------------------------------------------------------------------------------


def patch(plan: Plan) -> Iterator[str]:
    """The plan as lines that ``git apply`` takes, each with its line end; paths as seen from the folder."""
    changed = {path for path, (before, after) in plan.texts.items() if before != after}
    for path in sorted(changed | set(plan.renames)):
        before, after = plan.texts.get(path, ("", ""))
        old, new = _quoted("a/" + plan.relative(path)), _quoted("b/" + plan.relative(plan.renames.get(path, path)))
        yield f"diff --git {old} {new}\n"
        if before is None:
            yield "new file mode 100644\n"
        if path in plan.renames:
            yield "similarity index 100%\n" if before == after else ""
            yield f"rename from {_quoted(plan.relative(path))}\n"
            yield f"rename to {_quoted(plan.relative(plan.renames[path]))}\n"
        if path in changed:
            mark = _mark(path)
            yield f"--- {_named(old) if before is not None else '/dev/null'}\n"
            yield f"+++ {_named(new)}\n"
            yield from _hunks(mark + before if before is not None else "", mark + after)


def _hunks(before: str, after: str) -> Iterator[str]:
    import difflib  # noqa: PLC0415 - only for a patch

    for line in list(difflib.unified_diff(_lines(before), _lines(after)))[2:]:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines as git breaks them: at line feeds alone."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _quoted(path: str) -> str:
    """A path as git writes it: in quotes where it has letters that would end or break the line."""
    if not any(letter < " " or letter in '"\\\x7f' or "\ud800" <= letter <= "\udfff" for letter in path):
        return path
    escapes = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    octal = "".join(
        escapes.get(chr(byte)) or (chr(byte) if " " <= chr(byte) < "\x7f" else f"\\{byte:03o}")
        for byte in os.fsencode(path)
    )
    return f'"{octal}"'


def _named(quoted: str) -> str:
    """A tab ends a name with blanks, as git has it."""
    return f"{quoted}\t" if " " in quoted and not quoted.startswith('"') else quoted
