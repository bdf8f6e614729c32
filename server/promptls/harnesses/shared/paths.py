"""Paths as the harnesses compute them: strings, by JavaScript's POSIX rules. The disk is seen through the host only."""

from __future__ import annotations

import posixpath

from promptls.core.files import LONGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host


def resolve(base: str, path: str) -> str:
    """``path.resolve(base, path)``: absolute, without ``.`` and ``..``, links as they are."""
    joined = posixpath.normpath(posixpath.join(base, path))
    return joined[1:] if joined.startswith("//") else joined


def parent(path: str) -> str:
    """The directory that holds ``path``; ``/`` holds itself."""
    at = path.rfind("/")
    # Nearly every path, and in a large tree a tenth of the time.
    return path[:at] if at > 0 and path[at - 1] != "/" else posixpath.dirname(path)


def name(path: str) -> str:
    """The last component."""
    return posixpath.basename(path)


def join(directory: str, *names: str) -> str:
    """``directory`` with ``names`` below it."""
    if len(names) == 1 and directory[-1:] not in ("/", "") and names[0][:1] != "/":
        return f"{directory}/{names[0]}"  # the same, as above
    return posixpath.join(directory, *names)


def is_below(path: str, directory: str) -> bool:
    """Whether ``path`` is ``directory`` or stands somewhere in it."""
    return path == directory or path.startswith(directory if directory.endswith("/") else directory + "/")


def upwards(start: str, stop: str | None = None) -> Iterator[str]:
    """``start`` and each directory above it, up to and including ``stop`` (else the root).

    Directories between the two whose path is longer than a path can be are left out.
    """
    directory = start if len(start) <= LONGEST or start == stop else parent(start[:LONGEST])
    while True:
        yield directory
        above = parent(directory)
        if directory in (stop, above):
            return
        directory = above


def first_above(host: Host, start: str, entry: str) -> str | None:
    """The first of ``start`` and the directories above it that has ``entry`` (a file or a directory)."""
    for directory in upwards(start):
        if host.kind(join(directory, entry)) is not None:
            return directory
    return None


def git_root(host: Host, start: str) -> str | None:
    """What ``git rev-parse --show-toplevel`` says at or above ``start``, without running git; None outside of one.

    A ``.git`` directory that is no repository is passed over, as git does; a ``.git`` file that leads nowhere
    makes git fail.
    """
    for directory in upwards(start):
        git = join(directory, ".git")
        kind = host.kind(git)
        if kind == "directory" and host.kind(join(git, "HEAD")) == "file" and host.kind(join(git, "objects")):
            return directory
        if kind == "file":
            head, _, there = host.read(git).data.decode("utf-8", "replace").partition(":")
            is_repository = head == "gitdir" and host.kind(join(resolve(directory, there.strip()), "HEAD"))
            return directory if is_repository else None
    return None


def home_or(home: str, entry: str) -> str | None:
    """``~/x`` against ``home``; None if ``entry`` does not begin with ``~/``."""
    return resolve(home, entry[2:]) if entry.startswith("~/") else None


def is_url(entry: str) -> bool:
    """Whether an ``instructions`` entry is a URL: by its lower-case scheme, as the harnesses test it."""
    return entry.startswith(("http://", "https://"))
