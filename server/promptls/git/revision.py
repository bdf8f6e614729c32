"""The disk as it was at a commit. What git tracks is answered from the commit, everything else from the disk.

A file that is neither in the commit nor ignored by git was not there. Repositories inside of this one, submodules
too, are as they are now. Nothing is checked out, and git runs none of the programs that a repository can name.
"""

from __future__ import annotations

import os
import stat
import sys
from functools import lru_cache

from promptls import git
from promptls.core import files
from promptls.core.files import Contents, DirectoryEntry, Info
from promptls.core.paths import join, parent, resolve
from promptls.core.values import dataclass, field, replace
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import NoReturn

    # Git's mode, and the name of the text.
    Blob = tuple[str, str]

HEAD = "HEAD"
# Directories whose files nobody wrote here.
FOREIGN = "node_modules"
LINK, SUBMODULE = "120000", "160000"
# As many links as the systems follow.
MOST_LINKS = 40
# Trees of commits that are kept: an editor asks for the same one again and again.
KEPT_TREES = 4
# Texts that are kept: most are the same in one commit and the next.
KEPT_TEXTS = 256
# Texts that are read before they are asked for, at most so many.
KEPT_AHEAD = 1_000
_AHEAD: dict[tuple[str, str], bytes] = {}


@dataclass(frozen=True, slots=True)
class Tree:
    """What a commit tracks, by path from the top of the repository: its files, and the names in each directory.

    A file is git's mode and the name of its text.
    """

    blobs: Mapping[str, Blob]
    directories: Mapping[str, tuple[str, ...]]

    def with_files(self, found: Mapping[str, Blob | None]) -> Tree:
        """The same with these files as they are there; None: there is none."""
        blobs, directories = dict(self.blobs), dict(self.directories)
        # First what goes: a file may take the place of a directory, and the other way round.
        for path in (path for path, blob in found.items() if blob is None):
            if blobs.pop(path, None) is not None:
                _drop(path, directories)
        for path, blob in found.items():
            if blob is not None:
                blobs[path] = blob
                _add(path, directories)
        return Tree(blobs, directories)


def _add(path: str, directories: dict[str, tuple[str, ...]]) -> None:
    """A file that is there; the names stay in the order of git, in which those of directories end with a slash."""
    while path:
        directory, _, name = path.rpartition("/")
        names = directories.get(directory)
        if names is None or name not in names:
            top = f"{directory}/" if directory else ""
            ordered = sorted(
                (*(names or ()), name),
                key=lambda each: os.fsencode(f"{each}/" if f"{top}{each}" in directories else each),
            )
            directories[directory] = tuple(ordered)
        path = directory if names is None else ""


def _drop(path: str, directories: dict[str, tuple[str, ...]]) -> None:
    """A file that is gone, with the directories that held nothing else."""
    while path:
        directory, _, name = path.rpartition("/")
        directories[directory] = tuple(each for each in directories[directory] if each != name)
        path = "" if directories[directory] else directory
        if path:
            del directories[path]


