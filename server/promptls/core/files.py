"""The file system: reads paths without ever raising, blocking or reading too much."""

from __future__ import annotations

import os
import stat
from operator import attrgetter, itemgetter

from promptls.core.lazy import regex
from promptls.core.paths import LONGEST, from_windows, parent
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["file", "directory", "special"]
    State = Literal["file", "missing", "broken-link", "directory", "special", "unreadable", "spared"]

# Of a larger file, only the first part is read, and the preview says that this limit is ours.
LARGE = 4 * 1024 * 1024
KEPT_OF_LARGE = 1024 * 1024
# A variable with the folder that paths in arguments must lie in: that of `promptls mcp`, where an agent names them.
ONLY_BELOW = "PROMPTLS_ONLY_BELOW"
# What is read at first of a file whose front matter alone is asked for; that of few is longer.
HEAD = 2048
# It begins and ends with a line of three dashes and nothing else, and there is a line between the two.
_FRONT_MATTER = regex(rb"---\r?\n(?:[^\n]*\n)+?---\r?\n")
# Opening a FIFO does not wait for somebody to write.
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
WINDOWS = os.name == "nt"
# A file changed this shortly before it was looked at may change again without a new time stamp (ns).
RACY = 50_000_000


@dataclass(frozen=True, slots=True)
class Contents:
    """The result of reading one path.

    ``special`` is a FIFO, socket or device (never opened); ``unreadable`` is no permission or a failing disk;
    ``spared`` was not opened because its text is not needed.
    ``size`` is the size in bytes; ``data`` is shorter where the limit of ours applied.
    """

    state: State
    data: bytes = b""
    size: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether only the first part was read."""
        return len(self.data) < self.size


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """An entry of a directory: its name and what it is; ``is_directory`` does not follow links."""

    name: str
    is_directory: bool
    is_link: bool


class Info(tuple[int, ...]):
    """What of ``os.stat`` changes when a file does. The result itself is five times as large."""

    __slots__ = ()
    st_mode, st_ino, st_dev, st_size, st_mtime_ns, st_ctime_ns = map(property, map(itemgetter, range(6)))


_KEPT = attrgetter("st_mode", "st_ino", "st_dev", "st_size", "st_mtime_ns", "st_ctime_ns")


def stat_of(path: str) -> Info | None:
    """``os.stat``, links followed; None if there is nothing, or it cannot be determined."""
    try:
        return Info(_KEPT(os.stat(path)))
    except (OSError, ValueError):
        return None


def is_missing(path: str) -> bool:
    """Whether ``stat_of`` would find nothing: for a path that hardly ever is there, a quarter of its price."""
    try:
        return not os.access(path, os.F_OK)
    except ValueError:
        return True


def kind_of(info: Info | None) -> Kind | None:
    """The result of ``stat_of``."""
    if info is None:
        return None
    if stat.S_ISREG(info.st_mode):
        return "file"
    return "directory" if stat.S_ISDIR(info.st_mode) else "special"


def read(path: str, most: int = LARGE, info: Info | None = None) -> Contents:
    """The bytes at ``path``, links followed; of a file over ``most`` bytes only the first part.

    ``info`` is what is there, if that is known already.
    """
    found = kind_of(info or stat_of(path))
    if found is None:
        return Contents(_why_nothing(path))
    if found != "file":
        return Contents(found)
    try:
        # Checked again: the file may have become a FIFO in the meantime.
        handle = os.open(path, FLAGS)
    except FileNotFoundError:
        return Contents("missing")
    except OSError:
        return Contents("unreadable")
    try:
        now = os.fstat(handle)
        if not stat.S_ISREG(now.st_mode):
            return Contents("special")
        if now.st_size > most:
            return Contents("file", _bytes(handle, min(most, KEPT_OF_LARGE), KEPT_OF_LARGE), now.st_size)
        data = _bytes(handle, most, now.st_size + 1)
        return Contents("file", data, len(data))
    except OSError:
        return Contents("unreadable")
    finally:
        os.close(handle)


def _bytes(handle: int, most: int, likely: int) -> bytes:
    """Up to ``most`` bytes, ``likely`` at first: a buffer for more takes longer to make than the file to read."""
    data = os.read(handle, min(likely, most))
    # A file such as those in /proc contains more than its size says.
    while len(data) == likely < most:
        likely = min(likely + KEPT_OF_LARGE, most)
        data += os.read(handle, likely - len(data))
    return data


def head(path: str) -> bytes | None:
    """The front matter of the regular file at ``path``, read and no more; None where that does not show its end."""
    try:
        handle = os.open(path, FLAGS)  # a FIFO that has taken its place meanwhile gives nothing, at once
    except OSError:
        return None
    try:
        return head_of(os.read(handle, HEAD))
    except OSError:
        return None
    finally:
        os.close(handle)


def head_of(data: bytes) -> bytes | None:
    """``data`` to the end of its front matter, None where not every harness would find that in the same place."""
    found = _FRONT_MATTER.match(data, 0, HEAD)
    return found[0] if found else None


def starts_with(path: str, head: bytes) -> bool:
    """Whether the regular file at ``path`` starts with ``head``."""
    return read(path, len(head)).data == head


def entries(path: str) -> tuple[DirectoryEntry, ...]:
    """The entries of a directory in the order of the disk; () if it is not a directory or cannot be read."""
    try:
        with os.scandir(path) as found:
            return tuple([DirectoryEntry(e.name, e.is_dir(follow_symlinks=False), e.is_symlink()) for e in found])
    except (OSError, ValueError):
        return ()


def from_system(path: str) -> str:
    """A path as this system writes it, as ``core.paths`` has it."""
    return from_windows(path) if WINDOWS else path


def expand_home(path: str) -> str:
    """``path`` with a leading ``~`` or ``~name`` expanded, if possible."""
    try:
        return from_system(os.path.expanduser(path))
    except ValueError:
        return path


def is_link(path: str) -> bool | None:
    """Whether ``path`` is a symbolic link; None if nothing is there, or it cannot be determined."""
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return None


def target_of(path: str) -> str | None:
    """Where a symbolic link says that it leads; None if it is none."""
    try:
        return from_system(os.readlink(path))
    except (OSError, ValueError):
        return None


def realpath(path: str) -> str:
    """``path`` with its links resolved, as far as possible."""
    # Nothing is at a longer path, and each of its directories would be looked at.
    path = path if len(path) <= LONGEST else from_system(os.path.normpath(path))
    head = path if len(path) <= LONGEST else parent(path[:LONGEST])
    try:
        return from_system(os.path.realpath(head)) + path[len(head) :]
    except (OSError, ValueError):
        return path


def _why_nothing(path: str) -> State:
    try:
        info = os.lstat(path)
    except PermissionError:
        return "unreadable"
    except (OSError, ValueError):
        return "missing"
    return "broken-link" if stat.S_ISLNK(info.st_mode) else "missing"
