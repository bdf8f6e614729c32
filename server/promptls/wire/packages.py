"""The package that a program belongs to, by the files around it: nothing is run."""

from __future__ import annotations

import json
import shutil

from promptls.core import files
from promptls.core.paths import join, name, parent, upwards
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes of what a package says of itself.
MOST = 1 << 20
# Options of npx that take no value.
NPX_SWITCHES = ("-y", "--yes", "-q", "--quiet", "--")
# Managers of versions put scripts there that choose the program to start.
SHIMS = ("/shims/", "/.volta/bin/")


@dataclass(frozen=True, slots=True)
class Package:
    """The name and version of a package; "" where they are not known. ``advice``: what to do if it does not start."""

    name: str = ""
    version: str = ""
    advice: str = ""


def package_of(path: str, search: str | None = None) -> Package:
    """The package of the program at ``path``; ``search`` is the path on which it looks for others."""
    real = files.realpath(path)
    if any(each in path for each in SHIMS):
        return Package(advice=f"{path} only chooses a version of the program; name the program itself.")
    return _of_npm(real) or _of_python(path) or _of_python(real) or Package(advice=_advice(real, search))


def _advice(path: str, search: str | None) -> str:
    line = files.read(path, 256).data.split(b"\n")[0]
    found = shutil.which(_interpreter(line), path=search) or ""
    if any(each in found for each in SHIMS):
        return f"{found} only chooses a version; put the directory of the program itself first on PATH."
    is_shell = line.startswith(b"#!") and line.rstrip().endswith((b"sh", b"bash", b"zsh", b"env sh", b"env bash"))
    return f"{path} is a script that may start another program; name that one." if is_shell else ""


def _interpreter(line: bytes) -> str:
    """The name that the first line of a script looks for on PATH; "" for none."""
    words = line.decode("utf-8", "replace").removeprefix("#!").split()
    is_looked_for = line.startswith(b"#!") and bool(words) and name(words[0]) == "env"
    return (
        next((each for each in words[1:] if "=" not in each and not each.startswith("-")), "") if is_looked_for else ""
    )


def _of_npm(path: str) -> Package | None:
    for directory in upwards(parent(path)):
        about = _json(join(directory, "package.json"))
        if about.get("bin") and isinstance(about.get("version"), str):
            return Package(str(about.get("name", "")), about["version"])
    return None


def _of_python(path: str) -> Package | None:
    """The distribution whose entry point has the program's name."""
    library = join(parent(parent(path)), "lib")
    for each in files.entries(library):
        packages = join(library, f"{each.name}/site-packages")
        for about in files.entries(packages) if each.name.startswith("python") else ():
            if about.name.endswith(".dist-info"):
                text = files.read(join(packages, f"{about.name}/entry_points.txt"), MOST).data.decode(
                    "utf-8", "replace"
                )
                if any(line.partition("=")[0].strip() == name(path) for line in text.splitlines() if "=" in line):
                    named, _, version = about.name.removesuffix(".dist-info").partition("-")
                    return Package(named.replace("_", "-"), version)
    return None


def loaded_by_npx(command: tuple[str, ...], home: str) -> tuple[str, ...] | None:
    """The command that npx would start, if it has loaded the package before; None for another command."""
    if name(command[0]) != "npx":
        return None
    rest = list(command[1:])
    while rest and rest[0] in NPX_SWITCHES:
        rest.pop(0)
    wanted = rest.pop(0) if rest else ""
    package = wanted if "@" not in wanted[1:] else wanted[: wanted.rindex("@")]
    if not package or package.startswith("-"):
        return None
    loaded = join(home, ".npm/_npx")
    for each in files.entries(loaded):
        about = _json(join(loaded, f"{each.name}/package.json")).get("_npx")
        if isinstance(about, dict) and about.get("packages") == [wanted]:
            modules = join(loaded, f"{each.name}/node_modules")
            program = _program_of(_json(join(modules, f"{package}/package.json")), name(package))
            path = join(modules, f".bin/{program}")
            if program and files.kind_of(files.stat_of(path)) == "file":
                return (path, *rest)
    return None


def _program_of(about: dict[str, Any], package: str) -> str:
    """The program of a package that npx starts: its only one, or the one that is called like it."""
    programs = about.get("bin")
    if isinstance(programs, str):
        return package
    found = [each for each in programs if "/" not in each] if isinstance(programs, dict) else []
    return found[0] if len(found) == 1 else package if package in found else ""


def _json(path: str) -> dict[str, Any]:
    try:
        found = json.loads(files.read(path, MOST).data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
