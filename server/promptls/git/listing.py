"""The files of a folder: git's own list where there is a repository, else a walk that heeds .gitignore."""

from __future__ import annotations

import os
import time
from operator import eq

from promptls import git
from promptls.core import files
from promptls.core.formats.patterns import ignoring
from promptls.core.paths import join
from promptls.core.text import decode
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from pathspec import GitIgnoreSpec

# Never entered, whatever git says: nobody wrote these files here.
FOREIGN = ("node_modules", ".git")
# A walk ends after so many files.
MOST_FILES = 500_000
# Git waits for a .gitignore that is a FIFO: after so many seconds it is looked for.
WAIT = 2.0
# The share of the limit that the second answer has at least, should this process have been busy meanwhile.
LEAST = 0.1
# So much of a .gitignore is read.
MOST_PATTERNS = 1 << 20
LISTING = ("ls-files", "-z")


class Listing:
    """The files of a folder. Git works from the beginning; each answer is waited for when it is asked for."""

    def __init__(self, root: str, *, is_trusted: bool = True) -> None:
        """Begin to list the files below ``root``.

        Without trust git is not run: a repository can name programs in more places than can be switched off.
        """
        self._root = root
        self._head = root.rstrip("/") + "/"
        self._is_trusted = is_trusted
        # Apart: git lists at once what is tracked; for the rest it looks at the whole disk.
        self._tracked = git.start(root, *LISTING, "--cached") if is_trusted else None
        self._others = git.start(root, *LISTING, "--others", "--exclude-standard") if is_trusted else None
        self._until: float | None = None
        self._tracked_paths: list[str] | None = None
        self._all: list[str] | None = None

    def __enter__(self) -> Self:
        """List in a ``with`` block: at its end git is stopped, should nobody have waited for it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop git."""
        for each in (self._tracked, self._others):
            if each is not None:
                each.stop()

    def tracked(self) -> list[str]:
        """Those that git knows, as absolute paths, sorted; some may be gone. [] where there is no repository."""
        if self._tracked_paths is None:
            self._tracked_paths = self._paths(self._tracked)
        return self._tracked_paths

    def files(self) -> list[str]:
        """All but what git ignores, as absolute paths, sorted."""
        if self._all is None:
            known, others = self.tracked(), self._untracked()
            if others is None:
                self._all = sorted({*known, *_walk(self._root)})
            else:
                self._all = sorted([*known, *others]) if others else known or sorted(_walk(self._root))
        return self._all

    @property
    def note(self) -> str | None:
        """Why the files of a repository are not those that git lists, in a sentence; None if they are."""
        if not self._is_trusted or git.top_of(self._root) is None:
            return None
        why = git.obstacle(self._root)
        if why == git.MISSING:
            return None
        if why is None and not any(each is None or each.is_late for each in (self._tracked, self._others)):
            return None
        return f"{why or git.LATE}, so the files of {self._root} are listed without git."

    def _untracked(self) -> list[str] | None:
        """Those that git does not know and does not ignore; None where it does not say."""
        if self._others is None or (self._tracked is not None and self._tracked.is_late):
            return None
        if not self._others.wait(WAIT) and _has_odd_patterns(self._root):
            self._others.leave()
        return None if self._others.is_late else self._paths(self._others)

    def _left(self) -> float:
        """The seconds that git has left: for both answers together, from when the first is asked for."""
        if self._until is None:
            self._until = time.monotonic() + git.LIMIT
            if self._others is not None:
                self._others.wait(0)  # who is heard is not held up by a full pipe
        return max(self._until - time.monotonic(), LEAST * git.LIMIT)

    def _paths(self, asked: git.Git | None) -> list[str]:
        # By the file system's encoding, as every other path.
        names = os.fsdecode((asked.answer(seconds=self._left()) if asked is not None else None) or b"")
        if not names:
            return []
        # One operation for all names wherever possible: there may be a hundred thousand.
        paths = names.replace("\0", "\0" + self._head).split("\0")
        # The first had nothing before it, and nothing follows the last.
        found = sorted([self._head + paths[0], *paths[1:-1]])
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
        raise UsageError(f"{revision} is not a revision; pass a commit, branch or tag to --changed.")
    why = git.obstacle(root)
    if why == git.MISSING:
        raise UsageError("--changed needs git; install git, or check everything without --changed.")
    if why is not None and git.top_of(root) is not None:
        raise UsageError(f"{why}, so {revision} cannot be compared; check everything without --changed.")
    without = git.without_filters(root)
    if without is None and git.obstacle(root) == git.LATE:
        raise UsageError(f"{git.LATE} in {root}; check everything without --changed.")
    if without is None:
        raise UsageError(f"The git filters of {root} cannot be switched off; check everything without --changed.")
    compared = git.start(
        *(root, *without, "diff-index", "--name-only", "--relative", "--ignore-submodules"),
        *("--no-ext-diff", "--no-textconv", "-z", revision, "--"),
    )
    others = git.start(root, *LISTING, "--others", "--exclude-standard")
    names = compared.answer() if compared else None
    new = others.answer() if others else None
    if any(each is not None and each.is_late for each in (compared, others)):
        raise UsageError(f"{git.LATE} in {root}; check everything without --changed.")
    if names is None:
        raise UsageError(f"git has no revision {revision} in {root}; pass a commit, branch or tag to --changed.")
    head = root.rstrip("/") + "/"
    return {head + name for name in os.fsdecode(names + (new or b"")).split("\0") if name}


def _has_odd_patterns(root: str) -> bool:
    """Whether some .gitignore is one that git would wait for."""
    for directory, _, names in os.walk(root):
        for name in set(git.PATTERNS).intersection(names):
            if files.kind_of(files.stat_of(os.path.join(directory, name))) == "special":
                return True
    return False


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
                specs = (*above, (directory, _spec(join(directory, ".gitignore"))))
            for entry in entries:
                is_directory = entry.is_dir(follow_symlinks=False)
                path = join(directory, entry.name)
                if entry.name in FOREIGN or _is_ignored(path, specs, is_directory=is_directory):
                    continue
                if is_directory:
                    below.append((path, specs))
                else:
                    files.append(path)
        level = below
    return files


def _spec(path: str) -> GitIgnoreSpec:
    lines = decode(files.read(path, MOST_PATTERNS).data, keep_bom=False).split("\n")
    return ignoring(lines, posix_classes=True)


def _is_ignored(path: str, specs: tuple[tuple[str, GitIgnoreSpec], ...], *, is_directory: bool) -> bool:
    for base, spec in reversed(specs):
        relative = path[len(base.rstrip("/")) + 1 :] + ("/" if is_directory else "")
        include = spec.check_file(relative).include
        if include is not None:
            return include
    return False