@dataclass(frozen=True, slots=True)
class Revision:
    """A repository at a commit; a ``Disk`` of ``core.host``. Two of the same commit are equal.

    ``tops`` are the paths of the repository: as it was named, and with its links resolved. ``git_directory`` is
    where git notes another commit.
    """

    tops: tuple[str, str]
    git_directory: str
    commit: str
    # Nothing of the folder is there but what the commit tracks.
    is_alone: bool = False
    # What the commit tracks, where that is known.
    known: Tree | None = field(default=None, compare=False, repr=False)

    def holds(self, path: str) -> bool:
        """Whether ``path`` is in the repository."""
        return self._below(path) is not None

    def stat_of(self, path: str) -> Info | None:
        """What is at ``path``, links followed; its number changes with its text."""
        real, inside = self._resolved(path)
        if inside is None:
            return files.stat_of(real)
        blob = self._text(inside)
        if blob is not None:
            return _stat(stat.S_IFREG, inside, blob, 0)
        if inside in self._tree.directories:
            now = files.stat_of(real)
            return _stat(stat.S_IFDIR, inside, self.commit, now.st_mtime_ns if now else 0)
        return files.stat_of(real) if self._untouched([real]) else None

    def read(self, path: str, *, info: Info | None = None) -> Contents:
        """The bytes at ``path``; of a large file only the first part. ``info`` is what is there."""
        real, inside = self._resolved(path)
        if inside is None:
            return files.read(real, info=info)
        blob = self._text(inside)
        if blob is not None:
            return _contents(self.tops[1], blob)
        if inside in self._tree.directories:
            return Contents("directory")
        return files.read(real) if self._untouched([real]) else Contents("missing")

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory; those of the commit by name, then those that git leaves alone."""
        real, inside = self._resolved(path)
        if inside is None:
            return files.entries(real)
        names = self._tree.directories.get(inside, ())
        tracked = [self._entry(name, f"{inside}/{name}".lstrip("/")) for name in names]
        others = [] if self.is_alone else [each for each in files.entries(real) if each.name not in names]
        kept = self._untouched(f"{real}/{each.name}" for each in others)
        return (*tracked, *(each for each in others if f"{real}/{each.name}" in kept))

    def realpath(self, path: str) -> str:
        """``path`` with every link resolved."""
        real, inside = self._resolved(path)
        if inside is None or inside not in self._tree.blobs:
            return files.realpath(real)
        return f"{self.tops[1]}/{inside}"

    def files(self, root: str) -> list[str]:
        """The files of the commit below ``root``, as absolute paths, sorted."""
        inside = self._below(root)
        if inside is None:
            return []
        head, cut = (f"{inside}/", len(inside) + 1) if inside else ("", 0)
        inner = [path[cut:] for path in self._tree.blobs if path.startswith(head)]
        return sorted([f"{root}/{path}" for path in inner if FOREIGN not in path or FOREIGN not in path.split("/")])

    def texts(self, paths: Iterable[str]) -> Iterator[str]:
        """Git's names of the texts of files that the commit tracks."""
        blobs = (self._tree.blobs.get(self._below(path) or "") for path in paths)
        yield from (name for _, name in filter(None, blobs))

    def has_directory(self, path: str) -> bool:
        """Whether the commit has files in the directory ``path``, as the repository is named with links resolved."""
        return path[len(self.tops[1]) + 1 :] in self._tree.directories

    def links(self) -> dict[str, str]:
        """Each link of the commit with where it leads."""
        paths = (f"{self.tops[1]}/{path}" for path, (mode, _) in self._tree.blobs.items() if mode == LINK)
        return {path: self._resolved(path)[0] for path in paths}

    @property
    def _tree(self) -> Tree:
        return self.known or _tree(self.tops[1], self.commit)

    def before(self, commit: str, was: Mapping[str, Blob | None]) -> Revision:
        """The same repository at another ``commit``, where these files are otherwise."""
        return replace(self, commit=commit, known=self._tree.with_files(was))

    def _text(self, inside: str) -> str | None:
        """Git's name of a file's text. A link that is still one when all are followed has no target."""
        mode, blob = self._tree.blobs.get(inside, (LINK, ""))
        return None if mode == LINK else blob

    def _entry(self, name: str, inside: str) -> DirectoryEntry:
        mode = self._tree.blobs.get(inside, ("", ""))[0]
        return DirectoryEntry(name, is_directory=mode in ("", SUBMODULE), is_link=mode == LINK)

    def _below(self, path: str) -> str | None:
        """``path`` from the top of the repository; None if it is not in it, or in git's own directory."""
        for top in self.tops:
            if path == top:
                return ""
            if path.startswith(top + "/"):
                inside = path[len(top) + 1 :]
                return None if inside.split("/", 1)[0] == ".git" else inside
        return None

    def _resolved(self, path: str) -> tuple[str, str | None]:
        """Where ``path`` leads when the commit's links are followed, and from the top of the repository, if in it."""
        inside = self._below(path)
        for _ in range(MOST_LINKS):
            if inside is None or inside in self._tree.directories:
                return path, inside
            for end in [*(i for i, letter in enumerate(inside) if letter == "/"), len(inside)]:
                mode, blob = self._tree.blobs.get(inside[:end], ("", ""))
                if mode == SUBMODULE:
                    return path, None
                if mode == LINK:
                    target = os.fsdecode(_contents(self.tops[1], blob).data)
                    place = parent(f"{self.tops[1]}/{inside[:end]}")
                    path = resolve(join(place, target), f".{inside[end:]}")
                    inside = self._below(path)
                    break
            else:
                return path, None if self._is_of_another(inside) else inside
        return path, inside

    def _is_of_another(self, inside: str) -> bool:
        """Whether a place that is not in the commit lies in another repository."""
        if self.is_alone:
            return False
        parts = inside.split("/")
        places = ("/".join((self.tops[1], *parts[:end], ".git")) for end in range(1, len(parts) + 1))
        return any(os.path.lexists(place) for place in places)

    def _untouched(self, paths: Iterable[str]) -> set[str]:
        """Those of ``paths``, none of them in the commit, that no commit changes: ignored, or another repository's."""
        there = [] if self.is_alone else [path for path in paths if os.path.lexists(path)]
        if not there:
            return set()
        given = b"".join(os.fsencode(path) + b"\0" for path in there)
        ignored = _output(self.tops[1], "check-ignore", "-z", "--stdin", given=given) or b""
        apart = {path for path in there if path.endswith("/.git") or os.path.lexists(f"{path}/.git")}
        return apart | {os.fsdecode(path) for path in ignored.split(b"\0") if path}


