"""In how many recorded sessions each rule, skill and agent stood in a prompt, and why others never did.

What a record says counts; what it cannot say is computed from the files of today, and marked so.
"""

from __future__ import annotations

from posixpath import basename

from promptls import harnesses
from promptls.core.model import START, USED
from promptls.core.values import dataclass, replace
from promptls.kit.paths import parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Prompt, Session, Use
    from promptls.kit.recording import Recorded

# What has a row: a text of the user's that may be in a prompt, or that is listed in it.
LISTED: tuple[Use, ...] = ("skill", "command", "agent")
COUNTED: tuple[Use, ...] = ("instruction", *LISTED)
# The outcomes of what is there and is not sent.
KNOWN = ("shadowed", "unscoped", "excluded", "disabled", "dropped", "duplicate", "empty", "outside", "failed")


@dataclass(frozen=True, slots=True)
class RuleCount:
    """A file and the sessions of a harness: ``stood`` of ``of``, in ``cut`` of these not whole.

    ``last`` is when the newest session began in which it stood, "" for none. ``why`` says why it never did.
    ``is_computed``: the records do not say so, and it follows from today's files.
    """

    harness: str
    path: str
    use: Use
    stood: int
    cut: int
    of: int
    last: str
    why: str
    is_computed: bool


def rule_counts(
    harness: str, recorded: Sequence[Recorded], possible: Iterable[Prompt], new_host: Callable[[], Host]
) -> list[RuleCount]:
    """A row for each file that the harness could send, those that stood most often first.

    ``recorded`` are its sessions, the newest first; ``possible`` are the prompts of every start and read in the
    folder, which have the files that no session came near.
    """
    counted = [_stood(each, prompt, elsewhere) for each, prompt, elsewhere in _previews(recorded, new_host)]
    named: dict[str, Candidate] = {}
    for each in (*(prompt for *_, prompt in counted), *possible):
        for candidate in each.candidates:
            path = candidate.path
            if path is not None and candidate.use in COUNTED and candidate.outcome in (*USED, *KNOWN):
                before = named.get(path)
                if before is None or (before.outcome not in USED and candidate.outcome in USED):
                    named[path] = candidate
    rows = [_row(harness, path, each, recorded, counted) for path, each in named.items()]
    return sorted(rows, key=lambda row: (-row.stood, row.use != "instruction", row.path))


def _previews(
    recorded: Sequence[Recorded], new_host: Callable[[], Host]
) -> Iterator[tuple[Recorded, Prompt, list[Prompt]]]:
    """Each session with its preview, and those of the other directories in which it was taken up."""
    known: dict[Session, Prompt] = {}
    host = new_host()

    def preview(session: Session) -> Prompt:
        if session not in known:
            known[session] = harnesses.preview(session, host)
        return known[session]

    for each in recorded:
        # Who works in a folder has trusted it, as far as records say.
        session = replace(each.session(), is_trusted=True)
        others = [path for path in dict.fromkeys(each.start or ()) if host.kind(path) == "directory"]
        elsewhere = [replace(session, cwd=path, turns=()) for path in others if not each.is_place(path)]
        yield each, preview(session), [preview(other) for other in elsewhere]


def _stood(
    recorded: Recorded, prompt: Prompt, elsewhere: Sequence[Prompt]
) -> tuple[frozenset[str], frozenset[str], frozenset[str], Prompt]:
    """What stood in the prompts of a session, what of it was cut, and what of it is computed; and its preview."""
    has_start = recorded.start is not None and not any(map(recorded.is_place, recorded.start))
    said = {*(recorded.start or () if has_start else ()), *recorded.arrived, *_called(recorded, prompt)}
    computed = {
        each.path
        for each in prompt.candidates
        if each.path is not None
        and each.outcome in USED
        and each.use in COUNTED
        and (each.use in LISTED or not (has_start if each.at == START else recorded.names_files))
    }
    started = (each for other in elsewhere for each in other.candidates if each.use == "instruction")
    computed |= {each.path for each in started if each.path is not None and each.outcome in USED and each.at == START}
    cut = {each.path for each in prompt.candidates if each.outcome == "cut" and each.path is not None}
    stood = frozenset(said | computed)
    return stood, frozenset(cut) & stood, frozenset(computed - said), prompt


def _called(recorded: Recorded, prompt: Prompt) -> Iterator[str]:
    """The agents that were started, though today they would not be listed: the user has not agreed to today's text."""
    agents = [
        (each, basename(each.path).split(".")[0]) for each in prompt.candidates if each.use == "agent" and each.path
    ]
    listed = {name for each, name in agents if each.outcome in USED}
    for each, name in agents:
        if each.outcome == "excluded" and name in recorded.subagents and name not in listed and each.path is not None:
            yield each.path


def _row(
    harness: str,
    path: str,
    candidate: Candidate,
    recorded: Sequence[Recorded],
    counted: Sequence[tuple[frozenset[str], frozenset[str], frozenset[str], Prompt]],
) -> RuleCount:
    where = [number for number, (stood, *_) in enumerate(counted) if path in stood]
    cut = sum(path in cut for _, cut, *_ in counted)
    last = recorded[where[0]].started if where else ""
    why = "" if where else _why_in_none(path, candidate, recorded, [prompt for *_, prompt in counted])
    is_computed = any(path in computed for *_, computed, _ in counted)
    return RuleCount(harness, path, candidate.use, len(where), cut, len(recorded), last, why, is_computed)


def _why_in_none(path: str, candidate: Candidate, recorded: Sequence[Recorded], prompts: Sequence[Prompt]) -> str:
    """Why a file stood in no prompt: what the newest session says of it, else what would bring it."""
    if not recorded:
        return "no session is recorded here"
    for prompt in prompts:
        for each in prompt.candidates:
            if each.path == path and each.outcome not in USED:
                return each.reason or each.rule
    if candidate.outcome not in USED:
        return candidate.reason or candidate.rule
    if candidate.at != START:
        return f"no session read a file near it, such as in {parent(path)}"
    return "no session was started where it counts"
