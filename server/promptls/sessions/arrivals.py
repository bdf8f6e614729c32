"""Which instruction files reached a recorded session, and which never did: its records against its preview."""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.model import OF_TEXTS, START, USED, Call, Turn
from promptls.core.uses import listed
from promptls.core.values import dataclass, replace
from promptls.kit.paths import is_absolute, is_below, join, parent, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Literal

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt, Session
    from promptls.kit.recording import Recorded, Touched

    # ``start``: sent at the start; ``arrived``: came later; ``expected``: the rules bring it, and the records cannot
    # say so; ``never``: it did not come, though it is there.
    Outcome = Literal["start", "arrived", "expected", "never"]

# Calls that are followed up: each of them is a preview.
MOST = 40
_WORD = regex(r"[^\s'\"|;&<>()]+")


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came of an instruction file, and why, as a sentence."""

    path: str
    outcome: Outcome
    why: str


def arrivals(recorded: Recorded, session: Session, new_host: Callable[[], Host]) -> list[Arrival]:
    """Every instruction file that reached the session or could have, each once, in this order.

    ``session`` is the recorded one. Files are those of today: where that may explain a difference, it is said.
    """
    host = new_host()
    by_rules = _sent(harnesses.preview(session, host))
    found = {arrival.path: arrival for arrival in _recorded(recorded, by_rules)}
    for path, candidate in by_rules.items():
        found.setdefault(path, _by_rules(recorded, path, candidate))
    for arrival in _only_touched(recorded, session, set(found), new_host, host):
        found.setdefault(arrival.path, arrival)
    return list(found.values())


def _sent(prompt: Prompt) -> dict[str, Candidate]:
    """The files whose text is sent, with what says so first."""
    found: dict[str, Candidate] = {}
    for each in prompt.candidates:
        if each.path is not None and each.outcome in USED and each.use in OF_TEXTS:
            found.setdefault(each.path, each)
    return found


def _recorded(recorded: Recorded, by_rules: Collection[str]) -> Iterator[Arrival]:
    for path in recorded.start or ():
        if not recorded.is_place(path):
            changed = "" if path in by_rules else " Today's files would not bring it."
            yield Arrival(path, "start", f"The record has it at the start.{changed}")
    for path in recorded.arrived:
        changed = "" if path in by_rules else " Today's files would not bring it."
        yield Arrival(path, "arrived", f"The record has it after a file was read.{changed}")


def _by_rules(recorded: Recorded, path: str, candidate: Candidate) -> Arrival:
    # Where a record names files, they are instruction files: what is listed, such as a skill, is not among them.
    is_named = candidate.use == "instruction"
    if candidate.at == START:
        if not is_named or recorded.start is None or any(map(recorded.is_place, recorded.start)):
            what = listed(candidate.use) or "sent"
            return Arrival(path, "expected", f"By the rules it is {what} at the start. The record does not name it.")
        return Arrival(path, "never", "The record of the start does not have it. It may be newer than the session.")
    what = candidate.at.partition(":")[2]
    if not is_named or not recorded.names_files:
        return Arrival(path, "expected", f"By the rules {what} brings it. The record does not name it.")
    why = f"{what} was read, and the record does not have it. It may be newer than the session."
    return Arrival(path, "never", why)


def _only_touched(
    recorded: Recorded, session: Session, known: set[str], new_host: Callable[[], Host], host: Host
) -> Iterator[Arrival]:
    """Files that would have come if what a call only touched had been read."""
    spec = specs.of(recorded.harness)
    for call, path, is_directory in _paths(recorded, host):
        read = _file_in(host, path, spec.nested) if is_directory else path
        if spec.is_nested_on_read:
            tried = replace(session, turns=(*session.turns, Turn(steps=((Call(read=read),),))))
            brought = list(_sent(harnesses.preview(tried, new_host())))
            because = f"{path} was only touched by {call.tool}, which brings no instructions."
        else:
            brought = list(_nested(host, read, recorded.cwd, spec.nested))
            because = f"{path} was touched by {call.tool}, but {spec.title} loads nothing below where it is started."
        for each in brought:
            if each not in known:
                known.add(each)
                yield Arrival(each, "never", because + (" The call failed." if call.failed else ""))


def _file_in(host: Host, directory: str, nested: Collection[str]) -> str:
    """A file of a directory: programs that fail to read bring nothing, nor do some that read what they would bring."""
    names = [entry.name for entry in host.entries(directory) if not entry.is_directory]
    return join(directory, min(names, key=lambda name: (name in nested, name), default="*"))


def _nested(host: Host, path: str, cwd: str, names: Sequence[str]) -> Iterator[str]:
    """The instruction files between the directory of ``path`` and ``cwd``."""
    for directory in upwards(parent(path), cwd) if is_below(path, cwd) else ():
        for name in names:
            file = join(directory, name)
            if directory != cwd and host.kind(file) == "file":
                yield file


def _paths(recorded: Recorded, host: Host) -> Iterator[tuple[Touched, str, bool]]:
    """The calls with a path that they name and that is there, and whether it is a directory."""
    seen: set[str] = set(recorded.reads)
    for call in recorded.touched:
        for word in (call.target, *_WORD.findall(call.target)):
            path = resolve(recorded.cwd, word) if word and not word.startswith("-") else ""
            if not is_absolute(path, path) or path in seen or len(seen) > MOST + len(recorded.reads):
                continue
            kind = host.kind(path)
            if kind is not None:
                seen.add(path)
                yield call, path, kind == "directory"
                break
