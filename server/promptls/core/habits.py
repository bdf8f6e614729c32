"""What the machine knows of its user: which harnesses they start, in which version, and how they last did.

Plain values. ``sessions/habits.py`` makes them, by lookups through a host; nothing is run for it.
"""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # The newest sessions that a harness recorded in a folder, at most one of each harness, and what could not be read.
    Recorder = Callable[[str], "Records"]


@dataclass(frozen=True, slots=True)
class Recent:
    """The last session of a harness that was recorded in a folder: how it was started.

    What the record does not say is "" or None. ``cwd`` is absolute; ``day`` is that of its start, as 2026-11-22;
    ``started`` the whole time, as ISO 8601 in UTC. ``mode`` is the harness's own word for what may be done unasked,
    ``mode_args`` the part of a command line that says so, where the harness has no word for it.
    """

    harness: str
    cwd: str
    started: str = ""
    version: str = ""
    model: str | None = None
    agent: str | None = None
    mode: str | None = None
    mode_args: tuple[str, ...] = ()
    interactive: bool | None = None
    editor: bool | None = None

    @property
    def day(self) -> str:
        """The day of the start."""
        return self.started[:10]


@dataclass(frozen=True, slots=True)
class Records:
    """What was recorded in a folder, the newest first. ``unread`` are sentences on what could not be read."""

    recent: tuple[Recent, ...] = ()
    unread: tuple[str, ...] = ()


NO_RECORDS = Records()


@dataclass(frozen=True, slots=True)
class Own:
    """A harness that the user has: what shows it.

    ``chosen``: as they have named it, with a version if they did. ``command``: the first on PATH, with its ``version``
    where that can be read; ``others`` are further commands of the same name on PATH, which are not started. ``home``:
    what of it stands in their home directory. ``recent``: its last session in this folder.
    """

    harness: str
    chosen: str = ""
    command: str = ""
    version: str = ""
    others: tuple[str, ...] = ()
    home: tuple[str, ...] = ()
    recent: Recent | None = None

    @property
    def is_gone(self) -> bool:
        """Whether it has left its files, and is no longer there to be started, as far as that can be seen."""
        return not self.command and not self.chosen

    def program_of(self, version: str) -> str | None:
        """The command of this version; None where it is of another one, or nobody can tell."""
        return self.command if self.version and self.version == version else None


@dataclass(frozen=True, slots=True)
class Habits:
    """The harnesses of the user, the one they use most in this folder first.

    ``is_asked_for``: the user has chosen them. ``is_answered``: they have said which they use, if only that promptls
    should go by what it finds, so they are not asked. ``off``: why nothing was looked for, "" where it was. ``unread``
    are sentences on what could not be read.
    """

    own: tuple[Own, ...] = ()
    is_asked_for: bool = False
    is_answered: bool = False
    off: str = ""
    unread: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """The names of the harnesses."""
        return tuple(each.harness for each in self.own)

    def chosen(self) -> tuple[str, ...]:
        """Those that the user has chosen, with a version where they have said one."""
        return tuple(each.chosen for each in self.own if each.chosen)

    def of(self, harness: str) -> Own | None:
        """What is known of a harness; None where the user does not have it."""
        return next((each for each in self.own if each.harness == harness), None)

    @property
    def last(self) -> Recent | None:
        """The newest session that was recorded here, of whichever harness."""
        return max((own.recent for own in self.own if own.recent), key=lambda each: each.started, default=None)

    @property
    def is_clear(self) -> bool:
        """Whether it is known which one the user means: they have one, have said so, or have used it here."""
        return len(self.own) == 1 or self.is_asked_for or (bool(self.own) and self.own[0].recent is not None)


NO_HABITS = Habits()


def no_records(_folder: str) -> Records:
    """Read no records."""
    return NO_RECORDS


def newest(found: Sequence[Recent]) -> tuple[Recent, ...]:
    """The newest of each harness, the newest first."""
    ordered = sorted(found, key=lambda each: each.started, reverse=True)
    return tuple({each.harness: each for each in reversed(ordered)}.values())[::-1]
