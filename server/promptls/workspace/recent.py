"""The last session of each program that was recorded in a folder: how the user starts them there.

Read as ``record_store.py`` does, but little of it: the first part of a few records, and no large database. A server
asks often, so what was found is given again for a while.
"""

from __future__ import annotations

import os
import time
from itertools import islice

from promptls.core import files, specs
from promptls.core.habits import Recent, Records, newest
from promptls.harnesses import catalogue
from promptls.harnesses.faults import sentence_of
from promptls.kit.paths import is_below
from promptls.kit.versions import key
from promptls.sessions.habits import directory_of
from promptls.workspace.record_store import LocalStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from sqlite3 import Connection
    from typing import Any

    from promptls.kit.recording import Event, Recorded

# Bytes of the beginning of a record: the start stands there, and the model (tests/records: at most 48 kB).
BEGINNING = 64 * 1024
# Records of one program of which the first line is looked at, and those that are read; sessions of the folder among
# them. Each of the first costs about 20 microseconds.
MOST_HEADS, MOST_OPENED, MOST_SESSIONS = 1000, 25, 5
# Seconds after which the rest of the records is left alone.
PATIENCE = 2.0
# Bytes of a database that is copied (a larger one is read where it is), and rows of one query that are looked at.
DATABASE, ROWS = 16 * 1024 * 1024, 200
# Seconds that an answer is given again.
HOLDS = 30.0
# The beginning of a record of another folder, for those that are not looked at any more.
ELSEWHERE = '"cwd":"?"'
_known: dict[tuple[str, str], tuple[float, Records]] = {}


def recent(home: str, env: Mapping[str, str], folder: str) -> Records:
    """The last session of each program in a folder or below it, the newest first; up to ``HOLDS`` old."""
    known = _known.get((home, folder))
    if known is None or time.monotonic() > known[0]:
        known = _known[home, folder] = (time.monotonic() + HOLDS, recorded(home, env, folder))
    return known[1]


def recorded(home: str, env: Mapping[str, str], folder: str) -> Records:
    """The last session of each program in a folder or below it, as it is recorded now."""
    store = _Beginnings(home, env)
    real = files.realpath(folder)
    found: list[Recent] = []
    try:
        for name in specs.names():
            places = (
                directory_of(home, env, each, each.records) for each in specs.detection(name).homes if each.records
            )
            reader = catalogue.records(name) if any(map(_has_any, places)) else None
            if reader is None:
                continue
            store.left, store.heads = MOST_OPENED, MOST_HEADS
            try:
                sessions = islice(reader(store, real), MOST_SESSIONS)
                # The first one that is no sub-agent's: it was written to last.
                found += [
                    _recent(each, folder, real)
                    for each in islice((each for each in sessions if each.parent is None), 1)
                ]
            except Exception as error:  # noqa: BLE001 - the other harnesses must not fail with it
                store.say(sentence_of(f"the sessions of {specs.of(name).title}", error))
    finally:
        store.close()
    return Records(newest(found), tuple(store.unread))


def _has_any(place: str) -> bool:
    """Whether there may be a record; a reader is not imported for an empty directory."""
    if not os.path.isdir(place):
        return os.path.exists(place)
    try:
        with os.scandir(place) as entries:
            return any(True for _ in entries)
    except OSError:  # the reader says so
        return True


def _recent(session: Recorded, folder: str, real: str) -> Recent:
    """``real``: the folder with its links resolved, as programs record it."""
    is_inside = real != folder and is_below(session.cwd, real)
    return Recent(
        session.harness,
        folder + session.cwd[len(real) :] if is_inside else session.cwd,
        session.started,
        session.version if key(session.version) else "",
        session.model,
        session.agent,
        session.mode,
        session.mode_args,
        session.interactive,
        session.editor,
    )


class _Beginnings(LocalStore):
    """The records on this machine, of which only a few beginnings are read."""

    def __init__(self, home: str, env: Mapping[str, str]) -> None:
        """``left``: how many records may still be read, ``heads``: of how many the beginning."""
        super().__init__(home, env)
        self.left, self.heads = MOST_OPENED, MOST_HEADS
        self._until = time.monotonic() + PATIENCE

    def most_of_database(self) -> int:
        """Less than is copied for a session that is asked for."""
        return DATABASE

    def most_of_document(self) -> int:
        """As of other records."""
        return BEGINNING

    def most_rows(self) -> int:
        """The first ones say enough."""
        return ROWS

    def _of_large(self, path: str) -> Connection | None:
        """The database itself, which nothing is written to: without what only its log has."""
        import sqlite3  # noqa: PLC0415 - few programs have a database
        from urllib.parse import quote  # noqa: PLC0415 - the same

        try:
            return sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
        except sqlite3.Error as error:
            self.say(f"{path} cannot be read ({error}).")
            return None

    def is_late(self) -> bool:
        """Whether no time is left; it is said."""
        if time.monotonic() < self._until:
            return False
        self.say(f"Not all records were looked at, as that took longer than {PATIENCE:.0f} seconds.")
        return True

    def head(self, path: str) -> str:
        """The first characters of a file; those of the last ones are not looked at."""
        if self.heads <= 0 or self.is_late():
            return ELSEWHERE
        self.heads -= 1
        return super().head(path)

    def events(self, path: str, having: str = "") -> Iterator[Event]:
        """The objects of the first lines."""
        if self.left <= 0 or self.is_late():
            return
        self.left -= 1
        yield from self.beginning(path, BEGINNING, having)

    def rows(self, path: str, query: str, *values: str) -> Sequence[Sequence[Any]]:
        """The first rows."""
        if self.is_late():
            return ()
        return super().rows(path, query, *values)
