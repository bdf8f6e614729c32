"""Which version of a harness is installed, found without running anything: by the package its command belongs to."""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.text import decode
from promptls.kit.paths import is_absolute, is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.kit.base import Harness

# What the file of a command ends in on Windows.
ENDINGS = {"npm": ".cmd", "pypi": ".exe"}


def installed(host: Host, harness: Harness, workspace: str) -> str | None:
    """The version of the package that the first of the harness's commands on PATH belongs to.

    What is in the workspace does not count: a folder must not decide what is shown as installed.
    """
    is_windows = host.platform == "win32"
    for named in (host.env.get("PATH") or "").split(host.list_separator):
        if not is_absolute(named, host.home):
            continue
        directory = resolve(host.home, named)
        path = join(directory, harness.command + (ENDINGS[harness.registry] if is_windows else ""))
        if not is_below(directory, workspace) and host.kind(path) == "file":
            find = _of_npm if harness.registry == "npm" else _of_pypi
            return find(host, path, harness.package)
    return None


def _of_npm(host: Host, path: str, package: str) -> str | None:
    """By the package.json above what the command leads to."""
    # On Windows npm links no command: what it starts is beside it.
    is_windows = host.platform == "win32"
    start = join(parent(path), "node_modules", package) if is_windows else parent(host.realpath(path))
    for place in upwards(start):
        contents = host.read(join(place, "package.json"))
        if contents.state == "file":
            root = jsonc.parse(decode(contents.data, keep_bom=False), comments=False).root
            if root is not None and root.text("name") == package:
                return root.text("version")
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
