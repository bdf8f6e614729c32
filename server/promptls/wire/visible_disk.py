"""What a program that is enclosed sees of the disk: the system, its own package, and what is put in place of the rest.

Everything else is not there: neither the user's homes nor the workspace, nor any socket of the user's.
"""

from __future__ import annotations

from promptls.core.paths import is_below, join, name, parent
from promptls.core.values import dataclass
from promptls.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Protocol

    # The source ("" for an empty directory), the path where it is seen, and whether it can be written.
    Bind = tuple[str, str, bool]
    # The path of a link, and its text.
    Link = tuple[str, str]

    class Looks(Protocol):
        """A disk that is only looked at."""

        def link(self, path: str) -> str | None:
            """The text of a link; None if there is none."""

        def kind(self, path: str) -> str | None:
            """``file`` or ``directory``, links resolved; None if there is neither."""

        def head(self, path: str) -> bytes:
            """The first bytes of a file, up to a line."""


# Directories of the system, with nothing of a user's in them; what is in /opt counts as a package.
SYSTEM = ("/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/sbin", "/usr")
# Empty directories, which every program expects, and can write to.
EMPTY = ("/dev/shm", "/run", "/tmp", "/var/tmp")  # noqa: S108 - empty ones of its own
# Below a home: what holds files of the user's, whatever program it belongs to.
HOMELIKE = ("", ".cache", ".config", ".local", ".local/share", ".local/state")
# What programs run to see where they are.
HELPERS = ("git", "bash", "sh")
MOST_LINKS = 40
# In /etc/passwd: how many columns a user has, which are the number and the home, and the numbers of people.
COLUMNS, ID, HOME = 7, 2, 5
PEOPLE = range(1000, 65534)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What is seen, a directory before what is in it; nothing else is there."""

    binds: tuple[Bind, ...] = ()
    links: tuple[Link, ...] = ()


def enclosure(
    looks: Looks,
    commands: Iterable[str],
    search: Sequence[str],
    *,
    workspace: str,
    homes: Collection[str],
    shown: Iterable[Bind] = (),
) -> Enclosure:
    """What is seen by ``commands``, paths of programs, whose interpreters are found in the directories of ``search``.

    ``shown`` is what is to be seen besides, at the paths that the program is told: the scratch copies of the workspace
    and the home. ``homes`` are those of all users.

    Raises:
        UsageError: a program or its interpreter is in the workspace.
    """
    links: dict[str, str] = {"/var/run": "/run", "/var/lock": "/run/lock"}
    found: dict[str, Bind] = {path: ("", path, True) for path in EMPTY}
    for path in SYSTEM:
        text = looks.link(path)
        if text is not None:
            links[path] = text
        elif looks.kind(path) == "directory":
            found[path] = (path, path, False)
    found |= {home: ("", home, True) for home in homes if _is_in(home, SYSTEM) and home not in SYSTEM}
    workspaces = (workspace, way(workspace, looks)[1])
    for command in (*_on_path(HELPERS, search, looks), *commands):
        for path in started_by(command, search, looks):
            hops, real = way(path, looks)
            links |= {at: text for at, text in hops if not _is_in(at, SYSTEM)}
            for each in (*_environments(path, hops, looks), real):
                if _is_in(each, workspaces):
                    raise UsageError(f"{command} leads into the workspace, and nothing there is run; use another one.")
                package = _package(each, looks, homes, workspaces)
                if not _is_in(package, SYSTEM):
                    found[package] = (package, package, False)
    for source, target, writable in shown:
        hops, real = way(target, looks)
        links |= {at: text for at, text in hops if not _is_in(at, SYSTEM)}
        # What is shown has directories of its own for these.
        found = {path: each for path, each in found.items() if each[0] or not is_below(path, real)}
        found[real] = (source, real, writable)
    binds = tuple(sorted(found.values(), key=lambda each: (each[1].count("/"), each[1])))
    return Enclosure(binds, tuple(sorted(each for each in links.items() if each[0] not in found)))


def homes_of(passwd: str) -> list[str]:
    """The homes in the text of /etc/passwd of those who are people, or root."""
    rows = [line.split(":") for line in passwd.splitlines()]
    users = [(int(row[ID]), row[HOME]) for row in rows if len(row) >= COLUMNS and row[ID].isdecimal()]
    homes = {home for user, home in users if user == 0 or user in PEOPLE}
    return sorted(home for home in homes if home.startswith("/") and home != "/")


def way(path: str, looks: Looks) -> tuple[list[Link], str]:
    """The links on the way of an absolute path, each where it really is, and where the path leads."""
    hops: list[Link] = []
    left, at = [each for each in path.split("/") if each], "/"
    while left:
        step = left.pop(0)
        if step in {".", ".."}:
            at = parent(at) if step == ".." else at
            continue
        here = join(at, step)
        text = looks.link(here)
        if text is None or len(hops) >= MOST_LINKS:
            at = here
            continue
        hops.append((here, text))
        left = [each for each in text.split("/") if each] + left
        at = "/" if text.startswith("/") else at
    return hops, at


def started_by(command: str, search: Sequence[str], looks: Looks) -> Iterator[str]:
    """A program, its interpreter, and that one's: what has to be there to start it."""
    for _ in range(4):
        yield command
        line = looks.head(command).split(b"\n")[0].decode("utf-8", "replace")
        words = line.removeprefix("#!").split()
        if not line.startswith("#!") or not words:
            return
        interpreter = words[0]
        if name(interpreter) == "env":
            yield interpreter
            named = [each for each in words[1:] if not each.startswith("-") and "=" not in each]
            interpreter = next(_on_path(named[:1], search, looks), "")
        if not interpreter.startswith("/"):
            return
        command = interpreter


def _on_path(names: Iterable[str], search: Sequence[str], looks: Looks) -> Iterator[str]:
    for each in names:
        paths = (each,) if "/" in each else (join(directory, each) for directory in search)
        yield from [path for path in paths if looks.kind(path) == "file"][:1]


def _environments(path: str, hops: Iterable[Link], looks: Looks) -> list[str]:
    """Of a path and the links on its way, the interpreters of environments of Python."""
    return [at for at in (path, *(at for at, _ in hops)) if looks.kind(join(parent(parent(at)), "pyvenv.cfg"))]


def _package(path: str, looks: Looks, homes: Collection[str], workspace: Iterable[str]) -> str:
    """The directory with all that belongs to the program at ``path``; the program itself where nothing says more."""
    steps = path.split("/")
    above = parent(parent(path))
    if "node_modules" in steps:
        places = ["/".join(steps[: steps.index("node_modules") + 1])]
    elif name(parent(path)) == "bin" and looks.kind(join(above, "lib")) == "directory":
        places = [above, parent(path)]
    else:
        places = [parent(path)]
    return next((each for each in places if _is_package(each, homes, workspace)), path)


def _is_package(directory: str, homes: Collection[str], workspace: Iterable[str]) -> bool:
    """Whether nothing but a program is in a directory, by its path."""
    if directory.count("/") < 2 or directory in EMPTY:  # noqa: PLR2004 - /opt is one of the system's
        return False
    if any(is_below(each, directory) for each in (*homes, *workspace)):
        return False
    for home in homes:
        below = directory.removeprefix(home).lstrip("/") if is_below(directory, home) else None
        # What a user sees in a home is the user's own.
        if below is not None and (below in HOMELIKE or ("/" not in below and below[:1] != "." and below != "bin")):
            return False
    return True


def _is_in(path: str, directories: Iterable[str]) -> bool:
    return any(is_below(path, each) for each in directories)
