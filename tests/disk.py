"""A disk in memory, of POSIX or of Windows: for a host, what the module ``core.files`` is for the real disk."""

from __future__ import annotations

import stat
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from promptls.core import files
from promptls.core.files import KEPT_OF_LARGE, LARGE, Contents, DirectoryEntry, Info
from promptls.core.paths import is_below, join, name, parent, path_key, resolve

MOST_LINKS = 40
# Long ago, so that a time stamp tells whether anything has changed.
THEN = 1_600_000_000


@dataclass(frozen=True)
class Link:
    """A symbolic link, and where it leads."""

    target: str


@dataclass
class MemoryDisk:
    """Files by absolute path, as ``core.paths`` has it: bytes, or a link. Directories are made as they are needed.

    On Windows the letter case of a path does not count, and every file keeps its own.
    """

    _places: dict[str, tuple[str, bytes | Link | None]] = field(default_factory=dict)
    # What is in a directory, what a link leads to, and the number of each file.
    _inside: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _links: dict[str, Link] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def add(self, path: str, content: bytes | Link | None) -> None:
        """Put a file, a link or, with None, a directory there."""
        key, above = path_key(path), parent(path)
        self._places[key] = (path, content)
        self._numbers.setdefault(key, len(self._numbers) + 1)
        if isinstance(content, Link):
            self._links[key] = content
        else:
            self._links.pop(key, None)
        if above != path:
            self._inside[path_key(above)].add(key)
            if path_key(above) not in self._places:
                self.add(above, None)

    def stat_of(self, path: str) -> Info | None:
        """What is at ``path``, links followed."""
        found = self._places.get(path_key(self._followed(path)))
        if found is None or isinstance(found[1], Link):
            return None
        size = len(found[1]) if found[1] is not None else 0
        kind = stat.S_IFDIR if found[1] is None else stat.S_IFREG
        number = self._numbers[path_key(found[0])]
        return Info((kind | 0o644, number, 1, size, THEN * 1_000_000_000, THEN * 1_000_000_000))

    def read(self, path: str, *, info: Info | None = None) -> Contents:
        """The bytes at ``path``, links followed."""
        assert info == self.stat_of(path)
        real = self._followed(path)
        _, content = self._places.get(path_key(real), ("", Link("")))
        if isinstance(content, Link):
            return Contents("broken-link" if path_key(path) in self._places else "missing")
        if content is None:
            return Contents("directory")
        return Contents("file", content if len(content) <= LARGE else content[:KEPT_OF_LARGE], len(content))

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory, by name."""
        inside = [self._places[key] for key in self._inside.get(path_key(self._followed(path)), ())]
        return tuple(
            DirectoryEntry(name(each), content is None, isinstance(content, Link)) for each, content in sorted(inside)
        )

    def realpath(self, path: str) -> str:
        """``path`` with its links resolved; on Windows in the letter case of the disk."""
        real = self._followed(path)
        return self._places.get(path_key(real), (real, None))[0]

    def _followed(self, path: str) -> str:
        path = resolve(path, ".")
        for _ in range(MOST_LINKS):
            above = [link for link in self._links if is_below(path_key(path), link)]
            if not above:
                return path
            # From the top down: the first link is followed first.
            link = min(above, key=len)
            path = resolve(join(parent(self._places[link][0]), self._links[link].target), f"./{path[len(link) :]}")
        return path


@dataclass(frozen=True)
class Drive:
    """The real disk as drive C: of Windows, where letter case counts all the same; with "" as what it is.

    Each disk lists a directory in an order of its own: here the names in ``first`` come first, in their order, and the
    others by name.
    """

    drive: str = "C:"
    first: tuple[str, ...] = ()

    def real(self, path: str) -> str:
        """Where ``path`` really is."""
        return path.removeprefix(self.drive)

    def seen(self, path: str) -> str:
        """The path of what is at ``path``."""
        return f"{self.drive}{path}"

    def stat_of(self, path: str) -> Info | None:
        """What is at ``path``, links followed."""
        return files.stat_of(self.real(path))

    def read(self, path: str, *, info: Info | None = None) -> Contents:
        """The bytes at ``path``."""
        return files.read(self.real(path), info=info)

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory."""
        found = files.entries(self.real(path))
        at = {each: number for number, each in enumerate(self.first)}
        return tuple(sorted(found, key=lambda each: (at.get(each.name, len(at)), each.name)))

    def realpath(self, path: str) -> str:
        """``path`` with its links resolved."""
        return self.seen(files.realpath(self.real(path)))


@dataclass(frozen=True)
class Place(Drive):
    """The real disk, where the directory ``directory`` is seen at ``at``, so that it has the same path everywhere."""

    drive: str = ""
    directory: str = "/"
    at: str = "/"

    def real(self, path: str) -> str:
        """Where ``path`` really is."""
        return _moved(path, self.at, self.directory)

    def seen(self, path: str) -> str:
        """The path of what is at ``path``."""
        return _moved(path, files.realpath(self.directory), self.at)


def _moved(path: str, old: str, new: str) -> str:
    return new + path.removeprefix(old) if is_below(path, old) else path


def disk_of(texts: Mapping[str, str | bytes | Link | None]) -> MemoryDisk:
    """A disk with these files; text is UTF-8."""
    disk = MemoryDisk()
    for path, content in texts.items():
        disk.add(path, content.encode() if isinstance(content, str) else content)
    return disk
