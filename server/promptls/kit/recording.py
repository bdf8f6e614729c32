"""A session that a program recorded on disk: what its reader finds there, and the session that it was.

Each harness that keeps records reads them in ``<name>/records.py``. Records are data of any shape: a reader takes what
it knows and passes over the rest.
"""

from __future__ import annotations

import json

from promptls.core.lazy import regex
from promptls.core.model import Session, reading
from promptls.core.paths import is_below, resolve
from promptls.core.values import dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from promptls.core.model import Turn

    # An object of a record.
    Event = Mapping[str, Any]
    # Every session that was started in a folder or below it, newest first.
    Records = Callable[["Store", str], Iterator["Recorded"]]
    # The sub-agents of a session, and theirs: each names by ``parent`` what started it.
    Subagents = Callable[["Store", "Recorded"], Iterator["Recorded"]]

    class Store(Protocol):
        """What a reader may ask of the disk: read only, and never all of a file at once.

        ``env`` are the variables of the user, ``home`` is their home directory.
        """

        home: str
        env: Mapping[str, str]
        # Whether texts of a session are wanted, too (``Recorded.says``).
        wants_texts: bool

        def names(self, directory: str) -> Sequence[str]:
            """The names in a directory, those that changed last first; () without one."""

        def text(self, path: str) -> str:
            """A small file; "" without one."""

        def document(self, path: str) -> object:
            """The value of a JSON file; None without one, or where it is too large."""

        def head(self, path: str) -> str:
            """The first characters of a file, in which its first line need not end; "" without one."""

        def events(self, path: str, having: str = "") -> Iterator[Event]:
            """The objects of a file with one on each line; what is none is passed over.

            ``having``: only of lines with this text, which are read several times as fast.
            """

        def rows(self, path: str, query: str, *values: str) -> Sequence[Sequence[Any]]:
            """The rows of an SQLite database, read from a copy; () without one."""

        def is_asked(self, name: str) -> bool:
            """Whether the session of a database with this identifier is wanted."""

        def ends(self, name: str, size: int) -> int:
            """How many of the ``size`` messages of a session are read at each of its ends; 0: all of them."""


# How a compaction began, and the records' words for it.
TYPED, AUTOMATIC = "typed", "automatic"
TRIGGERS = {"manual": TYPED, "auto": AUTOMATIC, "threshold": AUTOMATIC}
# Sub-agents of one session that are read.
MOST_SUBAGENTS = 200
# The directory of a session, where the beginning of its record says it.
_CWD = regex(r'"cwd": ?"((?:[^"\\]|\\.)*)"')
# A larger number in a record is none.
LARGEST = 10**15
# Milliseconds up to the year 10000.
LAST_TIME = 253_402_300_800_000


