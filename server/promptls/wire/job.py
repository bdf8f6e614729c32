"""What the runner is asked to do and what it answers, each a line of JSON."""

from __future__ import annotations

from itertools import accumulate

from promptls.core.values import dataclass, field
from promptls.wire.replies import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptls.kit.launch import Protocol
    from promptls.wire.enclosure import Means
    from promptls.wire.visible_disk import Bind, Link


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: in texts ``PORT`` stands for the recorder's port.

    ``arguments`` and ``answers``: for each turn a command line, None for what is typed into the running program, and
    each answer: the ``ways`` of each call, and fields of ``Planned``. ``version``: an expression for what the program
    calls itself; it is asked unless its version is known. ``typed``: for each turn of a program on the screen, what is
    typed; () for one that prints. ``dialogs``: what it may ask first, with the keys that answer it; ``keys``: those
    pressed before the first prompt; ``leaves``: what is typed to end it; ``after_paste``: as in
    ``kit.launch.OnScreen``. ``speaks``: the protocol over which an editor sends what is typed, in place of a
    screen, and the mode and the agent that are ``chosen`` there. ``aside``: what is answered to requests that are no
    main ones; ``asks``: an expression for a request for a summary that is sent beside others;
    ``tasks``: as in ``Recorder``;
    ``progress``: one for requests that are no main ones though they offer tools; they are not answered.
    ``launcher``: a command that is given ``command`` and its arguments, to start it; [] for none.
    ``printed``: what the program prints is taken for its request. ``home``: the scratch home.
    ``means``: what encloses the program, which is not started without. ``binds`` and ``links``: what it sees of the
    disk, as in ``visible.Enclosure``; with means that do not move files, what it may write. Where they do, ``command``,
    ``arguments``, ``variables`` and ``cwd`` have paths as the program sees them; ``home`` and the paths of ``settings``
    never do. ``inputs``: what is piped to the program in each turn.
    ``quiet``: nobody knows what is wanted; the program runs until it ends, or asks nothing for so many seconds.
    ``reads``: files that it is then asked to read, one with each answer.
    """

    command: str
    arguments: list[list[str] | None]
    variables: dict[str, str]
    cwd: str
    settings: dict[str, str]
    version: str
    main: list[str]
    home: str = ""
    known_version: str = ""
    launcher: list[str] = field(default_factory=list)
    answers: list[list[dict[str, Any]]] = field(default_factory=list)
    patience: float = 60.0
    printed: bool = False
    means: Means = "asked"
    binds: list[Bind] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    inputs: list[str | None] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    dialogs: list[tuple[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    leaves: str = ""
    after_paste: str = ""
    speaks: Protocol | None = None
    chosen: list[str] = field(default_factory=list)
    aside: str = TEXT
    asks: str = ""
    tasks: str = ""
    progress: str = ""
    quiet: float = 0.0
    reads: list[str] = field(default_factory=list)

    @property
    def wanted(self) -> list[int]:
        """How many main requests are wanted by the end of each turn."""
        return list(accumulate(map(len, self.answers)))


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it.

    ``end``: ``done``, ``exited``, ``late``, ``large``, ``failed``, ``other`` (another program), ``open`` (it could not
    be enclosed, and was not started; ``output`` says why). ``output`` is the last that the program printed;
    ``requests`` are the main ones, as JSON; ``paths`` are those of the others, with their methods.
    """

    end: str
    means: Means = "asked"
    version: str = ""
    output: str = ""
    code: int | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    others: int = 0
    hosts: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
