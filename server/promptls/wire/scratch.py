"""The scratch folder of a program: what it is given, each file at its own path below ``root``; never a credential.

Where there is an enclosure, the program sees the files of ``root`` at their own paths. Elsewhere it is told the paths
that they have.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress

from promptls.core import files
from promptls.core.paths import is_below, join, parent
from promptls.core.values import dataclass
from promptls.wire import configurations
from promptls.wire.given_files import is_of_system
from promptls.wire.visible_disk import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from promptls.core.files import Contents, DirectoryEntry, Info
    from promptls.kit.launch import Program
    from promptls.wire.given_files import Given

# Variables that every program gets as they are; TERM and the like are not among them.
KEEPS = ("LANG", "LANGUAGE", "TZ", "USER", "LOGNAME")
# Variables that name a directory of the user's, for all programs.
PLACES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")
TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - directories of these names in the scratch folder


@dataclass(frozen=True, slots=True)
class Rooted:
    """The file system as a program sees it: what is below ``root``, and around it what belongs to the system.

    ``own``: directories of the user's. ``shown``: others that are seen as they are.
    """

    root: str
    own: tuple[str, ...]
    shown: tuple[str, ...] = ()

    def _copy_of(self, path: str) -> str:
        is_shown = is_of_system(path, self.own) or any(is_below(path, each) for each in self.shown)
        return path if is_shown else f"{self.root}{path}"

    def stat_of(self, path: str) -> Info | None:
        """What is at ``path``, links followed."""
        return files.stat_of(self._copy_of(path))

    def read(self, path: str, *, info: Info | None = None) -> Contents:
        """The bytes at ``path``, links followed."""
        return files.read(self._copy_of(path), info=info)

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory."""
        return files.entries(self._copy_of(path))

    def realpath(self, path: str) -> str:
        """``path`` with its links resolved."""
        found = files.realpath(self._copy_of(path))
        return found.removeprefix(self.root) if is_below(found, self.root) else found


def lay_out(root: str, chosen: Given) -> None:
    """Put what is given below ``root``. Nobody may run any of it."""
    for path in sorted(chosen.directories):
        os.makedirs(root + path, exist_ok=True)
    for path, data in chosen.files.items():
        os.makedirs(root + parent(path), exist_ok=True)
        if os.path.isdir(root + path):
            continue
        with open(root + path, "wb") as file:
            file.write(data)
        os.chmod(root + path, 0o644)
        info = files.stat_of(path)
        if info is not None:
            os.utime(root + path, ns=(info.st_mtime_ns, info.st_mtime_ns))
    for path, target in sorted(chosen.links.items()):
        os.makedirs(root + parent(path), exist_ok=True)
        # That of a directory has all that is in it.
        with suppress(OSError):
            os.symlink(target, root + path)


def copy(root: str, to: str) -> None:
    """Put what is below ``root`` once more below ``to``, which is not there yet."""
    shutil.copytree(root, to, symlinks=True)


def binds(root: str, own: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What a program sees at its own path: directories of ``root``, with their places.

    That is each directory at the top, and below those of the system only the directories of the user's, and those that
    anybody may write to.
    """
    tops = (f"/{each.name}" for each in files.entries(root))
    found = {top for top in tops if not is_of_system(top, ())}
    found |= {each for each in own if is_of_system(each, ()) and os.path.isdir(root + each)}
    found |= {each for each in EMPTY if is_of_system(parent(each), ()) and os.path.isdir(root + each)}
    return tuple((root + place, place) for place in sorted(found))


def variables(home: str, env: Mapping[str, str], program: Program, path: str, own: Iterable[str]) -> dict[str, str]:
    """The environment of a program: from a list of what is allowed, so no key is among it. ``path``: its PATH."""
    named = (*KEEPS, *PLACES, *program.keeps, *program.places, *program.files)
    kept = {each: env[each] for each in named if env.get(each)}
    kept |= {each: value for each, value in env.items() if each.startswith("LC_")}
    shell = env.get("SHELL", "")
    # Of a shell only the name is asked for; but one of the folder is never named to a program.
    if shell and is_of_system(shell, own):
        kept["SHELL"] = shell
    return {**kept, "PATH": path, "HOME": home, "TERM": "dumb", "NO_COLOR": "1"}


def place_of(below: str, home: str, env: Mapping[str, str], program: Program) -> str:
    """The path of a file of a program's: ``below`` its home, or where a variable puts that directory."""
    for variable, directory in program.places.items():
        if env.get(variable) and is_below(below, directory) and directory:
            return join(env[variable], below.removeprefix(directory).lstrip("/"))
        if env.get(variable) and not directory:
            return join(env[variable], below)
    return join(home, below)


def own(root: str, path: str) -> bytes | None:
    """What a file below ``root`` has that is about to be written anew; None if there is nothing.

    A link of the user's may lead to the system's own files, which nobody writes: it is taken away.
    """
    place, top = root, files.realpath(root)
    for step in path.strip("/").split("/"):
        place = f"{place}/{step}"
        if files.is_link(place) and not is_below(files.realpath(place), top):
            os.unlink(place)
    os.makedirs(parent(place), exist_ok=True)
    found = files.read(place)
    return found.data if found.state == "file" else None


def with_settings(path: str, data: bytes | None, wanted: Mapping[str, Any]) -> str:
    """A configuration that has these keys, over what that at ``path`` has already; TOML where its name says so."""
    merged = _merged(configurations.read(path, data) if data else {}, wanted)
    return configurations.written(path, merged) if path.endswith(".toml") else json.dumps(merged)


def _merged(known: dict[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(known)
    for key, value in wanted.items():
        own = found.get(key)
        found[key] = _merged(own, value) if isinstance(own, dict) and isinstance(value, dict) else value
    return found
