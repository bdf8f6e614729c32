"""The files of a folder: git's own list where there is a repository, else a walk that heeds .gitignore.

Git is run with nothing of the repository's configuration that could start a program.
"""

from __future__ import annotations

import os
import subprocess
from operator import eq

from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from pathspec import GitIgnoreSpec

# Never entered, whatever git says: nobody wrote these files here.
FOREIGN = ("node_modules", ".git")
# A walk ends after so many files.
MOST_FILES = 500_000
# A partial clone would fetch what it has not.
GIT = (
    *("git", "--no-optional-locks"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"),
)
LISTING = ("ls-files", "-z")


class Listing:
    """The files of a folder. Git works from the beginning; each answer is waited for when it is asked for."""

    def __init__(self, root: str, *, is_trusted: bool = True) -> None:
        """Begin to list the files below ``root``.

        Without trust git is not run: a repository can name programs in more places than can be switched off.
        """
        self._root = root
        self._head = root.rstrip("/") + "/"
        # Apart: what is tracked is told at once, and for the rest git looks at the whole disk.
        self._tracked = start_git(root, *LISTING, "--cached") if is_trusted else None
        self._others = start_git(root, *LISTING, "--others", "--exclude-standard") if is_trusted else None
        self._known: list[str] | None = None
        self._all: list[str] | None = None

    def __enter__(self) -> Self:
        """List in a ``with`` block: at its end git is stopped, should nobody have waited for it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop git."""
        for process in (self._tracked, self._others):
            if process is not None and process.returncode is None:
                process.kill()
                process.communicate()

    def tracked(self) -> list[str]:
        """Those that git knows, as absolute paths, sorted; some may be gone. [] where there is no repository."""
        if self._known is None:
            self._known = self._paths(self._tracked)
        return self._known

    def files(self) -> list[str]:
        """All but what git ignores, as absolute paths, sorted."""
        if self._all is None:
            known, others = self.tracked(), self._paths(self._others)
            self._all = sorted([*known, *others]) if others else known or sorted(_walk(self._root))
        return self._all

    def _paths(self, process: subprocess.Popen[bytes] | None) -> list[str]:
        # By the file system's encoding, as every other path.
        names = _answer(process)[1] if process is not None else ""
        if not names:
            return []
        # One operation for all names wherever possible: there may be a hundred thousand.
        found = sorted((self._head + names.removesuffix("\0").replace("\0", "\0" + self._head)).split("\0"))
        if FOREIGN[0] in names:
            found = [path for path in found if FOREIGN[0] not in path[len(self._head) :].split("/")]
        if "/\0" in names:  # another repository inside of this one
            found = [path for path in found if path[-1] != "/"]
        # A conflict lists its file three times.
        return list(dict.fromkeys(found)) if any(map(eq, found, found[1:])) else found


def changed_since(root: str, revision: str) -> set[str]:
    """The files below ``root`` that differ from ``revision``, and those that git does not know yet.

    Raises:
        UsageError: there is no repository, or it has no such revision.
    """
    if revision.startswith("-"):
        raise UsageError(f"{revision} is no revision; name a commit, branch or tag with --changed.")
    compared = start_git(root, "diff-index", "--name-only", "--relative", "--ignore-submodules", "-z", revision, "--")
    others = start_git(root, *LISTING, "--others", "--exclude-standard")
    if compared is None or others is None:
        raise UsageError("--changed needs git; install it or check everything.")
    code, names = _answer(compared)
    _, new = _answer(others)
    if code != 0:
        raise UsageError(f"git knows no revision {revision} in {root}; name a commit, branch or tag with --changed.")
    head = root.rstrip("/") + "/"
    return {head + name for name in (names + new).split("\0") if name}


def start_git(root: str, *arguments: str) -> subprocess.Popen[bytes] | None:
    """Begin to run git in ``root``; None where there is no git."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        return subprocess.Popen(
            [*GIT, "-C", root, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
    except OSError:
        return None


def _answer(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    output, _ = process.communicate()
    return process.returncode, os.fsdecode(output) if process.returncode == 0 else ""


def _walk(root: str) -> list[str]:
    """Without git: every file but what a .gitignore leaves out, breadth first, and no more than a limit."""
    files: list[str] = []
    level: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [(root, ())]
    while level and len(files) < MOST_FILES:
        below = []
        for directory, above in level:
            try:
                with os.scandir(directory) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError:
                continue
            specs = above
            if any(entry.name == ".gitignore" for entry in entries):
                specs = (*above, (directory, _spec(os.path.join(directory, ".gitignore"))))
            for entry in entries:
                is_directory = entry.is_dir(follow_symlinks=False)
                if entry.name in FOREIGN or _is_ignored(entry.path, specs, is_directory=is_directory):
                    continue
                if is_directory:
                    below.append((entry.path, specs))
                else:
                    files.append(entry.path)
        level = below
    return files


def _spec(path: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only where there is no git

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 20).splitlines()
    except OSError:
        lines = []
    return ignore_patterns(lines) or GitIgnoreSpec([])


def ignore_patterns(lines: list[str]) -> GitIgnoreSpec | None:
    """Patterns as in .gitignore; a line that is none is passed over. None without any."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only where there are patterns

    good: list[str] = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        good.append(line)
    return GitIgnoreSpec.from_lines(good) if good else None


def _is_ignored(path: str, specs: tuple[tuple[str, GitIgnoreSpec], ...], *, is_directory: bool) -> bool:
    for base, spec in reversed(specs):
        relative = path[len(base.rstrip("/")) + 1 :] + ("/" if is_directory else "")
        include = spec.check_file(relative).include
        if include is not None:
            return include
    return False
