"""A recorded session, request by request: what entered and left its prompt, and where the cache broke.

Its sub-agents are sessions of their own below it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from posixpath import basename

from promptls import harnesses
from promptls.core import specs
from promptls.core.model import START, USED, Call, Turn
from promptls.core.sizes import sizes
from promptls.core.values import dataclass, replace
from promptls.sessions.later import delegating

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Session
    from promptls.core.sizes import Kind
    from promptls.kit.recording import Recorded, RecordedRequest

# A cache that holds less than this part of the last prompt has broken.
HELD = 0.75
# Requests of one session that a text or a page shows.
MOST_SHOWN = 1000
# Of runs of requests in which a file stood, those that are named.
MOST_RUNS = 20
# Prompts that are made for a session with its sub-agents.
MOST = 100
# Of so many of the last compactions a prompt is made, and of the first turn: what stood before is gone by then, but for
# some of the files that come back each time, which a size hardly shows.
FOLLOWED = 4
COMPACTED, RESUMED, STARTED = "compacted", "left out by a new process", "the files of the start"
CLEARED = "cleared with old results of tools"
# If the largest request is more than HUGE times as large as a small one, which is larger than SMALL of all, it would
# hide these: then FIRST of the longest bar is for NEAR times the small one, and the rest of it for all beyond.
SMALL, HUGE, NEAR, FIRST = 0.25, 10, 4, 0.8
# Seconds after which a cache is old, and what is said of a longer time.
OLD = 300
MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Request:
    """One request. ``number`` is from 1; ``standing`` are the instruction files in its prompt, by path.

    ``entered`` and ``left`` are the differences to the request before, ``why_left`` says why. ``sent_again`` are the
    tokens of the last prompt that were not in the cache any more, and ``why_broke`` says why, where that is known.
    ``parts`` are the tokens of the preview of the session up to here, by kind, None where there is none.
    ``is_compacted``: the session was compacted since the request before.
    """

    number: int
    recorded: RecordedRequest
    standing: tuple[str, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...] = ()
    why_left: str = ""
    sent_again: int = 0
    why_broke: str = ""
    parts: tuple[tuple[Kind, int], ...] | None = None
    is_compacted: bool = False

    @property
    def ours(self) -> int | None:
        """The size of the preview in tokens."""
        return sum(tokens for _, tokens in self.parts) if self.parts is not None else None


@dataclass(frozen=True, slots=True)
class Life:
    """A session, or a sub-agent: its requests, and the sub-agents that it started, in order.

    ``after`` is the number of the request of its parent that started it; 0 for a session, and where that is not known.
    """

    recorded: Recorded
    requests: tuple[Request, ...]
    agents: tuple[Life, ...] = ()
    after: int = 0

    def all(self) -> Iterator[Life]:
        """It and every sub-agent below it."""
        yield self
        for each in self.agents:
            yield from each.all()


def life(recorded: Recorded, subagents: Sequence[Recorded], new_host: Callable[[], Host]) -> Life:
    """Every request of a session and of its sub-agents, in order.

    Files of the start that the record does not name are those that today's files bring.
    """
    return _life(recorded, subagents, _Sizes(new_host()), 0)


def _life(recorded: Recorded, others: Sequence[Recorded], sizes: _Sizes, after: int) -> Life:
    found = tuple(_requests(recorded, sizes))
    below = sorted((each for each in others if each.parent == recorded.id), key=lambda each: each.started)
    # What is below itself is a fault of the record.
    rest = [each for each in others if recorded.id not in {each.parent, each.id}]
    agents = tuple(
        _life(each, rest, sizes, after) for each, after in zip(below, _started_after(below, found), strict=True)
    )
    return Life(recorded, found, agents, after)


def _started_after(agents: Sequence[Recorded], found: Sequence[Request]) -> list[int]:
    """The last request that was answered before each sub-agent began: its answer started it."""
    timed = sorted((each.recorded.at, each.number) for each in found if each.recorded.at)
    times = [at for at, _ in timed]
    last = [0, *accumulate((number for _, number in timed), max)]
    return [last[bisect_right(times, each.started)] for each in agents]


def _requests(recorded: Recorded, sizes: _Sizes) -> Iterator[Request]:
    host = sizes.host
    start: Sequence[str] = _at_start(recorded, host, is_known=sizes.is_known(recorded))
    standing: dict[str, None] = {}
    before: RecordedRequest | None = None
    parts = sizes.of(recorded)
    for number, each in enumerate(counted_requests(recorded), 1):
        last = tuple(standing)
        is_compacted = before is not None and each.compactions > before.compactions
        if before is None or is_compacted:
            start = start if each.starts is None else each.starts
            standing = dict.fromkeys(start)
        elif each.forgets:
            standing = {path: None for path in standing if path not in recorded.arrived}
        elif each.cleared:
            standing = {path: None for path in standing if path not in each.cleared}
        standing |= dict.fromkeys(_files(recorded, each.entered, host))
        if each.read and not recorded.names_files:
            standing |= dict.fromkeys(_brought(recorded, each.read, host))
        left = tuple(path for path in last if path not in standing)
        again, why = _broken(before, each, is_compacted=is_compacted)
        yield Request(
            number,
            each,
            tuple(standing),
            tuple(path for path in standing if path not in last),
            left,
            _why_gone(each, is_compacted=is_compacted) if left else "",
            again,
            why,
            parts.get(number),
            is_compacted,
        )
        before = each


def _why_gone(each: RecordedRequest, *, is_compacted: bool) -> str:
    """Why something has left."""
    if is_compacted:
        return COMPACTED
    return RESUMED if each.forgets else CLEARED


def counted_requests(recorded: Recorded) -> list[RecordedRequest]:
    """The requests whose size was counted: what came with another one came with the next."""
    found: list[RecordedRequest] = []
    entered: tuple[str, ...] = ()
    for each in recorded.requests:
        if each.tokens:
            found.append(replace(each, entered=(*entered, *each.entered)) if entered else each)
            entered = ()
        else:
            entered = (*entered, *each.entered)
    return found


def _files(recorded: Recorded, entered: Sequence[str], host: Host) -> Iterator[str]:
    """The files that entered; of a directory, those that a start there has."""
    for path in entered:
        if host.kind(path) == "directory":
            yield from _by_rules(recorded, path, host)
        else:
            yield path


def _at_start(recorded: Recorded, host: Host, *, is_known: bool) -> list[str]:
    """The instruction files of the start, as the record names them, else by the rules, where a preview shows it."""
    # Some programs record where these files were looked for, and not which they were.
    named = [each for each in recorded.start or () if host.kind(each) != "directory"]
    found = named or (_by_rules(recorded, recorded.cwd, host) if is_known else [])
    return [*_own_file(recorded, host), *found] if recorded.parent is not None and is_known else found


def _own_file(recorded: Recorded, host: Host) -> list[str]:
    """The file of a sub-agent, which has its name: its body is the system text."""
    found = harnesses.preview(session_of(recorded, ()), host).candidates
    files = [each.path for each in found if each.use == "agent" and each.outcome in USED and each.path is not None]
    return [each for each in dict.fromkeys(files) if basename(each).partition(".")[0] == recorded.agent][:1]


def _brought(recorded: Recorded, read: Sequence[str], host: Host) -> Iterator[str]:
    """The instruction files that reads bring, by the files of today."""
    turn = Turn(steps=tuple((Call(read=path, was_read=True),) for path in read))
    for each in harnesses.preview(session_of(recorded, (turn,)), host).candidates:
        if each.path is not None and each.use == "instruction" and each.outcome in USED and each.at != START:
            yield each.path


def _by_rules(recorded: Recorded, cwd: str, host: Host) -> list[str]:
    """The instruction files that a start in a directory sends, by the files of today."""
    prompt = harnesses.preview(replace(session_of(recorded, ()), cwd=cwd), host)
    return list(
        dict.fromkeys(
            each.path
            for each in prompt.candidates
            if each.path is not None and each.use == "instruction" and each.outcome in USED and each.at == START
        )
    )


def _broken(before: RecordedRequest | None, each: RecordedRequest, *, is_compacted: bool) -> tuple[int, str]:
    """The tokens of the last prompt that the cache did not hold, and why; 0 where it held."""
    if before is None or each.cached is None or before.is_summary or each.is_summary:
        return 0, ""
    again = min(before.tokens, each.tokens) - each.cached
    if each.cached >= HELD * min(before.tokens, each.tokens):
        return 0, ""
    if is_compacted:
        return again, COMPACTED
    if each.model != before.model:
        return again, "another model"
    return again, later(before.at, each.at) or "what stands before it had changed"


def later(before: str, at: str) -> str:
    """How much later a time is, where a cache is old by then; "" where it is not, or nobody knows."""
    from datetime import datetime  # noqa: PLC0415 - few views show a session

    try:
        seconds = (datetime.fromisoformat(at) - datetime.fromisoformat(before)).total_seconds()
    except (TypeError, ValueError):
        return ""
    if seconds < OLD:
        return ""
    units = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"))
    unit, name = next((unit, name) for unit, name in units if seconds >= unit)
    count = round(seconds / unit)
    return f"{count} {name}s later" if count > 1 else f"{'an' if name == 'hour' else 'a'} {name} later"


def session_of(recorded: Recorded, turns: tuple[Turn, ...]) -> Session:
    """The session of these turns; of a sub-agent, one that has just started it, and these are its steps."""
    session = replace(recorded.session(turns), is_trusted=True)
    if recorded.parent is None or recorded.agent is None or specs.of(recorded.harness).delegation is None:
        return session
    (turn,) = delegating(recorded.harness, (), recorded.agent)
    ((call,),) = turn.steps
    call = replace(call, steps=tuple(step for each in turns for step in each.steps))
    return replace(session, agent=None, turns=(replace(turn, steps=((call,),)),))


class _Sizes:
    """The sizes of previews, by kind; one preview for requests that are alike, and no more than there is time for."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._parts_of: dict[Session, tuple[tuple[Kind, int], ...]] = {}

    def of(self, recorded: Recorded) -> dict[int, tuple[tuple[Kind, int], ...]]:
        """Those of the requests of a session, by its number."""
        found: dict[int, tuple[tuple[Kind, int], ...]] = {}
        if not self.is_known(recorded):
            return found
        turns: list[Turn] = [Turn()]
        compactions = 0
        spec = specs.of(recorded.harness)
        can_compact = "compact" in spec.later and recorded.parent is None
        # Each model of a session that prints is another process; on the screen it may have been chosen there.
        option = spec.another_model if recorded.interactive is False else ""
        first = last = ""
        for number, each in enumerate(counted_requests(recorded), 1):
            if each.compactions > compactions:
                compactions = each.compactions
                turns += [Turn(compact=""), Turn(prompt="")]
                turns = [replace(turn, args=None) for turn in (turns[0], *turns[1:][-2 * FOLLOWED :])]
                first = last = ""
            model = (model_of(recorded, each) if each.model else "") or ""
            if option and last and model not in ("", last):
                turns.append(Turn(prompt="", resumes=True, args=(option, model)))
            last, first = model or last, first or model
            turns[-1] = replace(
                turns[-1], steps=(*turns[-1].steps, *((Call(read=path, was_read=True),) for path in each.read))
            )
            if each.is_summary or (compactions and not can_compact):
                continue
            session = session_of(recorded, tuple(turns))
            parts = self._parts(replace(session, model=(first if option else model) or session.model))
            if parts is None:
                break
            found[number] = parts
        return found

    def is_known(self, recorded: Recorded) -> bool:
        """Whether a preview shows it: one of a sub-agent that cannot be started is that of its parent."""
        if recorded.parent is None:
            return True
        started = session_of(recorded, ())
        ignored = replace(started, turns=tuple(replace(turn, steps=()) for turn in started.turns))
        return started != ignored and self._parts(started) not in (None, self._parts(ignored))

    def _parts(self, session: Session) -> tuple[tuple[Kind, int], ...] | None:
        if session not in self._parts_of:
            if len(self._parts_of) >= MOST:
                return None
            parts: dict[Kind, int] = {}
            for each in sizes(harnesses.preview(session, self.host)):
                parts[each.kind] = parts.get(each.kind, 0) + each.tokens
            self._parts_of[session] = tuple(parts.items())
        return self._parts_of[session]


