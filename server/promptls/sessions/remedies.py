"""Changes after which a program gets a file: each is made in memory, and counts only where the previews prove it.

It is proven where the text arrives for the program that is named, and no program loses a line that it had.
"""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.changed import after
from promptls.core.habits import NO_HABITS
from promptls.core.lazy import regex
from promptls.core.model import START, Edit, Fix, Range
from promptls.core.paths import is_below, join, name, parent, relative
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass, field, replace
from promptls.sessions.of_file import file_below
from promptls.sessions.start import noting, start_of
from promptls.sessions.verdict import Remedy, needs_remedy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.habits import Habits
    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.settings import Settings
    from promptls.sessions.explanation import Explanation
    from promptls.sessions.verdict import Asked

AGENTS = "AGENTS.md"
_IMPORT = regex(r"@\S+")
# A file of its own that leads to nothing is not worth a try, and neither is the twentieth way.
MOST_TRIED = 4


def remedies(
    explained: Iterable[Explanation], asked: Asked, host: Host, settings: Settings, habits: Habits = NO_HABITS
) -> dict[str, Remedy]:
    """The first change that works for each harness that goes without the file, by its name."""
    every = list(explained)
    wanting = [each for each in every if needs_remedy(each, asked)]
    if not wanting or host.kind(asked.path) != "file":
        return {}
    trial = _Trial(asked, host, settings, habits, tuple(each.harness for each in every))
    found: dict[str, Remedy] = {}
    for each in wanting:
        tries = list(_tries(each, asked, host))[:MOST_TRIED]
        proven = next((remedy for remedy in tries if trial.works(remedy, each.harness)), None)
        if proven is not None:
            found[each.harness] = proven
    return found


@dataclass(slots=True)
class _Trial:
    """The lines that each harness gets in the reader's session, now and after a change."""

    asked: Asked
    host: Host
    settings: Settings
    habits: Habits
    names: tuple[str, ...]
    before: dict[str, set[str]] = field(default_factory=dict)
    after: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def works(self, remedy: Remedy, harness: str) -> bool:
        text = decode(self.host.read(self.asked.path).data, keep_bom=False)
        wanted = _lines_of(text)
        edits = remedy.fix.edits if remedy.fix is not None else ()
        changed = after(self.host, edits, remedy.links)
        for each in (harness, *(other for other in self.names if other != harness)):
            if each not in self.before:
                self.before[each] = self._lines(each, self.host)
            if (each, remedy.says) not in self.after:
                self.after[each, remedy.says] = self._lines(each, changed)
            got = self.after[each, remedy.says]
            # A line that asks for an import is no loss where it is done.
            if not {line for line in self.before[each] if not _IMPORT.fullmatch(line)} <= got or (
                each == harness and not wanted <= got
            ):
                return False
        return bool(wanted)

    def _lines(self, harness: str, host: Host) -> set[str]:
        start = replace(start_of(harness, self.settings, self.habits), cwd=self.asked.start)
        near = file_below(host, parent(self.asked.path), self.asked.path)
        is_below_start = is_below(self.asked.path, self.asked.start)
        turns = noting(start.harness, (near,)) if near is not None and is_below_start else ()
        return _lines_sent(harnesses.preview(replace(start, turns=turns), host))