def is_elsewhere(head: str, folder: str) -> bool:
    """Whether the beginning of a record shows that its session was started outside of ``folder``."""
    found = _CWD.search(head)
    if found is None:
        return False
    try:
        return not is_below(json.loads(f'"{found[1]}"'), folder)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Touched:
    """A call that was not the program's own way to read a file: its tool, and the path or command it was given."""

    tool: str
    target: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request of a recorded session, as the program counted it: its tokens, and those of them that were cached.

    ``at`` is when it was answered, as ISO 8601. ``entered`` are instruction files that came since the one before, or
    a directory for those of a start there; ``read`` are the files that were read since.
    ``compactions`` is how often the session had been compacted by then. ``is_summary``: it asked for a summary.
    ``trigger``: by whom it was compacted just before, ``size`` how many tokens it had then, where no request for that
    is counted. ``starts``: the files of the start that came anew with it, None where the record does not say.
    ``forgets``: a new process sent it, which leaves out what reads had brought. ``said`` are the texts of the session
    that came since the one before, where a store wants them: what was typed, answered, called and read. ``cleared``:
    instruction files that went with results of tools whose text was taken out since.
    """

    tokens: int
    cached: int | None = None
    at: str = ""
    model: str = ""
    entered: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    compactions: int = 0
    is_summary: bool = False
    trigger: str = ""
    size: int = 0
    starts: tuple[str, ...] | None = None
    forgets: bool = False
    said: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()


@dataclass(slots=True)
class Recorded:
    """A recorded session. What the records do not say is None, "" or ().

    ``path`` is the record; ``started`` is a time as ISO 8601 in UTC. ``reads`` are files that the program's own tool
    read, in order; ``touched`` every other call. ``called`` are the names of all tools that were called. ``start`` are
    the instruction files of the start, ``arrived`` those that came later, as absolute paths; ``unseen`` says in a
    sentence what of them the records leave out.
    ``mode`` is the harness's own word for what it may do unasked, ``mode_args`` the part of a command line that says
    so, where the harness has no word for it. ``interactive``: somebody typed in its own window. ``editor``: in
    that of an editor.
    ``tokens`` is the size of the prompt of each request, as the program counted it. ``is_trusted``: it shows that the
    user trusts the folder. ``names_files``: the record names the instruction files that a start or a read brought, as
    far as the program ever does that; those of older versions may not.
    """

    harness: str
    path: str
    id: str = ""
    cwd: str = ""
    started: str = ""
    version: str = ""
    model: str | None = None
    agent: str | None = None
    branch: str | None = None
    commit: str | None = None
    args: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    touched: list[Touched] = field(default_factory=list)
    called: dict[str, None] = field(default_factory=dict)
    start: list[str] | None = None
    arrived: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    compactions: int = 0
    parent: str | None = None
    subagents: list[str] = field(default_factory=list)
    unseen: str = ""
    is_trusted: bool = False
    mode: str | None = None
    mode_args: tuple[str, ...] = ()
    interactive: bool | None = None
    editor: bool | None = None
    names_files: bool = True
    requests: list[RecordedRequest] = field(default_factory=list)
    # The texts since the last request; None where nobody wants them.
    said: list[str] | None = None
    # What came since the last request, and how many files had been read by then.
    _entered: list[str] = field(default_factory=list)
    _read: int = 0
    _seen: set[str] = field(default_factory=set)
    # By whom a compaction was begun; a request may go out before it is done.
    _is_compacted: bool = False
    _trigger: str = ""
    _size: int = 0
    _starts: tuple[str, ...] | None = None
    _forgets: bool = False

    def session(self, turns: tuple[Turn, ...] | None = None) -> Session:
        """The session that it was, for ``preview``; with ``turns``, these are what happened."""
        return Session(
            self.harness,
            self.cwd,
            version=self.version,
            turns=reading(dict.fromkeys(self.reads), were_read=True) if turns is None else turns,
            model=self.model,
            agent=self.agent,
            args=tuple(self.args),
            is_trusted=self.is_trusted,
            interactive=self.interactive,
            editor=self.editor,
        )

    def is_place(self, path: str) -> bool:
        """Whether an entry of ``start`` is where files were looked for: some programs do not record the files."""
        return path == self.cwd or self.cwd.startswith(f"{path}/")

    def has_read(self, path: str) -> None:
        """The program's own tool has read a file; each is listed once."""
        if path not in self._seen:
            self._seen.add(path)
            self.reads.append(path)

    def arrives(self, path: str) -> None:
        """An instruction file has come; each is listed once."""
        if path and path not in self.arrived:
            self.arrived.append(path)
        if path and path not in self._entered:
            self._entered.append(path)

    def starts_in(self, directory: str) -> None:
        """The files of a start in another directory have come: that of a session that is taken up there."""
        self._entered.append(directory)

    def calls_skill(self, path: str) -> None:
        """The text of a skill has come, or its body: no instruction file, and it stands in the prompt like one."""
        if path and path not in self._entered:
            self._entered.append(path)

    def triggers(self, trigger: str, size: int = 0) -> None:
        """The next compaction is TYPED, or AUTOMATIC; ``size``: its tokens, where no request for it is counted."""
        self._trigger, self._size = trigger, size

    def starts_again(self, paths: Sequence[str]) -> None:
        """The files of the start have come anew, all of them."""
        self._starts = tuple(paths)

    def forgets(self) -> None:
        """A new process took the session up, and leaves out what reads had brought."""
        self._forgets, self._entered = True, []

    def says(self, *given: str | Event) -> None:
        """These texts are in the next request, and what a tool was given, if anybody wants to know."""
        if self.said is not None:
            self.said += [
                each if isinstance(each, str) else json.dumps(each, ensure_ascii=False, separators=(",", ":"))
                for each in given
                if each
            ]

    def comes_back(self, path: str) -> None:
        """A file has come that is an instruction file if it came as one before."""
        if path in self.arrived:
            self.arrives(path)

    def asks(
        self, tokens: int, *, cached: int | None = None, at: str = "", model: str = "", is_summary: bool = False
    ) -> None:
        """A request was answered."""
        self.tokens.append(tokens)
        entered, read = tuple(self._entered), tuple(self.reads[self._read :])
        self.requests.append(
            RecordedRequest(
                tokens,
                cached,
                at,
                model,
                entered,
                read,
                self.compactions,
                is_summary,
                self._trigger if self._is_compacted else "",
                self._size if self._is_compacted else 0,
                self._starts,
                self._forgets,
                tuple(self.said or ()),
            )
        )
        self.said = None if self.said is None else []
        self._entered, self._read = [], len(self.reads)
        if not is_summary:
            self._starts, self._forgets = None, False
        if not is_summary and self._is_compacted:
            self._trigger, self._size, self._is_compacted = "", 0, False

    def compacts(self, *, after_request: bool = False) -> None:
        """The history was compacted; ``after_request``: by the request that was answered last."""
        self.compactions, self._is_compacted = self.compactions + 1, True
        if after_request and self.requests:
            self.requests[-1] = replace(self.requests[-1], is_summary=True)


