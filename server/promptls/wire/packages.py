"""The package that a program belongs to, by the files around it: nothing is run."""

from __future__ import annotations

import json

from promptls.core import files
from promptls.core.paths import join, name, parent, upwards
from promptls.core.values import dataclass

# Bytes of what a package says of itself.
MOST = 1 << 20
# Managers of versions put scripts there that choose the program to start.
SHIMS = ("/shims/", "/.volta/bin/")


@dataclass(frozen=True, slots=True)
class Package:
    """The name and version of a package; "" where they are not known. ``advice``: what to do if it does not start."""

    name: str = ""
    version: str = ""
    advice: str = ""


def package_of(path: str) -> Package:
    """The package of the program at ``path``."""
    real = files.realpath(path)
    if any(each in path for each in SHIMS):
        return Package(advice=f"{path} only chooses a version of the program; name the program itself.")
    return _of_npm(real) or _of_python(path) or _of_python(real) or Package(advice=_advice(real))


def _advice(path: str) -> str:
    line = files.read(path, 256).data.split(b"\n")[0]
    is_shell = line.startswith(b"#!") and line.rstrip().endswith((b"sh", b"bash", b"zsh", b"env sh", b"env bash"))
    return f"{path} is a script that may start another program; name that one." if is_shell else ""


def _of_npm(path: str) -> Package | None:
    for directory in upwards(parent(path)):
        try:
            about = json.loads(files.read(join(directory, "package.json"), MOST).data)
        except (ValueError, RecursionError):
            continue
        if isinstance(about, dict) and about.get("bin") and isinstance(about.get("version"), str):
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