def _lines_of(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


def _lines_sent(prompt: Prompt) -> set[str]:
    """The lines of instruction files in a prompt."""
    if prompt.stopped is not None:
        return set()
    texts = [
        segment.text
        for message in prompt.messages
        for segment in message.segments
        if segment.origin.path is not None
        and segment.elided is None
        and (segment.layer != "runtime" or message.at == START)
        and not segment.frame
    ]
    return {line for text in texts for line in _lines_of(text)}


def _tries(found: Explanation, asked: Asked, host: Host) -> Iterator[Remedy]:
    yield from _imported(found, asked, host)
    yield from _renamed(found, asked, host)
    yield from _moved_up(found, asked, host)
    yield from _linked(found, asked, host)


def _imported(found: Explanation, asked: Asked, host: Host) -> Iterator[Remedy]:
    """An import of AGENTS.md in what the harness reads of that directory, or of the start."""
    names = specs.of(found.harness).reads_for_agents
    if not names or name(asked.path) != AGENTS or specs.of(found.harness).imports is None:
        return
    places = [join(directory, each) for directory in (parent(asked.path), asked.start) for each in names]
    for beside in dict.fromkeys(places):
        if host.kind(beside) != "file" or host.realpath(beside) != join(host.realpath(parent(beside)), name(beside)):
            continue
        line = f"@{relative(asked.path, parent(beside))}"
        yield from _respelled(beside, line, host)
        yield Remedy(
            f"write {line} into {beside}", _fix(f"Write {line} into {name(beside)}", _append(host, beside, line))
        )
    beside = join(parent(asked.path), names[0])
    if host.kind(beside) is None:
        line = f"@{AGENTS}"
        edit = Edit(beside, Range(), f"{line}\n")
        yield Remedy(f"put {beside} with the line {line} beside it", _fix(f"Create {name(beside)} with {line}", edit))


def _respelled(beside: str, line: str, host: Host) -> Iterator[Remedy]:
    """The import that is there in another letter case."""
    text = decode(host.read(beside).data, keep_bom=False)
    at = text.lower().find(line.lower())
    written = text[at : at + len(line)]
    if at >= 0 and written != line:
        edit = Edit(beside, LineIndex(text).range(at, at + len(line)), line)
        yield Remedy(f"write {line} for {written} in {beside}", _fix(f"Write {line} for {written}", edit))


def _renamed(found: Explanation, asked: Asked, host: Host) -> Iterator[Remedy]:
    """The name in the spelling that the harness looks for."""
    last = name(asked.path)
    for each in specs.of(found.harness).nested:
        new = join(parent(asked.path), each)
        if each != last and each.lower() == last.lower() and host.kind(new) is None:
            yield Remedy(f"rename it to {new}", _fix(f"Rename it to {each}", Edit(asked.path, rename=new)))


def _moved_up(found: Explanation, asked: Asked, host: Host) -> Iterator[Remedy]:
    """The file in the same place below the reader's start as it has below that which gets it."""
    for cwd in dict.fromkeys(use.cwd for use in found.uses):
        if not is_below(asked.path, cwd) or cwd == asked.start:
            continue
        new = join(asked.start, relative(asked.path, cwd))
        if host.kind(new) is None:
            yield Remedy(f"move it to {new}", _fix(f"Move it to {new}", Edit(asked.path, rename=new)))
        elif host.kind(new) == "file":
            text = decode(host.read(asked.path).data, keep_bom=False).rstrip()
            old = LineIndex(decode(host.read(asked.path).data, keep_bom=False))
            edits = (_append(host, new, text), Edit(asked.path, old.range(0, len(old.text))))
            yield Remedy(f"move it to {new}", _fix(f"Move its text to {new}", *edits))


def _linked(found: Explanation, asked: Asked, host: Host) -> Iterator[Remedy]:
    """A link of the name that the harness looks for, beside the file."""
    if not found.is_unknown or asked.path.rpartition(".")[2] != "md":
        return
    for each in specs.of(found.harness).nested:
        new = join(parent(asked.path), each)
        if each.endswith(".md") and host.kind(new) is None:
            yield Remedy(f"make {new} a link to it", None, {new: asked.path})


def _append(host: Host, path: str, text: str) -> Edit:
    """``text`` at the end of a file."""
    before = decode(host.read(path).data, keep_bom=False)
    ahead = "" if before.endswith("\n\n") or not before else "\n" if before.endswith("\n") else "\n\n"
    return Edit(path, LineIndex(before).range(len(before), len(before)), f"{ahead}{text}\n")


def _fix(title: str, *edits: Edit) -> Fix:
    return Fix(title, edits)
