"""The files that Claude Code knows from reading or writing them, which it sends again after a compaction."""

from __future__ import annotations

from promptls.core.spec import ending
from promptls.core.values import dataclass, field
from promptls.harnesses.claude_code.files.at_start import AGENTS, CLAUDE, LOCAL, WHY_AGENTS
from promptls.harnesses.claude_code.files.rules import is_refused
from promptls.harnesses.claude_code.setup import CLEAR
from promptls.kit.paths import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable

    from promptls.harnesses.claude_code.files.at_start import LoadedAtStart
    from promptls.harnesses.claude_code.files.on_touch import Reads
    from promptls.harnesses.claude_code.setup import Setup

# The tools whose files count (captured: compact-written).
TOOLS = ("Read", "Write", "Edit")
MILLISECOND = 1_000_000


@dataclass(slots=True)
class ReadFiles:
    """Those of the session so far, as a process knows them that goes on or that has read them itself.

    A process that takes the session up knows what the model read and wrote, by the time of that. What a process has
    read itself it knows by the time at which the file was changed: also the instruction files that came with a read,
    and in the program on the screen those of the start (captured: compact-typed, interactive-compact,
    compact-mtime-interactive).

    Of files that were changed in the same millisecond, the one that it has looked at last comes first. It looks at each
    of them with each prompt and each step, the last one first, which puts them in the reverse order. Those that come
    back with a compaction it reads at once, in any order, and so it does those of the start, if none is read after
    them (seen by verify).
    """

    setup: Setup
    reads: Reads
    earlier: dict[str, None] = field(default_factory=dict)
    # In the order in which it has looked at them.
    own: dict[str, None] = field(default_factory=dict)
    # What was read and what was touched since it looked at all files, and the same of the steps before, of which
    # nobody has asked what came with them.
    read: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    steps: list[tuple[list[str], list[str]]] = field(default_factory=list)
    # What the model itself has read and written in this process, in order.
    asked: dict[str, None] = field(default_factory=dict)
    # Since this process began.
    is_compacted: bool = False

    def start(self) -> None:
        """A process begins to read."""
        if self.is_compacted:
            self.earlier, self.is_compacted = {}, False
        for path in self.asked:
            self.earlier.pop(path, None)
            self.earlier[path] = None
        self.own, self.asked = {}, {}
        self.read, self.touched, self.steps = [], [], []
        # One that was cleared knows nothing of the start (seen by verify).
        if self.setup.is_interactive and self.setup.start != CLEAR:
            self.own.update(dict.fromkeys(of_start(self.setup, self.reads.started)))

    def touch(self, tool: str, paths: Collection[str]) -> None:
        """A call of a tool touches files."""
        self.touched += paths
        for path in paths if tool in TOOLS else ():
            self._add(path)

    def mention(self, files: Collection[str], touched: Collection[str]) -> None:
        """A prompt mentions files: the process reads them itself (seen by verify)."""
        self.touched += touched
        self.read += [path for path in files if ending(path) not in self.setup.facts.binary_ends]

    def _add(self, path: str) -> None:
        if self.setup.host.kind(path) == "file" and not is_refused(self.setup, path):
            self.asked.pop(path, None)
            self.asked[path] = None
            self.read.append(path)

    def looks(self) -> None:
        """It looks at all files: a prompt or a step is done."""
        self.steps.append((self.read, self.touched))
        self.read, self.touched = [], []

    def brought(self) -> None:
        """Count what came with the files that were touched, though an earlier process has sent it."""
        for read, touched in self.steps:
            for path in read:
                self.own.pop(path, None)
                self.own[path] = None
            self.own = dict(reversed(self.own.items()))
            for path in touched:
                self.own.update(dict.fromkeys(self.reads.about(path)))
        self.steps = []

    def keep(self, paths: Iterable[str], kept: Container[str]) -> None:
        """A compaction forgets all others, also those of a step that it keeps (seen by verify).

        A later process finds those of the step, ``kept``, in the history, and none that was sent again (the same).
        """
        self.own = {path: None for path in self.own if path in {*paths}}
        self.asked = {path: None for path in self.asked if path in kept}
        self.is_compacted = True

    def last(self, most: int, without: Iterable[str]) -> list[str]:
        """So many of them: what an earlier process read, the last one first; then by the time of the change."""
        host, out = self.setup.host, {*without, *never(self.setup)}
        own = [*reversed(self.own)]
        own.sort(key=lambda path: -(host.modified(path) // MILLISECOND))
        in_order = [*(path for path in reversed(self.earlier) if path not in self.own), *own]
        return [path for path in in_order if path not in out and host.kind(path) == "file"][:most]


def within_a_millisecond(setup: Setup, paths: Iterable[str]) -> bool:
    """Whether some were changed so shortly after each other that the program takes it for the same time."""
    times = [setup.host.modified(path) // MILLISECOND for path in paths]
    return len({*times}) < len(times)


def of_start(setup: Setup, started: LoadedAtStart) -> list[str]:
    """The files of the start that the program on the screen keeps an eye on; AGENTS.md is not one of them.

    (captured: interactive-compact, interactive-compact-agents-md)
    """
    entries = [each for each in started.entries if each.kind != "memory"]
    is_agents = {each.path for each in entries if each.path.endswith(f"/{AGENTS}") and each.why == WHY_AGENTS}
    return [each.path for each in entries if each.path not in is_agents and each.path not in never(setup)]


def never(setup: Setup) -> tuple[str, ...]:
    """What is sent anew anyway (captured: interactive-compact; specification, later, 4)."""
    places = ((setup.managed, CLAUDE), (setup.directory, CLAUDE), (setup.cwd, CLAUDE), (setup.cwd, LOCAL))
    return tuple(join(directory, name) for directory, name in places)
