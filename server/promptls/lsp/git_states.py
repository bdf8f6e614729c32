"""The git states that previews show, each asked once for what the repository's own files look like.

A harness asks git when it starts, so that the state in its prompt is that of then. Here it is asked again when HEAD or
the index has changed: after a commit, a checkout or ``git add``. Asking at each preview would slow down typing.
"""

from __future__ import annotations

import os

from promptls.git import top_of
from promptls.git.state import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import GitState

    Stamp = tuple[tuple[int, int] | None, ...]

WATCHED = ("HEAD", "index", "logs/HEAD", "config")


class GitStates:
    """A function from a directory to its ``GitState``, which remembers. Called from one thread at a time."""

    def __init__(self) -> None:
        self._states: dict[str, tuple[Stamp, GitState | None]] = {}

    def __call__(self, directory: str) -> GitState | None:
        """The state of the repository that holds ``directory``; None without one, or where git gives no answer."""
        stamp = _stamp(directory)
        if directory not in self._states or self._states[directory][0] != stamp:
            self._states[directory] = stamp, state(directory)
        return self._states[directory][1]


def _stamp(directory: str) -> Stamp:
    top = top_of(directory)
    return tuple(_changed(f"{top}/.git/{name}") for name in WATCHED) if top is not None else ()


def _changed(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
