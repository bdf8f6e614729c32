"""Which problems of a folder are requested: of the paths that are named, and of files that have changed."""

from __future__ import annotations

import os
import posixpath
from functools import lru_cache

from promptls.core import files
from promptls.core.paths import join, name, parent
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.git.listing import changed_since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Problem


@dataclass(frozen=True, slots=True)
class Requested:
    """The ``paths`` to check, files and directories in the folder ``root``; if given, only files in ``changed`` count.

    A file is checked with its folder, several paths with the nearest folder that holds all of them.
    """

    paths: tuple[str, ...]
    root: str
    changed: frozenset[str] | None = None

    def holds(self, path: str) -> bool:
        """Whether a file is one of those that are named, or in one of the directories."""
        is_named = any(path == each or path.startswith(each.rstrip("/") + "/") for each in self.paths)
        return is_named and (self.changed is None or path in self.changed)

    def is_whole(self) -> bool:
        """Whether everything in the folder is requested."""
        return self.paths == (self.root,)

    def meant(self, host: Host) -> Callable[[Problem], bool]:
        """Whether a problem is requested: of a file that is, or with one that has changed or is missing."""
        of_any = Requested(self.paths, self.root)
        changed = self.changed
        gone = [each for each in changed or () if host.kind(each) is None]

        def is_meant(problem: Problem) -> bool:
            places = {problem.path, *(each.path for each in problem.related)}
            # What is wrong with a session is reported where the settings say it, not of the folder.
            return (
                problem.path != self.root
                and of_any.holds(problem.path)
                and (changed is None or not places.isdisjoint(changed) or (bool(gone) and _misses(problem, gone, host)))
            )

        return is_meant


def requested(paths: Sequence[str], revision: str | None) -> Requested:
    """What the absolute ``paths`` ask for; with a ``revision``, only what differs from it.

    Raises:
        UsageError: there is no such revision.
    """
    real = tuple(dict.fromkeys(map(_real, paths)))
    folders = [each if os.path.isdir(each) else parent(each) for each in real]
    root = folders[0] if len(set(folders)) == 1 else posixpath.commonpath(folders)
    return Requested(real, root, frozenset(changed_since(root, revision)) if revision is not None else None)


def _real(path: str) -> str:
    # Harnesses see a directory by its own path, whatever links lead to it; a file may be a link.
    return files.realpath(path) if os.path.isdir(path) else join(files.realpath(parent(path)), name(path))


@lru_cache(maxsize=4)
def _lines(data: bytes) -> LineIndex:
    return LineIndex(decode(data, keep_bom=False))


def _misses(problem: Problem, gone: list[str], host: Host) -> bool:
    """Whether, judging by its place, a problem is that one of the files is missing."""
    if host.realpath(problem.path) in gone:
        return True
    index = _lines(host.read(problem.path).data)
    where = problem.range
    start = index.offset(where.start_line, where.start_character)
    named = index.text[start : index.offset(where.end_line, where.end_character)].strip("\"'`<>@").partition("#")[0]
    return bool(named) and any(each.endswith("/" + posixpath.normpath(named).lstrip("./")) for each in gone)
