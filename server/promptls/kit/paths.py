"""Paths as the harnesses compute them. The disk is seen through the host only."""

from __future__ import annotations

from promptls.core.paths import (
    from_windows,
    is_absolute,
    is_below,
    is_windows,
    join,
    name,
    native,
    parent,
    path_key,
    relative,
    resolve,
    upwards,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host

# The rules of paths themselves are in core; harnesses have all of it from here.
__all__ = [
    "first_above",
    "from_windows",
    "git_root",
    "home_or",
    "is_absolute",
    "is_below",
    "is_below_file",
    "is_link",
    "is_url",
    "is_windows",
    "join",
    "name",
    "native",
    "parent",
    "path_key",
    "relative",
    "resolve",
    "upwards",
]


def first_above(host: Host, start: str, entry: str) -> str | None:
    """The first of ``start`` and the directories above it that has ``entry`` (a file or a directory)."""
    for directory in upwards(start):
        if host.kind(join(directory, entry)) is not None:
            return directory
    return None


def is_below_file(host: Host, path: str) -> bool:
    """Whether one of the directories of ``path`` is a file; nothing below one that is missing is looked at."""
    kinds = (host.kind(place) for place in reversed([*upwards(parent(path))]))
    return next((kind for kind in kinds if kind != "directory"), None) == "file"


def is_link(host: Host, path: str) -> bool:
    """Whether the last part of a path is a link."""
    return path_key(host.realpath(path)) != path_key(join(host.realpath(parent(path)), name(path)))


def git_root(host: Host, start: str) -> str | None:
    """What ``git rev-parse --show-toplevel`` says at or above ``start``, without running git; None outside of one.

    A ``.git`` directory that is no repository is skipped, as git does; a ``.git`` file without a target
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
    r"""``~/x`` against ``home``; None if ``entry`` does not begin with ``~/``, on Windows also ``~\``."""
    is_of_home = entry.startswith("~/") or (entry.startswith("~\\") and is_absolute(entry[1:], home))
    return resolve(home, entry[2:]) if is_of_home else None


def is_url(entry: str) -> bool:
    """Whether an ``instructions`` entry is a URL: by its lower-case scheme, as the harnesses test it."""
    return entry.startswith(("http://", "https://"))
