"""The only I/O boundary. A harness sees files, directories, URLs, the date and the environment through a host.

One host serves one preview. It remembers every look and what came of it, so that a cached preview is dropped
exactly when something it looked at (also something that was missing) has changed.
"""

from __future__ import annotations

import time

from promptls.core import files
from promptls.core.files import Contents, DirectoryEntry
from promptls.core.habits import no_records
from promptls.core.model import FetchResult
from promptls.core.paths import LONGEST, AnyCase, is_windows, parent, path_key, upwards
from promptls.core.text import BOM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
    from datetime import datetime
    from typing import Any, Protocol

    from promptls.core.absent import Absent
    from promptls.core.files import Info, Kind, State
    from promptls.core.habits import Recorder, Records
    from promptls.core.model import GitState, Origin, Session, Timeouts
    from promptls.core.servers import ServerAnswer

    # Requests all URLs at once; returns the answers in the same order and never raises.
    Fetch = Callable[[Sequence[str], Timeouts], Sequence[FetchResult]]
    Clock = Callable[[], datetime]
    # The state of the git repository of a directory; None without one, or where git is not asked.
    Git = Callable[[str], GitState | None]
    # The transforms installed next to promptls, by name (see harnesses.transforms).
    Transform = Callable[[list[str], Session], Sequence[str]]
    Transforms = Callable[[], Mapping[str, Transform]]
    # What changes when a file or directory does: the text of an open document, or what the disk says.
    Stamp = str | Info

    class Disk(Protocol):
        """A file system with the functions of the module ``files``, which is the real one."""

        def stat_of(self, path: str, /) -> Info | None:
            """What is at ``path``, links followed."""

        def read(self, path: str, /, *, info: Info | None) -> Contents:
            """The bytes at ``path``, links followed; ``info`` is what is there."""

        def entries(self, path: str, /) -> tuple[DirectoryEntry, ...]:
            """The entries of a directory."""

        def realpath(self, path: str, /) -> str:
            """``path`` with its links resolved."""


# The year, the month and the day are the first fields of a time.
DAY = 3
NOTHING = Contents("spared")
# The directory beside kept texts with what was learned of programs (harnesses/learned.py).
LEARNED = "learned"
NO_ANSWERS: Mapping[str, ServerAnswer] = {}
# How far promptls searches; a directory is as many steps as it has entries, and then some.
MAX_STEPS = 400_000
STEPS_OF_A_DIRECTORY = 20
# What reading can give where such a thing is; the last is said where the disk has changed since it was looked at.
READABLE: Mapping[Kind | None, tuple[State, ...]] = {
    "file": ("file", "unreadable"),
    "directory": ("directory",),
    "special": ("special",),
    None: ("broken-link", "unreadable", "missing"),
}


class Buffers:
    """Open documents, by path. They take precedence over the disk, also through another path of the same file."""

    __slots__ = ("_by_file", "_texts")

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        """``texts``: absolute path to the text in the editor."""
        self._texts = dict(texts or {})
        self._by_file = {}
        for path, text in self._texts.items():
            info = files.stat_of(path)
            if info is not None:
                self._by_file[info.st_dev, info.st_ino] = text

    def __bool__(self) -> bool:
        """Whether any document is open."""
        return bool(self._texts)

    def outside(self, holds: Callable[[str], bool]) -> Buffers:
        """The buffers whose path does not satisfy ``holds``."""
        return Buffers({path: text for path, text in self._texts.items() if not holds(path)})

    def texts(self) -> Mapping[str, str]:
        """The text of each, by path."""
        return self._texts

    def get(self, path: str, info: Info | None) -> str | None:
        """The open text of ``path``, if any; ``info`` is what is there."""
        if info is None or path in self._texts:
            return self._texts.get(path)
        return self._by_file.get((info.st_dev, info.st_ino))


NO_BUFFERS = Buffers()


def local_time() -> datetime:
    """Now, in the local zone."""
    from datetime import datetime  # noqa: PLC0415 - takes longer to import than ten of our modules

    return datetime.now().astimezone()


def no_git(_directory: str) -> GitState | None:
    """Do not ask git."""
    return None


