"""Reads what programs recorded of their sessions: read only, within limits, and never in place where that would write.

A database is copied to a temporary folder first: to open it where it is would change files beside it. A record of
another user is like a missing one.
"""

from __future__ import annotations

import json
import os
import stat
import time

from promptls.core import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from sqlite3 import Connection
    from tempfile import TemporaryDirectory
    from typing import Any, BinaryIO

    from promptls.kit.recording import Event, Recorded

# A record that is larger is not read whole where sessions are only listed: bytes of its beginning, and of its end.
WHOLE, END = 16 * 1024 * 1024, 1024 * 1024
# Bytes in which the directory of a session stands, where it is near the beginning (tests/records).
HEAD = 1024
# Bytes of one record and of one of its lines; of a database with its log; of a small file. Seconds that one database
# may take.
MOST, LINE, DATABASE, SMALL = 256 * 1024 * 1024, 32 * 1024 * 1024, 1024 * 1024 * 1024, 64 * 1024
PATIENCE = 10.0
# Lines of one record, as many as are read in a few seconds.
MOST_LINES = 100_000
DECODER = json.JSONDecoder()
# Messages of a session in a database that are read at each of its ends where it is only listed and has more than the
# first number; those of any that are read.
LISTED, LISTED_END, MOST_MESSAGES = 2_000, 400, 40_000
# Rows of one query.
ROWS = 1_000_000
# Entries of a directory.
MANY = 20_000