@dataclass(frozen=True, slots=True)
class Tracked:
    """The files of the folder ``root`` at a commit, for who would list those of a disk; as ``listing.Listing``."""

    at: Revision
    root: str
    _found: list[str] = field(default_factory=list, compare=False, repr=False)

    def tracked(self) -> list[str]:
        """All of them, as absolute paths, sorted."""
        if not self._found:
            self._found.extend(self.at.files(self.root))
        return self._found

    def files(self) -> list[str]:
        """The same: what git ignores is in no commit."""
        return self.tracked()


def revision(path: str, name: str = HEAD) -> Revision:
    """The repository that holds ``path``, which may be gone, at the commit that ``name`` names.

    Raises:
        UsageError: there is no git, no repository, no commit yet, or none of that name.
    """
    place = path
    while not os.path.isdir(place):
        place = parent(place)
    why = git.obstacle(place)
    if why == git.MISSING:
        raise UsageError(f"{why}, so {name} cannot be read; install git.")
    said = _output(place, "rev-parse", "--show-prefix", "--absolute-git-dir", "--show-toplevel")
    lines = os.fsdecode(said or b"").split("\n")
    if len(lines) != len(("prefix", "directory", "top", "")):
        why = f"{place} is not in a git repository" if why is None else why
        raise UsageError(f"{why}, so there is no {name}; choose a file in a repository.")
    prefix, directory, top = lines[:3]
    prefix = prefix.rstrip("/")
    named = place[: -len(prefix)].rstrip("/") if prefix and place.endswith("/" + prefix) else "" if prefix else place
    found = None
    if not name.startswith("-"):
        found = _output(top, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if found is None:
        _refuse(top, name)
    return Revision((named or top, top), directory, found.decode().strip())


def parting(path: str, before: str, after: str) -> str:
    """The commit from which two revisions went apart.

    Raises:
        UsageError: there is no such revision, or they have no commit in common.
    """
    one, other = revision(path, before), revision(path, after)
    found = _output(one.tops[1], "merge-base", one.commit, other.commit)
    if found is None:
        raise UsageError(f"{before} and {after} have no commit in common; a shallow clone may lack it: fetch more.")
    return found.decode().strip()


def _refuse(top: str, name: str) -> NoReturn:
    if _output(top, "rev-parse", "--verify", "--quiet", HEAD) is None:
        raise UsageError(f"The git repository {top} has no commits yet; commit something first.")
    raise UsageError(f"git has no revision {name} in {top}; pass a commit, branch or tag.")


@lru_cache(KEPT_TREES)
def _tree(top: str, commit: str) -> Tree:
    blobs: dict[str, tuple[str, str]] = {}
    names: dict[str, dict[str, None]] = {"": {}}
    listed = _output(top, "ls-tree", "-r", "-z", "--full-tree", commit)
    if listed is None:
        raise UsageError(
            f"Objects of {commit[:12]} are missing in {top}, and promptls does not fetch them; run “git fetch” first."
        )
    for line in os.fsdecode(listed).split("\0")[:-1]:
        about, _, path = line.partition("\t")
        mode, _, blob = about.split(" ")
        path = sys.intern(path)
        blobs[path] = (sys.intern(mode), blob)
        while path:
            directory, _, name = path.rpartition("/")
            is_known = directory in names
            names.setdefault(directory, {})[name] = None
            path = "" if is_known else directory
    return Tree(blobs, {directory: tuple(found) for directory, found in names.items()})


@lru_cache(KEPT_TEXTS)
def _contents(top: str, blob: str) -> Contents:
    """A text that git keeps; of a large one only the first part."""
    ahead = _AHEAD.pop((top, blob), None)
    if ahead is not None:
        return Contents("file", ahead, len(ahead))
    asked = git.start(top, "cat-file", "blob", blob)
    data = asked.answer(files.LARGE) if asked is not None else None
    if asked is not None and asked.is_cut:
        size = int(_output(top, "cat-file", "-s", blob) or 0)
        return Contents("file", asked.output[: files.KEPT_OF_LARGE], size)
    return Contents("unreadable") if data is None else Contents("file", data, len(data))


def read_ahead(top: str, names: Iterable[str]) -> None:
    """Read texts that will be asked for at once: git takes longer to start than to answer."""
    wanted = [each for each in dict.fromkeys(names) if (top, each) not in _AHEAD][:KEPT_AHEAD]
    for oldest in list(_AHEAD)[: max(0, len(_AHEAD) + len(wanted) - KEPT_AHEAD)]:
        del _AHEAD[oldest]
    given = "".join(f"{each}\n" for each in wanted).encode()
    data = (git.answer(top, "cat-file", "--batch", given=given) if wanted else None) or b""
    at = 0
    for each in wanted:
        end = data.find(b"\n", at)
        found, _, rest = data[at:end].partition(b" ")
        kind, _, size = rest.partition(b" ")
        if found.decode() != each or not size.isdigit():
            return  # it is missing, or nothing follows
        at = end + 1 + int(size)
        if kind == b"blob" and int(size) <= files.LARGE:
            _AHEAD[top, each] = data[end + 1 : at]
        at += 1


def _output(top: str, *arguments: str, given: bytes = b"") -> bytes | None:
    """What git says; None if it fails.

    Raises:
        UsageError: it gives no answer.
    """
    asked = git.start(top, *arguments, given=given)
    said = asked.answer() if asked is not None else None
    if asked is not None and asked.is_late:
        raise UsageError(f"git does not answer in {top}; look for unusual files there, or omit the revision.")
    return said


def _stat(kind: int, inside: str, number: str, changed: int) -> Info:
    """``number`` is hexadecimal; ``changed`` is in nanoseconds. Two files with the same text are not one."""
    # mode, inode, device, size, and the times of change
    return Info((kind | 0o644, int(number[:15], 16), hash(inside), 0, changed, changed))