def model_of(recorded: Recorded, each: RecordedRequest) -> str | None:
    """The model of a request as the harness names it: with its provider, where the session has one."""
    provider = (recorded.model or "").rpartition("/")[0]
    return f"{provider}/{each.model}" if provider and "/" not in each.model else each.model


def shown(run: Life) -> tuple[list[Request], str]:
    """The requests of a session that a view has room for, its first and its last, and what is left out in the middle.

    Sub-agents that the others have started are left out with them.
    """
    over = len(run.requests) - MOST_SHOWN
    if over <= 0:
        return list(run.requests), ""
    half = MOST_SHOWN // 2
    numbers = range(half + 1, half + 1 + over)
    agents = sum(each.after in numbers for each in run.agents)
    also = f" and {agents} sub-agent{'' if agents == 1 else 's'}" if agents else ""
    says = f"{over:,} requests{also} between them are not shown"
    return [*run.requests[:half], *run.requests[-half:]], says


@dataclass(frozen=True, slots=True)
class Scale:
    """How long the bars of a session are: that of ``most`` tokens is 1; what is beyond ``knee`` is drawn shorter."""

    most: int
    knee: int

    @property
    def is_broken(self) -> bool:
        """Whether a part of the longest bar is drawn shorter."""
        return self.knee < self.most

    def at(self, tokens: float) -> float:
        """The end of a bar of so many tokens."""
        if not self.is_broken:
            return tokens / self.most
        beyond = max(tokens - self.knee, 0) / (self.most - self.knee)
        return min(tokens / self.knee, 1) * FIRST + beyond * (1 - FIRST)


