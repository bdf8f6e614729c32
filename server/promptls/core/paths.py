"""Paths as strings, by the rules of their system. They are written with ``/`` everywhere.

A path of Windows is ``C:/Users/x`` or ``//server/share/x``. No absolute path of another system begins like that, so a
path itself says whose rules it follows; a relative one follows those of the directory that it starts in.
"""

from __future__ import annotations

import posixpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# Linux knows no longer path, other systems none nearly as long.
LONGEST = 4096


def is_windows(path: str) -> bool:
    """Whether ``path``, an absolute one, is of Windows."""
    return path[1:3] == ":/" or path[:2] == "//"


def from_windows(text: str) -> str:
    r"""A path as Windows writes it, such as ``c:\Users`` or ``\\?\C:\Users``, as it is written here: ``C:/Users``."""
    path = text.replace("\\", "/")
    if path.startswith(("//?/", "//./")):
        path = "//" + path[8:] if path[4:8].upper() == "UNC/" else path[4:]
    if path[1:2] == ":":
        return path[:1].upper() + (":" if path[2:3] == "/" else ":/") + path[2:]
    return path.rstrip("/") if path.startswith("//") else path


def native(path: str, like: str | None = None) -> str:
    """``path`` as the programs of its system write it; a relative one as that of ``like``."""
    return path.replace("/", "\\") if is_windows(like or path) else path


def path_key(path: str) -> str:
    """The same text for every spelling of an absolute path: on Windows, letter case does not count."""
    slashed = from_windows(path)
    return slashed.rstrip("/").lower() if is_windows(slashed) else path


def is_absolute(text: str, like: str) -> bool:
    """Whether ``text``, which somebody wrote, is an absolute path where ``like`` is one."""
    if not is_windows(like):
        return text.startswith("/")
    return text[:1] in ("/", "\\") or (text[1:2] == ":" and text[2:3] in ("/", "\\"))


def resolve(base: str, path: str) -> str:
    """``path.resolve(base, path)``: absolute, without ``.`` and ``..``, links as they are."""
    if is_windows(base):
        import ntpath  # noqa: PLC0415 - only on Windows

        return from_windows(ntpath.normpath(ntpath.join(base, path)))
    # Most paths are absolute and plain; a folder's check may read thousands.
    if path.startswith("/") and "/." not in path and "//" not in path and path[-1] != "/":
        return path
    joined = posixpath.normpath(posixpath.join(base, path))
    return joined[1:] if joined.startswith("//") else joined


def parent(path: str) -> str:
    """The directory that holds ``path``; ``/`` holds itself, and so does ``C:/``."""
    at = path.rfind("/")
    # Nearly every path, and in a large tree a tenth of the time.
    if at > 0 and path[at - 1] not in "/:":
        return path[:at]
    return path[:3] if path[1:3] == ":/" else posixpath.dirname(path)


def name(path: str) -> str:
    """The last component."""
    return path[path.rfind("/") + 1 :]


def join(directory: str, *names: str) -> str:
    """``directory`` with ``names`` below it."""
    if len(names) == 1 and directory[-1:] not in ("/", "") and names[0][:1] != "/" and names[0][1:2] != ":":
        return f"{directory}/{names[0]}"  # the same, as above
    if is_windows(directory):
        import ntpath  # noqa: PLC0415 - only on Windows

        return from_windows(ntpath.join(directory, *names))
    return posixpath.join(directory, *names)


def is_below(path: str, directory: str) -> bool:
    """Whether ``path`` is ``directory`` or is somewhere in it."""
    if path == directory or path.startswith(directory if directory.endswith("/") else directory + "/"):
        return True
    # The second letter rules out nearly every path of POSIX.
    return path[1:2] in (":", "/") and is_windows(path) and (path_key(path) + "/").startswith(path_key(directory) + "/")


def relative(path: str, base: str) -> str:
    """``path`` from ``base``, with ``..`` for what is outside; ``path`` itself where no way leads there."""
    if not is_windows(base):
        return posixpath.relpath(path, base)
    import ntpath  # noqa: PLC0415 - only on Windows

    try:
        return ntpath.relpath(path, base).replace("\\", "/")
    except ValueError:  # another drive
        return path


def with_relative(text: str, base: str, home: str = "") -> str:
    """A sentence with the paths below ``base`` in it relative to it, and those below ``home`` from there."""
    import re  # noqa: PLC0415 - not needed for a path

    # Of the root, every path is below it. Most sentences name no path, and there may be many.
    if not base.endswith("/") and f"{base}/" in text:
        text = re.sub(rf"(?<![\w./-]){re.escape(base)}/", "", text)
    if len(home) > 1 and f"{home}/" in text:
        text = re.sub(rf"(?<![\w./-]){re.escape(home)}/", "~/", text)
    return text


def from_home(text: str, home: str) -> str:
    """``text`` with each path below the home directory as people write it; "" for no home."""
    below = home.rstrip("/")
    return text.replace(f"{below}/", "~/") if below else text


def upwards(start: str, stop: str | None = None) -> Iterator[str]:
    """``start`` and each directory above it, up to and including ``stop`` (else the root).

    Directories between the two whose path is longer than a path can be are left out.
    """
    directory = start if len(start) <= LONGEST or start == stop else parent(start[:LONGEST])
    root = _share(start) if start.startswith("//") else None
    while True:
        yield directory
        above = parent(directory)
        if directory in (stop, above, root):
            return
        directory = above


def _share(path: str) -> str:
    """``//server/share``, which nothing is above of."""
    return "/".join(path.split("/")[:4])


def is_hidden(name: str) -> bool:
    """Whether a directory is one that listings leave out."""
    return name.startswith(".") and name not in (".", "..")


def is_in_hidden(path: str, top: str) -> bool:
    """Whether a directory is, or is in, a folder of some program's below ``top``, as .claude: nobody starts there."""
    return any(map(is_hidden, relative(path, top).split("/")))


class AnyCase(dict[str, str]):
    """The variables of Windows: the letter case of a name does not count."""

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__((name.upper(), value) for name, value in env.items())

    def __contains__(self, name: object) -> bool:
        """Whether there is a variable of this name, in any case."""
        return isinstance(name, str) and super().__contains__(name.upper())

    def __getitem__(self, name: str) -> str:
        """The variable of this name, in any case."""
        return super().__getitem__(name.upper())

    def get(self, name: str, default: Any = None) -> Any:
        """The same; ``default`` where there is none."""
        return super().get(name.upper(), default)
