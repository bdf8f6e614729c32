"""A repository of ours that says the same as another one: its branch, its state and its last commits.

Git, run in the copy of a folder, must not read the folder's own ``.git``: its configuration can name programs. The
replica has a configuration of ours, the commits that a log shows, the trees of the last one, and an index in which
only what has changed is looked for.
"""

from __future__ import annotations

import os
import subprocess

from promptls import git
from promptls.core import files
from promptls.core.paths import is_below, parent
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from promptls.core.model import GitState

# Commits that a log shows; their parents decide over the order.
COMMITS = 5
# Seconds that git has for one step in a large repository.
SECONDS = 60.0
# Bytes of the commits and trees.
MOST = 256 * 1024 * 1024
CHANGED = "This file has been changed.\n"
# Where nothing of it is tracked, git names only a directory; this stands for what is in it.
PLACEHOLDER = "placeholder.txt"
_OPTIONS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of ``git status``: two letters and a path, relative to the top."""

    letters: str
    path: str


def build(top: str, root: str, state: GitState | None, may_stand: Callable[[str], bool]) -> bool:
    """Make a replica of the repository at ``top`` below ``root``, where a copy of its folder is; whether it is whole.

    ``state`` is what git says of it. Nothing that the repository configures is run. Files that the status names and
    the copy lacks are put there, with a text of ours.
    """
    own, shared = _directories(top)
    if state is None or own is None:
        mark(top, root)
        return False
    place = root + shared
    os.makedirs(f"{place}/objects/pack", exist_ok=True)
    os.makedirs(f"{place}/refs/heads", exist_ok=True)
    os.makedirs(f"{place}/info", exist_ok=True)
    _write(f"{place}/config", _configuration(top, state))
    _write(f"{place}/info/exclude", _excluded(top, shared))
    head = (_line(top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip()
    branch = _line(top, "symbolic-ref", "--quiet", "HEAD") or ""
    _write(f"{place}/packed-refs", "".join(f"{head} {ref}\n" for ref in _refs(top, branch)) if head else "")
    main = _line(top, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    if main:
        _write(f"{place}/refs/remotes/origin/HEAD", f"ref: {main}\n")
    if own != shared:
        os.makedirs(root + own, exist_ok=True)
        _write(f"{root}{own}/commondir", os.path.relpath(shared, own) + "\n")
        _write(f"{root}{own}/gitdir", f"{top}/.git\n")
        # What shows a repository in the directory that worktrees share.
        _write(f"{place}/HEAD", "ref: refs/heads/main\n")
    if files.kind_of(files.stat_of(f"{top}/.git")) == "file":
        # A worktree's, or a submodule's.
        _write(f"{root}{top}/.git", f"gitdir: {own}\n")
    _write(f"{root}{own}/HEAD", f"ref: {branch}\n" if branch else f"{head}\n")
    if head and not _copy_objects(top, head, shared, place):
        return False
    return _copy_index(top, root, root + own, place, may_stand)


def _directories(top: str) -> tuple[str | None, str]:
    """The directory of git for the folder at ``top``, and the one that worktrees share; None where there is none."""
    own = f"{top}/.git"
    if files.kind_of(files.stat_of(own)) == "directory":
        return files.realpath(own), files.realpath(own)
    found = _line(top, "rev-parse", "--absolute-git-dir")
    shared = _line(top, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return (found, shared) if found and shared else (None, "")


def mark(top: str, root: str) -> None:
    """Show below ``root`` that there is a repository at ``top``, and nothing of it."""
    path = f"{root}{top}/.git"
    if files.kind_of(files.stat_of(f"{top}/.git")) == "file":
        text = files.read(f"{top}/.git", git.LONGEST_POINTER).data.decode("utf-8", "replace")
        _write(path, text if text.startswith("gitdir:") else "")
        return
    for name in ("objects", "refs"):
        os.makedirs(f"{path}/{name}", exist_ok=True)
    _write(f"{path}/HEAD", "ref: refs/heads/main\n")


def _configuration(top: str, state: GitState) -> str:
    kind = _line(top, "rev-parse", "--show-object-format") or "sha1"
    version, extension = ("1", f"[extensions]\n\tobjectFormat = {kind}\n") if kind != "sha1" else ("0", "")
    quoted = (state.user or "").replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    user = f'[user]\n\tname = "{quoted}"\n' if state.user else ""
    # How short git writes the name of a commit depends on how many there are.
    lengths = [len(line.partition(" ")[0]) for line in state.log.splitlines()]
    short = f"\tabbrev = {min(lengths)}\n" if lengths else ""
    return f"[core]\n\trepositoryformatversion = {version}\n\tbare = false\n{short}{extension}{user}"


def _excluded(top: str, shared: str) -> str:
    """Patterns of files that git ignores, beside those in the folder: the user's own and the repository's."""
    own = _global(top, "config", "--global", "--type=path", "--get", "core.excludesFile")
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    places = (own or f"{base}/git/ignore", f"{shared}/info/exclude")
    return "\n".join(files.read(place).data.decode("utf-8", "replace") for place in places)


def _refs(top: str, branch: str) -> Iterator[str]:
    """The names that are asked for: the branch, and what origin may call its main one. Sorted."""
    usual = ("refs/remotes/origin/main", "refs/remotes/origin/master")
    remote = git.answer(top, "for-each-ref", "--format=%(refname)", *usual)
    main = _line(top, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    yield from sorted(filter(None, {branch, main, *(remote or b"").decode("utf-8", "replace").split()}))


def _copy_objects(top: str, head: str, shared: str, place: str) -> bool:
    """Copy the last commits, their parents, and the trees of the last one; whether that worked."""
    log = git.answer(top, "log", "--no-show-signature", "--format=%H %P", "-n", str(COMMITS), head)
    trees = git.answer(top, "rev-list", "--objects", "--no-object-names", "--filter=blob:none", "--no-walk", head)
    if log is None or trees is None:
        return False
    lines = [line.split() for line in log.decode("ascii", "replace").splitlines()]
    shown = {line[0] for line in lines}
    outside = sorted({each for line in lines for each in line[1:]} - shown)
    wanted = "\n".join((*sorted(shown), *outside)).encode() + b"\n" + trees
    pack = git.answer(top, "pack-objects", "--stdout", "-q", given=wanted, most=MOST)
    if pack is None or _own(top, place, "index-pack", "--stdin", given=pack) is None:
        return False
    # Commits without their parents: here, and in a clone that has only the last commits.
    cut = files.read(f"{shared}/shallow").data.decode("ascii", "replace").split()
    _write(f"{place}/shallow", "".join(f"{each}\n" for each in (*outside, *sorted(shown.intersection(cut)))))
    return True


def _copy_index(top: str, root: str, own: str, place: str, may_stand: Callable[[str], bool]) -> bool:
    """Write an index in which only what has changed is looked for, and put changed files in place."""
    filters = git.without_filters(top)
    staged = git.answer(top, "ls-files", "--stage", "-z")
    asked = git.start(top, *(filters or ()), "status", "--porcelain", "-z") if filters is not None else None
    said = asked.answer() if asked is not None else None
    if staged is None or said is None:
        return False
    entries = list(_entries(said))
    changed = {each.path for each in entries if each.letters[1] != " " or "U" in each.letters}
    for each in entries:
        if may_stand(f"{top}/{each.path}"):
            _put(each, top, root)
    paths = {record.partition(b"\t")[2] for record in staged.split(b"\0") if record}
    skipped = b"".join(path + b"\0" for path in sorted(paths) if os.fsdecode(path) not in changed)
    environment = {"GIT_INDEX_FILE": f"{own}/index", "GIT_WORK_TREE": root + top}
    if own != place:
        environment["GIT_COMMON_DIR"] = place
    is_done = _own(top, own, "update-index", "-z", "--index-info", given=staged, **environment) is not None
    if skipped and is_done:
        arguments = ("update-index", "-z", "--skip-worktree", "--stdin")
        is_done = _own(top, own, *arguments, given=skipped, **environment) is not None
    return is_done


def _entries(said: bytes) -> Iterator[_Entry]:
    records = iter(said.split(b"\0"))
    for record in records:
        if not record:
            continue
        letters = record[:2].decode("ascii", "replace")
        yield _Entry(letters, os.fsdecode(record[3:]))
        if "R" in letters or "C" in letters:
            next(records, None)


def _put(entry: _Entry, top: str, root: str) -> None:
    """Put a file into the copy that the status names, if it is not there; take one away that is gone."""
    path = f"{root}{top}/{entry.path}"
    if entry.letters[1] == "D" or not is_below(os.path.normpath(path), root):
        return
    if entry.letters == "??" and entry.path.endswith("/"):
        if not os.path.isdir(path) or not os.listdir(path):
            _write(f"{path}{PLACEHOLDER}", "")
    elif (entry.letters[1] != " " or "U" in entry.letters) and not os.path.lexists(path):
        _write(path, "" if entry.letters == "??" else CHANGED)


def _own(top: str, directory: str, *arguments: str, given: bytes, **environment: str) -> bytes | None:
    """What git says in a repository of ours; None if it fails. It is no git of the folder at ``top``."""
    path = git.program(git.PROGRAM, top)
    if path is None:
        return None
    try:
        ran = subprocess.run(
            [path, *_OPTIONS, f"--git-dir={directory}", *arguments],
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=parent(directory),
            env={**git.environment(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, **environment},
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout


def _global(top: str, *arguments: str) -> str | None:
    """What git says of the user's own settings. It is no git of the folder at ``top``."""
    path = git.program(git.PROGRAM, top)
    return None if path is None else _output_of([path, *arguments])


def _output_of(command: Iterable[str]) -> str | None:
    try:
        ran = subprocess.run(
            [*command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=git.environment(),
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return os.fsdecode(ran.stdout).strip() or None


def _line(top: str, *arguments: str) -> str | None:
    """One line that git says of a repository; None if it fails or says nothing."""
    said = git.answer(top, *arguments)
    return os.fsdecode(said).strip() or None if said is not None else None


def _write(path: str, text: str) -> None:
    os.makedirs(parent(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