def scale_of(found: Life) -> Scale:
    """One on which each bar can be read, also beside one that is huge."""
    sizes = sorted(each.recorded.tokens for run in found.all() for each in run.requests) or [1]
    most, small = sizes[-1], sizes[int(SMALL * (len(sizes) - 1))]
    return Scale(most, NEAR * small if most > HUGE * small else most)


def holding(found: Sequence[Request], paths: frozenset[str]) -> list[tuple[int, int]]:
    """The first and the last number of each run of requests in whose prompts one of the files stood."""
    runs: list[tuple[int, int]] = []
    for each in found:
        if paths.isdisjoint(each.standing):
            continue
        if runs and runs[-1][1] == each.number - 1:
            runs[-1] = runs[-1][0], each.number
        else:
            runs.append((each.number, each.number))
    return runs


def numbered(runs: Sequence[tuple[int, int]]) -> str:
    """Runs of requests as words: of many, the first and the last ones."""
    return few([str(first) if first == last else f"{first} to {last}" for first, last in runs])


def few(words: Sequence[str]) -> str:
    """Words in a row: of many, the first and the last ones."""
    over, half = len(words) - MOST_RUNS, MOST_RUNS // 2
    return ", ".join(words if over <= 0 else [*words[:half], f"{over:,} more", *words[-half:]])
