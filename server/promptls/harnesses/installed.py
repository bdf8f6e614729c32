"""Which harnesses are installed, and in which version: found without running anything, by the package of a command."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.kit.paths import is_absolute, is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.core.spec import Detection

# What the file of a command ends in on Windows.
ENDINGS = {"npm": ".cmd", "pypi": ".exe"}
# Directories of PATH that are looked at.
MOST_DIRECTORIES = 64
_VERSION = regex(r"v?\d+(?:\.\d+)+(?:-[0-9A-Za-z.-]+)?")


def installed(host: Host, program: Detection, workspace: str) -> str | None:
    """The version of the package that the first command of a harness on PATH belongs to; None if that cannot be read.

    What is in the workspace does not count: a folder must not decide what is shown as installed.
    """
    path = next(on_path(host, program, directories(host, workspace)), None) if program.package else None
    return version_of(host, path, program) if path is not None else None


def later_on_path(host: Host, program: Detection, workspace: str) -> tuple[tuple[str, str], ...]:
    """The other versions of a harness that come behind the first one on PATH, with the paths of their commands."""
    found: dict[str, str] = {}
    for path in on_path(host, program, directories(host, workspace)) if program.package else ():
        if (version := version_of(host, path, program)) is not None:
            found.setdefault(version, path)
    return tuple(found.items())[1:]


def directories(host: Host, workspace: str) -> tuple[str, ...]:
    """The directories of PATH, in order, without those in the workspace, unless the whole home directory is there."""
    found: dict[str, None] = {}
    is_home = is_below(host.home, workspace)
    for named in (host.env.get("PATH") or "").split(host.list_separator)[:MOST_DIRECTORIES]:
        if not is_absolute(named, host.home):
            continue
        directory = resolve(host.home, named)
        if not is_below(directory, workspace) or (is_home and is_below(directory, host.home)):
            found[directory] = None
    return tuple(found)


def on_path(host: Host, program: Detection, places: tuple[str, ...]) -> Iterator[str]:
    """The commands of a harness in the directories of PATH: the first is the one that is started."""
    ending = ENDINGS[program.registry] if host.platform == "win32" else ""
    for directory in places if program.command else ():
        path = join(directory, program.command + ending)
        if host.has(path) and host.kind(path) == "file":
            yield path


def version_of(host: Host, path: str, program: Detection) -> str | None:
    """The version of the program that a command starts; None for one that only leads on to another, as a shim does."""
    find = _of_npm if program.registry == "npm" else _of_pypi
    return find(host, path, program.package) or _of_place(host, path, program.command)


def _of_npm(host: Host, path: str, package: str) -> str | None:
    """By the package.json above what the command leads to."""
    found = _npm_package(host, path, package)
    return found[1].text("version") if found is not None else None


def npm_directory(host: Host, path: str, package: str) -> str | None:
    """The directory of the npm package that the command at ``path`` belongs to; None if there is none of that name."""
    found = _npm_package(host, path, package)
    return found[0] if found is not None else None


def _npm_package(host: Host, path: str, package: str) -> tuple[str, Value] | None:
    """The directory of the package, and its package.json."""
    from promptls.core.formats import parse_json  # noqa: PLC0415 - only where something is installed
    from promptls.core.text import decode  # noqa: PLC0415 - the same

    # On Windows npm links no command: what it starts is beside it.
    is_windows = host.platform == "win32"
    start = join(parent(path), "node_modules", package) if is_windows else parent(host.realpath(path))
    for place in upwards(start):
        contents = host.read(join(place, "package.json"))
        if contents.state == "file":
            root = parse_json(decode(contents.data, keep_bom=False), comments=False).root
            if root is not None and root.text("name") == package:
                return place, root
    return None


def _of_pypi(host: Host, path: str, package: str) -> str | None:
    """By the name of the package's metadata, in the environment that pip, pipx or uv has put the command into."""
    environment = parent(parent(host.realpath(path)))
    libraries = [join(environment, "Lib")]
    libraries += [
        join(environment, "lib", each.name)
        for each in host.entries(join(environment, "lib"))
        if each.name.startswith("python")
    ]
    wanted = f"{package.replace('-', '_')}-"
    for library in sorted(libraries):
        for packages in ("site-packages", "dist-packages"):
            for entry in host.entries(join(library, packages)):
                if entry.name.startswith(wanted) and entry.name.endswith(".dist-info"):
                    return entry.name[len(wanted) : -len(".dist-info")]
    return None


def _of_place(host: Host, path: str, command: str) -> str | None:
    """By the directory that some installers have for each version: its number, below the name of the command."""
    names = host.realpath(path).split("/")
    for at, name in enumerate(names):
        above = [each for each in names[max(at - 2, 0) : at] if each != "versions"]
        if above and above[-1] == command and _VERSION.fullmatch(name):
            return name.removeprefix("v")
    return None