def no_network(urls: Sequence[str], _timeouts: Timeouts) -> Sequence[FetchResult]:
    """Fetch nothing: every URL is ``disabled``."""
    return [FetchResult(url, "disabled", detail="fetching is switched off") for url in urls]


def switched_off(urls: Sequence[str], _timeouts: Timeouts) -> Sequence[FetchResult]:
    """Fetch nothing, as the settings of the folder say: no command fetches them."""
    detail = "urls.enabled is false in the settings of the folder"
    return [FetchResult(url, "disabled", detail=detail, by_settings=True) for url in urls]


class StepBudget:
    """The steps that are ``left`` for all searches of one preview: a limit of ours, named where it ends a search."""

    __slots__ = ("left",)

    def __init__(self, left: int = MAX_STEPS) -> None:
        self.left = left

    @property
    def is_spent(self) -> bool:
        """Whether the search ends here."""
        return self.left <= 0

    def spend(self, entries: Sized) -> None:
        """Take the steps for a directory with ``entries``."""
        self.left -= STEPS_OF_A_DIRECTORY + len(entries)


class Host:
    """What one preview can see: a host always gives the same lookup the same answer.

    What ``kind``, ``read`` and ``entries`` say of a path goes together, whatever happens on the disk meanwhile.
    """

    def __init__(
        self,
        *,
        home: str,
        env: Mapping[str, str],
        platform: str = "linux",
        clock: Clock = local_time,
        buffers: Buffers = NO_BUFFERS,
        fetch: Fetch = no_network,
        sysroot: str = "",
        transforms: Transforms = dict,
        disk: Disk = files,
        git: Git = no_git,
        os_version: str = "",
        known_texts: str = "",
        learned: str = "",
        records: Recorder = no_records,
        servers: Mapping[str, ServerAnswer] = NO_ANSWERS,
        answers: str = "",
    ) -> None:
        """``platform`` is Node's name of it; ``sysroot`` is put before ``/etc`` where ``disk`` is read.

        ``os_version`` is what ``uname -sr`` says, "" where that is not known. ``known_texts`` is the directory of the
        captured texts that the user keeps, "" for none; ``learned`` is it where these are not shown. ``records`` says
        what programs recorded in a folder. ``servers`` are the answers of MCP servers, by the name of each; ``answers``
        is the directory of those that are kept, where no other kept text is shown.
        """
        self.home = home
        is_windows = platform == "win32"
        # A copy: os.environ raises for names that no environment can hold. On Windows letter case does not count.
        self.env: dict[str, str] = AnyCase(env) if is_windows else dict(env)
        self.platform, self.os_version = platform, os_version
        self.known_texts, self._learned, self._kept_answers = known_texts, learned, answers
        # What is between the directories of PATH.
        self.list_separator = ";" if is_windows else ":"
        self._clock, self._fetch, self._git, self._recorder = clock, fetch, git, records
        self._buffers, self._has_buffers = buffers, bool(buffers)
        self.sysroot = sysroot.rstrip("/")
        self._disk = disk
        self.servers, self.transforms = servers, transforms
        self._now: datetime | None = None
        self._today: time.struct_time | None = None
        self._infos: dict[str, Info | None] = {}
        self._kinds: dict[str, Kind | None] = {}
        # When it began to look, in nanoseconds of Unix time.
        self.since = time.time_ns()
        self._absent: Absent | None = None
        self._reals: dict[str, str] = {}
        self._real_places: dict[str, str] = {"": ""}
        # With the stamp of what was read; None where a later change might not show in a stamp.
        self._reads: dict[str, tuple[Contents, Stamp | None]] = {}
        self._heads: dict[str, tuple[Contents, Stamp | None]] = {}
        self._entries: dict[str, tuple[tuple[DirectoryEntry, ...], Stamp | None]] = {}
        self._modified: dict[str, int] = {}
        self._states: dict[str, GitState | None] = {}
        self._records: dict[str, Records] = {}
        self._urls: dict[tuple[str, Timeouts], FetchResult] = {}
        # The servers that a harness starts, in order, and what is kept of each.
        self.asked_servers: dict[tuple[str, Origin], None] = {}
        self._answers: dict[tuple[str, str, Origin], ServerAnswer | None] = {}

    @property
    def is_of_user(self) -> bool:
        """Whether answers may be the user's own: what was recorded of them counts."""
        return self._recorder is not no_records

    def kind(self, path: str) -> Kind | None:
        """What is at ``path``, links followed; None if nothing is."""
        if path not in self._kinds:
            self._kinds[path] = self._kind(path)
        return self._kinds[path]

    def has(self, path: str) -> bool:
        """Whether anything is at ``path``, for a place where hardly ever anything is."""
        is_plain = self._disk is files and not self._has_buffers
        if is_plain and path not in self._infos and files.is_missing(self.at(path)):
            self._infos[path] = self._kinds[path] = None
        return self.kind(path) is not None

    def modified(self, path: str) -> int:
        """When the file at ``path`` was changed last on the disk, in nanoseconds of Unix time; 0 without one."""
        if path not in self._modified:
            info = self.info(path)
            self._modified[path] = info.st_mtime_ns if info is not None else 0
        return self._modified[path]

    def read(self, path: str) -> Contents:
        """The bytes at ``path``; an open buffer wins."""
        found = self._reads.get(path)
        if found is None:
            stamp = self._stamp(path)
            found = self._reads[path] = (self._read(path), stamp)
        return found[0]

    def head(self, path: str) -> Contents:
        """The file at ``path`` to the end of its front matter, or all of it; an open buffer wins.

        For those who need no more: nothing else of the file is read if the front matter is short and in the form that
        all harnesses know (``files.head_of``), and a preview stays current whatever becomes of the rest.
        """
        found = self._heads.get(path)
        if found is None:
            stamp = self._stamp(path)
            found = (self._head(path), stamp)
            if found[0] is not NOTHING:
                self._heads[path] = found
        return found[0]

    def spare(self, paths: Iterable[str]) -> None:
        """Do not read these files: only what reading them triggers matters, not their content."""
        for path in paths:
            self._reads.setdefault(path, (NOTHING, None))

    def want(self, paths: Iterable[str]) -> None:
        """Read these files again: they were skipped for one preview only."""
        for path in paths:
            if path in self._reads and self._reads[path][0] is NOTHING:
                del self._reads[path]

    def entries(self, path: str) -> tuple[DirectoryEntry, ...]:
        """The entries of a directory in the order of the disk; () if it is not a directory or unreadable."""
        found = self._entries.get(path)
        if found is None:
            stamp = self._stamp(path)
            entries = self._disk.entries(self.at(path)) if self._kind(path) == "directory" else ()
            found = self._entries[path] = (entries, stamp)
        return found[0]

    def realpath(self, path: str) -> str:
        """``path`` with every link resolved."""
        if path not in self._reals:
            at = self.at(path)
            real = self._realpath(path) if self._disk is files and at == path else self._disk.realpath(at)
            # Below /etc the links are those of ``sysroot``, and what stays there is named as without it.
            self._reals[path] = real.removeprefix(self._disk.realpath(self.sysroot)) if at != path else real
        return self._reals[path]

    def spelled(self, path: str) -> str:
        """``path`` in the letter case of the disk, where that does not count otherwise; its links stay."""
        if not is_windows(path):
            return path
        real = self.realpath(path)
        return real if path_key(real) == path_key(path) else path

    def is_same(self, path: str, other: str) -> bool:
        """Whether two paths lead, by links, to the same file."""
        if path == other:
            return True
        if self.kind(path) is None or self.kind(other) is None:
            return False
        one, two = self.info(path), self.info(other)
        # Resolving links takes many lookups, and most files clearly differ.
        is_other = one is not None and two is not None and (one.st_ino, one.st_dev) != (two.st_ino, two.st_dev)
        return not is_other and self.realpath(path) == self.realpath(other)

    def place(self, path: str) -> object:
        """The same value for all paths to one file; that of another file is different, but for hard links."""
        info = self.info(path) if self.kind(path) else None
        return (info.st_dev, info.st_ino) if info is not None and info.st_ino else self.realpath(path)

    def now(self) -> datetime:
        """The time of the preview, in the local zone."""
        if self._now is None:
            self._now = self._clock()
        return self._now

    def today(self) -> time.struct_time:
        """The day of the preview, in the local zone: what most prompts have of the time."""
        if self._today is None:
            is_real = self._now is None and self._clock is local_time
            self._today = time.localtime() if is_real else self.now().timetuple()
        return self._today

    def urls(self, urls: Sequence[str], timeouts: Timeouts) -> list[FetchResult]:
        """Request all ``urls`` at once; the answers are in the same order."""
        wanted = [url for url in dict.fromkeys(urls) if (url, timeouts) not in self._urls]
        if wanted:
            answers = self._fetch(wanted, timeouts)
            self._urls.update(((url, timeouts), answer) for url, answer in zip(wanted, answers, strict=True))
        return [self._urls[url, timeouts] for url in urls]

    def git(self, directory: str) -> GitState | None:
        """The state of the git repository that holds ``directory``; None if there is none, or git is not asked."""
        if directory not in self._states:
            self._states[directory] = self._git(directory)
        return self._states[directory]

    def recorded(self, folder: str) -> Records:
        """The last session of each program that was recorded in ``folder`` or below it."""
        if folder not in self._records:
            self._records[folder] = self._recorder(folder)
        return self._records[folder]

    def answer_of(
        self,
        name: str,
        words: Sequence[str] = (),
        harness: str = "",
        origin: Origin | None = None,
        *,
        is_started: bool = True,
    ) -> ServerAnswer | None:
        """The answer of the MCP server ``name``, whose command has the arguments ``words``; None where it is not known.

        A file that an argument names comes first, so that servers of one name have answers of their own. Else it is
        what is kept of the one that ``origin`` configures for a harness. ``is_started``: the program asks nobody first.
        """
        if origin is not None and is_started:
            self.asked_servers.setdefault((name, origin), None)
        if not self.servers:
            return self._kept_answer(name, harness, origin) if origin is not None else None
        stems = {word.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] for word in words}
        of_file = next((each for key, each in self.servers.items() if (each.file or key) in stems), None)
        return of_file or self.servers.get(name)

    def _kept_answer(self, name: str, harness: str, origin: Origin) -> ServerAnswer | None:
        """What is kept of a server; nothing of its configuration is read again where nothing is."""
        from promptls.core import servers  # noqa: PLC0415 - only where there are servers

        kept_in = self.known_texts or self._kept_answers
        if not kept_in or (self.known_texts and self.kind(f"{kept_in}/{servers.KEPT}") != "directory"):
            return None
        # Where a program is run, what is kept is nothing to that: then the look is not recorded.
        read = self.read if self.known_texts else files.read
        if (harness, name, origin) not in self._answers:
            start = servers.start_at(self.read, harness, name, origin)
            kept = servers.kept_of(read, kept_in, start) if start is not None else None
            self._answers[harness, name, origin] = kept.answer if kept is not None else None
        return self._answers[harness, name, origin]

    def learned(self, name: str) -> bytes | None:
        """The file ``name`` of what was learned of programs on this machine; None where there is none.

        Where no kept texts are shown, a program is run, to which the file is nothing: then the look is not recorded.
        """
        if self.known_texts:
            directory = f"{self.known_texts}/{LEARNED}"
            contents = self.read(f"{directory}/{name}") if self.kind(directory) == "directory" else None
        else:
            contents = files.read(f"{self._learned}/{LEARNED}/{name}") if self._learned else None
        return contents.data if contents is not None and contents.state == "file" else None

    def looked_at(self) -> frozenset[str]:
        """Every path that was looked at, including missing ones."""
        return frozenset((*self._kinds, *self._reads, *self._heads, *self._entries, *self._reals, *self._modified))

    def has_looked_at(self, path: str) -> bool:
        """Whether ``path`` was looked at."""
        looks = (self._kinds, self._reads, self._heads, self._entries, self._reals, self._modified)
        return any(path in each for each in looks)

    def listed(self) -> dict[str, tuple[DirectoryEntry, ...]]:
        """The directories whose entries were asked for, with these."""
        return {path: entries for path, (entries, _) in self._entries.items()}

    def elsewhere(self, disk: Disk) -> Host:
        """The same person on the same machine, with another file system; git says the same."""
        return Host(
            home=self.home,
            env=self.env,
            platform=self.platform,
            clock=self._clock,
            fetch=self._fetch,
            sysroot=self.sysroot,
            transforms=self.transforms,
            disk=disk,
            git=self.git,
            os_version=self.os_version,
            learned=self._learned,
            records=self._recorder,
            servers=self.servers,
            answers=self._kept_answers,
        )

    @property
    def disk(self) -> Disk:
        """What answers its lookups of paths, but for open documents."""
        return self._disk

    def opened_paths(self) -> Collection[str]:
        """The paths of the open documents."""
        return self._buffers.texts().keys()

    def opened(self) -> dict[str, bytes]:
        """The open documents, as their files would be if they were saved."""
        return {self.realpath(path): text.encode("utf-8", "replace") for path, text in self._buffers.texts().items()}

    def has_read(self) -> dict[str, Contents]:
        """What was read, by path; all of a file of which only the head was."""
        for path in self._heads:
            self.read(path)
        return {path: seen for path, (seen, _) in self._reads.items() if seen is not NOTHING}

    def now_with(self, buffers: Buffers) -> Host:
        """The same person on the same machine, who looks now, with ``buffers`` open."""
        return Host(
            home=self.home,
            env=self.env,
            platform=self.platform,
            clock=self._clock,
            buffers=buffers,
            fetch=self._fetch,
            sysroot=self.sysroot,
            disk=self._disk,
            git=self._git,
            records=self._recorder,
            servers=self.servers,
        )

    def follow(self, other: Host, changed: Collection[str], moved: Collection[str]) -> None:
        """Take for granted what ``other`` has found on a disk that is the same but for some files.

        ``changed`` have other texts here; those in ``moved`` are something else, or only on one of the two disks.
        """
        near = {above for path in moved for above in upwards(path)}
        changing = frozenset(moved)
        # By directory, of which there are few: whether it was one of them, or in one.
        held: dict[str, bool] = {}

        def is_below_one(path: str) -> bool:
            directory = parent(path)
            if directory not in held:
                held[directory] = not changing.isdisjoint(upwards(directory))
            return held[directory]

        def is_same(path: str) -> bool:
            real = other._reals.get(path, path)
            return not (path in near or real in near or is_below_one(path) or (real != path and is_below_one(real)))

        def has_text(path: str) -> bool:
            return path not in changed and other.realpath(path) not in changed and is_same(path)

        self._kinds.update((path, seen) for path, seen in other._kinds.items() if is_same(path))
        self._reals.update((path, seen) for path, seen in other._reals.items() if is_same(path))
        self._entries.update((path, seen) for path, seen in other._entries.items() if is_same(path))
        self._reads.update(
            (path, seen) for path, seen in other._reads.items() if seen[0] is not NOTHING and has_text(path)
        )
        self._heads.update((path, seen) for path, seen in other._heads.items() if has_text(path))

    def share(self, infos: dict[str, Info | None], places: dict[str, str]) -> None:
        """Take for granted what hosts of the same moment have found on the same disk, and tell them what this finds.

        ``infos``: what is at a path; ``places``: where directories lead to. What this one has looked up is its own.
        """
        self._infos, self._real_places = infos, places

    def asks(self) -> tuple[object, object]:
        """The disk, and whatever else answers its lookups: hosts of one moment that ask the same hear the same."""
        others = (self.platform, id(self._fetch), id(self._git), id(self._clock), self._recorder is no_records)
        return (self.sysroot, id(self._disk)), others

    def is_current(self, buffers: Buffers) -> bool:
        """Whether each lookup would get the same answer now, with ``buffers`` open.

        A preview's date counts as a look: it is stale the next day.
        """
        return self.agrees(self.now_with(buffers))

    def agrees(self, again: Host) -> bool:
        """Whether each lookup gets the same answer from ``again``, which other hosts may have asked before."""
        # What its directories say is still absent need not be looked for.
        gone = self._absent.still(again) if self._absent is not None else frozenset()
        is_same = (
            (self._now is None or _day(self._now) == _day(again.now()))
            and (self._today is None or self._today[:DAY] == again.today()[:DAY])
            # Check the files that were read first: they are few, and one of them is being edited.
            and all(
                path in gone
                or seen is NOTHING
                or (stamp is not None and again._stamp(path) == stamp)
                or again.read(path) == seen
                for path, (seen, stamp) in self._reads.items()
            )
            and all(
                path in gone or (stamp is not None and again._stamp(path) == stamp) or again.head(path) == seen
                for path, (seen, stamp) in self._heads.items()
            )
            # Most have been asked for by another host, and are compared as a whole.
            and (
                self._kinds.items() <= again._kinds.items()
                or all(path in gone or again.kind(path) == seen for path, seen in self._kinds.items())
            )
            and (
                self._reals.items() <= again._reals.items()
                or all(again.realpath(path) == seen for path, seen in self._reals.items())
            )
            and all(
                path in gone or (stamp is not None and again._stamp(path) == stamp) or again.entries(path) == seen
                for path, (seen, stamp) in self._entries.items()
            )
            and all(again.modified(path) == seen for path, seen in self._modified.items())
            and all(again.git(directory) == seen for directory, seen in self._states.items())
            and all(again.recorded(folder) == seen for folder, seen in self._records.items())
            and all(again.urls([url], timeouts) == [seen] for (url, timeouts), seen in self._urls.items())
        )
        if is_same and self._disk is files:
            self._note_absent(again)
        return is_same

    def _note_absent(self, again: Host) -> None:
        """Keep which directories tell of the paths at which there is nothing, from the second time that they do."""
        if self._absent is None:
            from promptls.core.absent import Absent  # noqa: PLC0415 - for hosts that are kept

            self._absent = Absent()
            return
        looks = (self._reads, self._heads, self._entries)
        paths = {path for path, kind in self._kinds.items() if kind is None}
        paths.update(path for found in looks for path, (_, stamp) in found.items() if stamp is None)
        self._absent.note(paths, again)

    def trail(self) -> dict[str, Any] | None:
        """Every lookup with what shows that its answer has changed, as JSON without texts.

        None if a change might not show: a file has just been written, or URLs were asked.
        """
        if self._urls:
            return None
        read = {path: found for path, found in self._reads.items() if found[0] is not NOTHING}
        looks = (*read.items(), *self._heads.items(), *self._entries.items())
        stamps = {path: stamp for path, (_, stamp) in looks if self.kind(path)}
        if None in stamps.values():
            return None
        return {
            "kinds": self._kinds,
            "reals": self._reals,
            "stamps": stamps,
            # A link that leads nowhere is told apart from a file that is not there.
            "states": {
                path: seen.state for path, (seen, _) in (*read.items(), *self._heads.items()) if self.kind(path) is None
            },
            "day": [str(each) for each in _day(self._now)] if self._now is not None else None,
            "modified": self._modified,
            # What git said is not kept, but what it comes to.
            "git": {directory: _digest(state) for directory, state in self._states.items() if state is not None},
            "records": {folder: _digest(records) for folder, records in self._records.items()},
        }

    def follows(self, trail: dict[str, Any]) -> bool:
        """Whether each lookup of the ``trail`` of a host like this one would get the same answer now."""
        return (
            all(self._kind(path) == kind for path, kind in trail["kinds"].items())
            and all([*(self._stamp(path) or ())] == [*stamp] for path, stamp in trail["stamps"].items())
            and all(self._read(path).state == state for path, state in trail["states"].items())
            and all(self.realpath(path) == real for path, real in trail["reals"].items())
            and (trail["day"] is None or trail["day"] == [str(each) for each in _day(self.now())])
            and all(self.modified(path) == seen for path, seen in trail.get("modified", {}).items())
            and all(_digest(self.git(directory)) == state for directory, state in trail["git"].items())
            and all(_digest(self.recorded(folder)) == records for folder, records in trail["records"].items())
        )

    def _realpath(self, path: str) -> str:
        """By those of the directories above it, which other paths share."""
        if not path.startswith("/") or len(path) > LONGEST:
            return files.realpath(path)
        names: list[str] = []
        place = path
        while place not in self._real_places:
            place, _, name = place.rpartition("/")
            names.append(name)
            if name in ("", ".", ".."):
                return files.realpath(path)
        real = self._real_places[place]
        while names:
            place, real = f"{place}/{names[-1]}", f"{'' if real == '/' else real}/{names.pop()}"
            is_link = files.is_link(real)
            if is_link:
                real = files.realpath(real)
            self._real_places[place] = real
            if is_link is None:  # nor is anything below it, however long the path is
                return "/".join((real, *reversed(names)))
        return real

    def at(self, path: str) -> str:
        """The path on the disk."""
        return self.sysroot + path if self.sysroot and (path + "/").startswith("/etc/") else path

    def info(self, path: str) -> Info | None:
        """What is at ``path``, links followed: looked up once, because every lookup of a file needs it."""
        info = self._infos.get(path)
        if info is None and path not in self._infos:
            info = self._infos[path] = self._disk.stat_of(self.at(path) if self.sysroot else path)
        return info

    def _text(self, path: str) -> str | None:
        return self._buffers.get(path, self.info(path)) if self._has_buffers else None

    def _kind(self, path: str) -> Kind | None:
        if self._has_buffers and self._text(path) is not None:
            return "file"
        return files.kind_of(self.info(path))

    def _read(self, path: str) -> Contents:
        text = self._text(path)
        if text is None:
            info = self.info(path)
            seen, readable = self._disk.read(self.at(path), info=info), READABLE[files.kind_of(info)]
            return seen if seen.state in readable else Contents(readable[-1])
        data = text.encode("utf-8", "replace")
        # Editors hide the byte order mark and write it back when they save.
        if not text.startswith(BOM) and files.starts_with(self.at(path), BOM.encode()):
            data = BOM.encode() + data
        return Contents("file", data if len(data) <= files.LARGE else data[: files.KEPT_OF_LARGE], len(data))

    def _head(self, path: str) -> Contents:
        if self._disk is files and path not in self._reads and self._text(path) is None:
            data = files.head(self.at(path)) if files.kind_of(self.info(path)) == "file" else None
            if data is not None:
                return Contents("file", data, len(data))
        whole = self.read(path)
        data = files.head_of(whole.data) if whole.state == "file" else None
        return whole if data is None else Contents("file", data, len(data))

    def _stamp(self, path: str) -> Stamp | None:
        """What changes when the file or directory at ``path`` does; None if a change might not show."""
        info = self.info(path)
        text = self._buffers.get(path, info) if self._has_buffers else None
        if text is not None:
            return text
        return None if info is None or time.time_ns() - info.st_mtime_ns < files.RACY else info


