"""Paths at which nothing is, by the directories that tell when something is: a look at few tells of many.

Most of what a harness looks for is not there, and an editor asks again at each keystroke.
"""

from __future__ import annotations

from promptls.core import files
from promptls.core.paths import parent, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Protocol

    from promptls.core.files import Info

    class Look(Protocol):
        """A host of one moment."""

        since: int

        def info(self, path: str) -> Info | None:
            """What is at a path."""

        def at(self, path: str) -> str:
            """The path on the disk."""

        def opened_paths(self) -> Collection[str]:
            """The open documents."""


class Absent:
    """What was absent, on a real disk."""

    __slots__ = ("_directories",)

    def __init__(self) -> None:
        # How each directory was, and the paths in and below it that it tells of.
        self._directories: dict[str, tuple[Info, set[str]]] = {}

    def still(self, now: Look) -> set[str]:
        """The paths that are absent now, too, because the directories that would have them are as they were."""
        found = (paths for directory, (info, paths) in self._directories.items() if now.info(directory) == info)
        return set().union(*found).difference(now.opened_paths())

    def note(self, paths: set[str], now: Look) -> None:
        """Remember which directory tells of each of ``paths`` at which ``now`` finds nothing.

        None does where it may have changed since ``now`` began to look, nor of a link that leads nowhere.
        """
        self._directories = {each: kept for each, kept in self._directories.items() if now.info(each) == kept[0]}
        for path in paths.difference(*(told for _, told in self._directories.values())):
            if now.info(path) is not None:
                continue
            directory = next((each for each in upwards(parent(path)) if now.info(each) is not None), "")
            info = now.info(directory)
            if info is None or info.st_mtime_ns > now.since - files.RACY or files.is_link(now.at(path)) is not None:
                continue
            self._directories.setdefault(directory, (info, set()))[1].add(path)
