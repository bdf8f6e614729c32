"""The last answers of ``promptls``, in the user's cache directory: each is given again while nothing has changed.

An answer holds sizes, names and sentences about them, and no text of a file. It counts as long as each lookup that it
comes from would get the same answer. Nothing here raises: an answer that cannot be read or written is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import suppress

from promptls import __version__
from promptls.core import files
from promptls.workspace.machine import answers_directory, has_additions
from promptls.workspace.request import HERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.prompt_json import Json

MOST_ANSWERS = 50
# What differs between two shells and says nothing of agents.
OF_SHELLS = ("_", "OLDPWD", "PWD", "SHLVL", "COLUMNS", "LINES", "PAGER", "TERM")


class Answer:
    """The place of one answer: that of ``question``, where the listed ``paths`` are all of the folder."""

    def __init__(self, question: Iterable[str], paths: Iterable[str] = ()) -> None:
        """Where other packages add harnesses or transforms, nothing is kept: what those look at is not known."""
        name = _digest(question)
        self._path = None if has_additions() else os.path.join(answers_directory(), f"{name}.json")
        self._state = ""
        try:
            self._state = _digest((*_program(), *_environment(), *paths)) if self._path else ""
        except OSError:  # it is not installed as files
            self._path = None

    def recall(self) -> Json | None:
        """The answer that was kept; None if there is none, or something has changed."""
        contents = files.read(self._path) if self._path else None
        if contents is None or contents.state != "file":
            return None
        try:
            kept = json.loads(contents.data)
            is_current = kept["state"] == self._state and all(map(HERE.host().follows, kept["trails"]))
            return kept["answer"] if is_current else None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def keep(self, answer: Json, *hosts: Host) -> Json:
        """Keep the ``answer`` that was made through ``hosts``, if that is possible, and return it."""
        is_whole = not any(each["fault"] for each in answer["columns"])
        trails = [each.trail() for each in dict.fromkeys(hosts)] if self._path and is_whole else [None]
        kept = {"state": self._state, "trails": trails, "answer": answer}
        data = json.dumps(kept).encode() if all(trails) else b""
        if self._path is not None and 0 < len(data) <= files.LARGE:  # what is larger would not be read back
            _write(self._path, data)
        return answer


def _write(path: str, data: bytes) -> None:
    from promptls.system.write_file import write_file  # noqa: PLC0415 - not for an answer that was kept

    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_file(path, data, is_new=True)
        _prune(os.path.dirname(path))


def _prune(directory: str) -> None:
    kept = sorted(os.scandir(directory), key=lambda each: each.stat().st_mtime_ns, reverse=True)
    for each in kept[MOST_ANSWERS:]:
        os.remove(each.path)


def _program() -> Iterator[str]:
    """What changes when promptls, or a package that it may use, does."""
    yield from (__version__, sys.version)
    yield from (f"{each} {os.stat(each).st_mtime_ns}" for each in sys.path if os.path.isdir(each))
    level = [os.path.dirname(os.path.dirname(__file__))]
    for directory in level:
        for each in sorted(os.scandir(directory), key=lambda each: each.name):
            if each.name == "__pycache__":
                continue
            if each.is_dir():
                level.append(each.path)
            else:
                yield f"{each.name} {each.stat().st_mtime_ns}"


def _environment() -> Iterator[str]:
    return (f"{name}={value}" for name, value in sorted(os.environ.items()) if name not in OF_SHELLS)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