def _digest(state: GitState | Records | None) -> str | None:
    """What identifies a state of git, or records; two that are alike have the same."""
    if state is None:
        return None
    from hashlib import sha256  # noqa: PLC0415 - only where git was asked, or records

    return sha256(repr(state).encode("utf-8", "replace")).hexdigest()


class Moment:
    """Whether hosts are current, many of them at the same moment: each path is looked at once for all."""

    __slots__ = ("_buffers", "_found", "_now", "_shared")

    def __init__(self, buffers: Buffers) -> None:
        """``buffers``: what is open."""
        self._buffers = buffers
        self._now: dict[tuple[object, object], Host] = {}
        self._shared: dict[object, tuple[dict[str, Info | None], dict[str, str]]] = {}
        # With the host, so that its number is not that of another one later.
        self._found: dict[int, tuple[Host, bool]] = {}

    def now(self, like: Host) -> Host:
        """A host of this moment that asks the same disk, network, git and clock; for lookups that nobody keeps."""
        disk, asked = like.asks()
        found = self._now.get((disk, asked))
        if found is None:
            found = self._now[disk, asked] = self.joined(like.now_with(self._buffers))
        return found

    def joined(self, host: Host) -> Host:
        """A new ``host``, which from here on looks at no path of its disk that another one of this moment has seen."""
        host.share(*self._shared.setdefault(host.asks()[0], ({}, {"": ""})))
        return host

    def is_current(self, host: Host) -> bool:
        """Whether each lookup of ``host`` would get the same answer."""
        found = self._found.get(id(host))
        if found is None:
            found = self._found[id(host)] = (host, host.agrees(self.now(host)))
        return found[1]


def _day(moment: datetime) -> tuple[object, object]:
    from datetime import UTC  # noqa: PLC0415 - only where a date was asked for

    return moment.date(), moment.astimezone(UTC).date()