class Calls:
    """Calls of tools whose results a record has apart from them.

    ``reads``: the tools that bring instruction files by the path that they are given; ``targets``: the keys of a path
    or command, the first that there is.
    """

    def __init__(self, found: Recorded, reads: Collection[str], targets: Sequence[str]) -> None:
        """For the session that is being read."""
        self._found, self._reads, self._targets = found, reads, targets
        self._open: dict[str, tuple[str, Event]] = {}

    def begin(self, name: str, tool: str, given: Event) -> None:
        """A tool was called; ``name`` is the call's own."""
        self._found.called[tool] = None
        self._found.says(given)
        self._open[name] = tool, given

    def end(self, name: str, *, failed: bool) -> tuple[str, Event]:
        """The result of a call has come; its tool, and what it was given."""
        tool, given = self._open.pop(name, ("", {}))
        target = target_of(given, self._targets)
        if tool in self._reads and target and not failed:
            self._found.has_read(resolve(self._found.cwd, target))
        elif tool:
            self._found.touched.append(Touched(tool, target, failed))
        return tool, given

    def close(self) -> None:
        """The record has ended: what has no result was broken off."""
        for name in tuple(self._open):
            self.end(name, failed=True)


def target_of(given: Event, keys: Iterable[str]) -> str:
    """The path or command that a call was given: the text at the first of the keys that has one; "" without one."""
    return next((text for key in keys if (text := text_at(given, key))), "")


def time_of(milliseconds: float) -> str:
    """The time so many milliseconds after 1970 began, as ISO 8601 in UTC; "" for one that no calendar has."""
    if not 0 < milliseconds < LAST_TIME:
        return ""
    from datetime import UTC, datetime  # noqa: PLC0415 - few programs count so

    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text_at(value: object, *keys: str) -> str:
    """The text at a path of keys; "" if there is none."""
    # As ``_member``, which a large record would call a million times.
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def list_at(value: object, *keys: str) -> list[Any]:
    """The list at a path of keys; [] if there is none."""
    found = _member(value, keys)
    return found if isinstance(found, list) else []


def object_at(value: object, *keys: str) -> Event:
    """The object at a path of keys; an empty one if there is none."""
    found = _member(value, keys)
    return found if isinstance(found, dict) else {}


def number_at(value: object, *keys: str) -> int:
    """The number at a path of keys; 0 if there is none."""
    found = _member(value, keys)
    return int(found) if isinstance(found, int | float) and abs(found) < LARGEST else 0


def wanted(store: Store) -> list[str] | None:
    """What ``Recorded.said`` begins with."""
    return [] if store.wants_texts else None


def texts_at(value: object, *keys: str) -> Iterator[str]:
    """The text at a path of keys, or those of the parts of a list there."""
    found = _member(value, keys)
    if isinstance(found, str):
        yield found
    elif isinstance(found, list):
        yield from (text_at(part, "text") for part in found)


def parsed(text: str) -> object:
    """The value of a JSON text; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _member(value: object, keys: Sequence[str]) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