class LocalStore:
    """The records on this machine.

    ``unread`` are sentences on what could not be read; ``close`` removes the copies. Of a large record only both ends
    are read, unless ``whole`` has its path, or in a database the identifier of the session; ``parts`` are those.
    ``asked`` is the beginning of the identifier of the only session that is wanted.
    """

    def __init__(self, home: str, env: Mapping[str, str]) -> None:
        self.home = home
        self.env = env
        self.wants_texts = False
        self.asked = ""
        self.unread: list[str] = []
        self.whole: set[str] = set()
        self.parts: set[str] = set()
        self._copies: dict[str, Connection | None] = {}
        self._clocks: dict[str, _Clock] = {}
        self._folders: list[TemporaryDirectory[str]] = []

    def close(self) -> None:
        """Close and remove every copy of a database."""
        for connection in self._copies.values():
            if connection is not None:
                connection.close()
        for folder in self._folders:
            folder.cleanup()
        self._copies.clear()
        self._folders.clear()

    def names(self, directory: str) -> Sequence[str]:
        """The names in a directory, those that changed last first; () without one."""
        try:
            with os.scandir(directory) as entries:
                found = [(_changed(entry), entry.name) for _, entry in zip(range(MANY), entries, strict=False)]
        except FileNotFoundError:
            return ()
        except OSError as error:
            self.say(f"{directory} cannot be read ({error.strerror}).")
            return ()
        return [name for _, name in sorted(found, reverse=True)]

    def text(self, path: str) -> str:
        """A small file; "" without one."""
        return files.read(path, SMALL).data[:SMALL].decode("utf-8", "replace")

    def document(self, path: str) -> object:
        """The value of a JSON file; None without one, or where it is too large."""
        stream = self._opened(path)
        if stream is None:
            return None
        with stream:
            data = stream.read(self.most_of_document() + 1)
        try:
            return json.loads(data) if len(data) <= self.most_of_document() else None
        except (ValueError, RecursionError):
            return None

    def most_of_document(self) -> int:
        """Bytes of a JSON file that is read."""
        return LINE

    def head(self, path: str) -> str:
        """The first characters of a file."""
        stream = self._opened(path)
        if stream is None:
            return ""
        with stream:
            return stream.read(HEAD).decode("utf-8", "replace")

    def events(self, path: str, having: str = "") -> Iterator[Event]:
        """The objects of a file with one on each line; what is none, such as a line being written, is passed over.

        ``having``: only of lines with this text.
        """
        stream = self._opened(path)
        if stream is None:
            return
        mark = having.encode()
        with stream:
            size = os.fstat(stream.fileno()).st_size
            if size > WHOLE and path not in self.whole:
                self.parts.add(path)
                yield from _events(stream, END, mark)
                stream.seek(size - END)
                stream.readline(LINE)  # the rest of a line
                yield from _events(stream, END, mark)
                return
            most = _most_of(stream)
            if size <= most:
                yield from _events(stream, MOST, mark)
                return
            self.say(f"{path} is large; promptls read {most // 1024 // 1024} MB of it, its beginning and its end.")
            yield from _events(stream, most // 2, mark)
            stream.seek(size - most // 2)
            stream.readline(LINE)
            yield from _events(stream, most // 2, mark)

    def beginning(self, path: str, most: int, having: str = "") -> Iterator[Event]:
        """The objects on the first lines of a file, of about ``most`` bytes, that have this text."""
        stream = self._opened(path)
        if stream is not None:
            with stream:
                yield from _events(stream, most, having.encode())

    def _opened(self, path: str) -> BinaryIO | None:
        """A regular file; None if there is none, or it cannot be read."""
        try:
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            self.say(f"{path} cannot be read ({error.strerror}).")
            return None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            return None
        return os.fdopen(handle, "rb")

    def rows(self, path: str, query: str, *values: str) -> Sequence[Sequence[Any]]:
        """The rows of an SQLite database, read from a copy; () without one."""
        import sqlite3  # noqa: PLC0415 - few programs have a database

        if path not in self._copies:
            self._copies[path] = self._copy(path)
        connection = self._copies[path]
        if connection is None:
            return ()
        clock = self._clocks.setdefault(path, _Clock())
        connection.set_progress_handler(clock.is_late, 10_000)
        connection.text_factory = _text
        try:
            with clock:
                return () if clock.is_late() else connection.execute(query, values).fetchmany(self.most_rows())
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # What Python itself finds wrong, in a text or in what is said of it, has no such name.
            if not clock.has_stopped and getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
                # A signal came, and SQLite passes over what its handler raises.
                raise KeyboardInterrupt from error
            if not clock.has_stopped:
                self.say(f"{path} cannot be read as the records of a known version ({error}).")
            return ()
        finally:
            if clock.has_stopped:
                self.say(f"To read {path} takes more than {PATIENCE:.0f} seconds; promptls left out the rest.")

    def is_asked(self, name: str) -> bool:
        """Whether the session of a database with this identifier is wanted."""
        return name.startswith(self.asked)

    def ends(self, name: str, size: int) -> int:
        """How many of the ``size`` messages of a session are read at each of its ends; 0: all of them."""
        if size > LISTED and name not in self.whole:
            self.parts.add(name)
            return LISTED_END
        if size <= MOST_MESSAGES:
            return 0
        self.say(f"Session {name} is large; promptls read {MOST_MESSAGES:,} of its {size:,} messages, from both ends.")
        return MOST_MESSAGES // 2

    def is_part(self, found: Recorded) -> bool:
        """Whether only both ends of the record of a session were read."""
        return not self.parts.isdisjoint((found.path, found.id))

    def _copy(self, path: str) -> Connection | None:
        """A copy of a database with what its log holds, which is where the latest is."""
        import sqlite3  # noqa: PLC0415 - the same
        import tempfile  # noqa: PLC0415 - the same

        sizes = [info.st_size for each in (path, f"{path}-wal") if (info := files.stat_of(each)) is not None]
        if files.kind_of(files.stat_of(path)) != "file":
            return None
        if sum(sizes) > self.most_of_database():
            return self._of_large(path)
        folder = tempfile.TemporaryDirectory(prefix="promptls-")
        self._folders.append(folder)
        copy = os.path.join(folder.name, "copy.db")
        try:
            _copy_file(path, copy)
            if files.kind_of(files.stat_of(f"{path}-wal")) == "file":
                _copy_file(f"{path}-wal", f"{copy}-wal")
            return sqlite3.connect(copy)
        except (OSError, sqlite3.Error) as error:
            self.say(f"{path} cannot be read ({error}).")
            return None

    def _of_large(self, path: str) -> Connection | None:
        """What takes the place of a copy of a database that is too large for one."""
        self.say(f"{path} is larger than {self.most_of_database() // 1024 // 1024} MB; promptls did not read it.")
        return None

    def most_of_database(self) -> int:
        """Bytes of a database that is copied."""
        return DATABASE

    def most_rows(self) -> int:
        """The rows of one query."""
        return ROWS

    def say(self, sentence: str) -> None:
        """Remember a sentence, once."""
        if sentence not in self.unread:
            self.unread.append(sentence)


def _text(data: bytes) -> str:
    """A text of a database, which may be broken."""
    return data.decode(errors="replace")


class _Clock:
    """The time that queries of one database took; ``has_stopped`` says that it was too long."""

    def __init__(self) -> None:
        self.has_stopped = False
        self._left = PATIENCE
        self._since = 0.0

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._left -= time.monotonic() - self._since

    def is_late(self) -> bool:
        """Whether no time is left."""
        self.has_stopped = self.has_stopped or time.monotonic() - self._since > self._left
        return self.has_stopped


def _most_of(stream: BinaryIO) -> int:
    """Bytes of a record that are read: as many as have about ``MOST_LINES`` lines, each of which takes its time."""
    sample = stream.read(END)
    stream.seek(0)
    return min(MOST, MOST_LINES * (len(sample) // (sample.count(b"\n") or 1)))


def _events(stream: BinaryIO, most: int, mark: bytes = b"") -> Iterator[Event]:
    """The objects on the next lines, of about ``most`` bytes, that have ``mark``."""
    while most > 0 and (line := stream.readline(min(most, LINE))):
        most -= len(line)
        event = _object(line) if mark in line else None
        if event is not None:
            yield event


def _changed(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _object(line: bytes) -> Event | None:
    # Of millions of lines that are none, as empty ones, each would take as long as an object.
    text = line if line.startswith(b"{") else line.strip()
    if not text.startswith(b"{"):
        return None
    try:
        # It takes half of the time that ``json.loads`` does, for lines as short as these.
        whole = text.decode("utf-8", "surrogatepass")
        found, end = DECODER.raw_decode(whole)
    except (ValueError, RecursionError):
        return None
    return found if not whole[end:].strip() else None


def _copy_file(path: str, to: str) -> None:
    with open(path, "rb") as source, open(to, "xb") as target:
        while piece := source.read(1024 * 1024):
            target.write(piece)
