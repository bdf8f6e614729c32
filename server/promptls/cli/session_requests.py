"""``promptls sessions ID``: a recorded session, request by request. Paths and sizes, and no text of the session."""

from __future__ import annotations

from collections import Counter

from promptls.cli.output import complain, show, width, write_json
from promptls.cli.unwinding import unwinding
from promptls.core.paths import from_home
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.sessions.measured import next_request
from promptls.sessions.turn_by_turn import COMPACTED, MOST, few, holding, life, numbered, scale_of, shown
from promptls.workspace import recordings
from promptls.workspace.machine import home, load_harnesses
from promptls.workspace.request import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.prompt_json import Json
    from promptls.core.render import Style
    from promptls.sessions.turn_by_turn import Life, Request, Scale

BAR = 24
CACHED, NEW, GAP = "░", "█", "»"
LEGEND = (
    f"{CACHED} read from the cache · {NEW} sent anew · ~ counted by promptls, of files of today and without answers"
)
BROKEN = f"{GAP} in a bar, at {{knee:,}} tokens: the rest of it is drawn shorter, so that the others can be read"
MADE = f"? behind the first {MOST} previews, which promptls makes of a session and its sub-agents at most"
NEXT = "next: ~{tokens:,} tokens and what you type: {reported:,} as the program counted, ~{added:,} said since"
FOUND = "The text was in the prompts of requests {runs}{of}, in {paths}."
FOUND_ONCE = "The text was in the prompt of request {runs}{of}, in {paths}."
LEFT = " It left with {left}."
SINCE = f"{COMPACTED} since: no request behind that is recorded, and the next one has not all of these files"
NOT_FOUND = "No instruction file that was sent in this session contains this text today."
UNREAD = "Sub-agents whose requests the records do not have: {names}."


@dataclass(frozen=True, slots=True)
class _Look:
    """What is the same in all rows: the scale of the bars, the columns of the number, and the folder."""

    scale: Scale
    room: int
    folder: str


def show_requests(
    name: str,
    folder: str,
    harness: str | None,
    find: str | None,
    *,
    as_json: bool,
    page: str | None,
    is_shared: bool = False,
) -> int:
    """Show every request of the session; with ``find``, in which of them a text stood.

    ``page``: a file for a page; ``is_shared``: it is for others.
    """
    load_harnesses()
    with unwinding():
        record = recordings.one(name, folder, harness, with_agents=True)
        found = life(record.found, record.agents, Sources().host)
    holders = _holders(found, find, Sources().host()) if find is not None else frozenset()
    if page is not None:
        from promptls.cli.write_page import write_page  # noqa: PLC0415 - only for a page
        from promptls.page.session import session_page  # noqa: PLC0415 - the same

        def made(nonce: str, base: str) -> str:
            return session_page(found, folder, nonce=nonce, base=base, is_shared=is_shared)

        write_page(page, folder, made)
    elif as_json:
        json = _json(found)
        if find is not None:
            runs = holding(found.requests, holders)
            left = [{"request": each.number, "why": each.why_left} for each in _leaving(found, runs)]
            json["found"] = {"paths": sorted(holders), "requests": [list(run) for run in runs], "left": left}
        write_json(json)
    else:
        show([*_lines(found, folder), *(_found(found, holders, folder) if find is not None else ())])
    for sentence in record.unread:
        complain(f"promptls: {sentence}")
    return 0


def _holders(found: Life, text: str, host: Host) -> frozenset[str]:
    """The instruction files of today that stood in the session and have a text."""
    paths = dict.fromkeys(path for run in found.all() for each in run.requests for path in each.standing)
    return frozenset(path for path in paths if text in decode(host.read(path).data, keep_bom=False))


def _found(found: Life, holders: frozenset[str], folder: str) -> Iterator[Line]:
    """In which requests of the session, and of each of its sub-agents, the text stood."""
    yield Line("")
    lines = [line for run in found.all() for line in _held(run, holders, folder, is_main=run is found)]
    yield from lines or [Line(NOT_FOUND)]


def _held(run: Life, holders: frozenset[str], folder: str, *, is_main: bool) -> Iterator[Line]:
    runs = holding(run.requests, holders)
    if not runs:
        return
    paths = " and ".join(sorted(short(each, folder) for each in holders))
    of = "" if is_main else f" of the sub-agent {_agent(run)}"
    text = FOUND_ONCE if len(runs) == 1 and runs[0][0] == runs[0][1] else FOUND
    text = text.format(runs=numbered(runs), paths=paths, of=of)
    left = few([f"request {each.number} ({each.why_left})" for each in _leaving(run, runs)])
    yield Line(text + (LEFT.format(left=left) if left else ""))


def _leaving(run: Life, runs: Sequence[tuple[int, int]]) -> list[Request]:
    """The requests with which a text left that stood in some, where it is known why."""
    ends = {last + 1 for _, last in runs}
    return [each for each in run.requests if each.number in ends and each.why_left]


def _json(found: Life) -> Json:
    return {
        "session": recordings.as_json(found.recorded),
        "requests": [_request(each) for each in found.requests],
        "next": _next(found),
        "agents": [{**_json(each), "after": each.after} for each in found.agents],
    }


def _next(found: Life) -> Json | None:
    known = next_request(found.recorded)
    return {"tokens": known.tokens, "reported": known.reported, "added": known.added} if known is not None else None


def _request(each: Request) -> Json:
    recorded = each.recorded
    return {
        "number": each.number,
        "at": recorded.at or None,
        "model": recorded.model or None,
        "tokens": recorded.tokens,
        "cached": recorded.cached,
        "ours": each.ours,
        "parts": dict(each.parts) if each.parts is not None else None,
        "summary": recorded.is_summary,
        "compacted": recorded.trigger or "unknown" if each.is_compacted else None,
        "compacted_at": recorded.size or None if each.is_compacted else None,
        "standing": list(each.standing),
        "entered": list(each.entered),
        "left": list(each.left),
        "why_left": each.why_left or None,
        "sent_again": each.sent_again,
        "why_broke": each.why_broke or None,
    }


def _lines(found: Life, folder: str) -> Iterator[Line]:
    recorded = found.recorded
    yield Line(" · ".join(recordings.facts(recorded)), "title")
    yield Line(f"{recorded.cwd} · {recorded.id}", "note")
    if not any(run.requests for run in found.all()):
        yield Line("The record has no request that was counted.")
        return
    yield Line("")
    room, scale = 3 + 2 * _depth(found), scale_of(found)
    yield Line(f"{'#':>3}{'':<{room - 3}}  {'time':<5}  {'tokens':>9}  {'ours':>9}  {'':<{BAR}}  what changed", "title")
    yield from _rows(found, _Look(scale, room, folder), 0)
    if (known := next_request(found.recorded)) is not None:
        yield Line(NEXT.format(tokens=known.tokens, reported=known.reported, added=known.added), "note")
    yield Line("")
    yield Line(LEGEND, "note")
    if scale.is_broken:
        yield Line(BROKEN.format(knee=scale.knee), "note")
    if sum(each.parts is not None for run in found.all() for each in run.requests) >= MOST:
        yield Line(MADE, "note")
    if unread := _unread(found):
        yield Line(UNREAD.format(names=", ".join(unread)), "note")
    yield Line("")
    yield Line(f"Not recorded: {recorded.unseen}", "note")


def _depth(found: Life) -> int:
    return max((1 + _depth(each) for each in found.agents), default=0)


def _agent(run: Life) -> str:
    return run.recorded.agent or run.recorded.id


def _unread(found: Life) -> Sequence[str]:
    """What was started, as far as the record of a session says, where nothing else is known of it; each name once."""
    started = Counter(found.recorded.subagents[len(found.agents) :])
    return [name if times == 1 else f"{name} ({times} times)" for name, times in started.items()]


def _rows(run: Life, look: _Look, depth: int) -> Iterator[Line]:
    """The requests of a session, and below the one that started it those of each sub-agent."""
    day, model = "", ""
    unseen = run.recorded.unseen
    yield from (line for each in run.agents if not each.after for line in _of_agent(each, look, depth, unseen))
    requests, left_out = shown(run)
    for at, each in enumerate(requests):
        if left_out and at == len(requests) // 2:
            yield Line(f"{'':<{look.room}}  … {left_out}", "note")
        if each.recorded.at[:10] != day:
            day = each.recorded.at[:10]
            if not depth:
                yield Line(f"     {day}", "note")
        if compacted := _compacted(each):
            yield Line(f"{'':<{look.room}}  {compacted}", "note")
        style: Style = "problem" if each.left or each.sent_again else "text"
        number = f"{'':<{2 * depth}}{each.number:>3}"
        start = f"{number:<{look.room}}  {_counted(each, look.scale)}"
        yield from (Line(text, style) for text in _fitted(start, _says(each, look.folder, model), 2 * depth + 5))
        model = each.recorded.model or model
        started = [agent for agent in run.agents if agent.after == each.number]
        yield from (line for agent in started for line in _of_agent(agent, look, depth, unseen))
    if run.requests and run.recorded.compactions > run.requests[-1].recorded.compactions:
        yield Line(f"{'':<{look.room}}  {SINCE}", "note")


def _compacted(each: Request) -> str:
    """By whom the session was compacted before a request, and how large it was, where no row has that."""
    known = each.recorded
    if not each.is_compacted:
        return ""
    by = f" ({known.trigger})" if known.trigger else ""
    size = f", at {known.size:,} tokens; the request for the summary is not counted" if known.size else ""
    return f"{COMPACTED}{by}{size}"


def _of_agent(run: Life, look: _Look, depth: int, unseen: str) -> Iterator[Line]:
    yield Line(f"{'':<{2 * depth + 2}}└ sub-agent {_agent(run)}", "title")
    # What its record leaves out may be another thing than with its parent.
    if run.recorded.unseen != unseen:
        yield Line(f"{'':<{2 * depth + 4}}{run.recorded.unseen}", "note")
    yield from _rows(run, look, depth + 1)


def _shown(path: str, cwd: str) -> str:
    return from_home(short(path, cwd), home())


def _fitted(start: str, says: list[str], indent: int) -> Iterator[str]:
    """A row, or where the terminal is too narrow, what changed in lines of its own below it."""
    text, columns = f"{start}  {' · '.join(says)}".rstrip(), width(0)
    if not columns or len(text) <= columns:
        yield text
        return
    yield start.rstrip()
    from textwrap import wrap  # noqa: PLC0415 - few terminals are that narrow

    line = " " * indent
    for number, each in enumerate(says):
        part = each if not number else f" · {each}"
        if line.strip() and len(line) + len(part) > columns:
            yield from wrap(line.strip(), columns, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2))
            line, part = " " * indent, each
        line += part
    yield from wrap(line.strip(), columns, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2))


def _counted(each: Request, scale: Scale) -> str:
    known = each.recorded
    width = max(round(scale.at(known.tokens) * BAR), 1)
    old = round(scale.at(known.cached or 0) * BAR)
    bar = CACHED * min(old, width) + NEW * max(width - old, 0)
    if known.tokens > scale.knee:
        knee = round(scale.at(scale.knee) * BAR)
        bar = f"{bar[:knee]}{GAP}{bar[knee + 1 :]}"
    ours = f"~{each.ours:,}" if each.ours is not None else "?"
    return f"{known.at[11:16]:<5}  {known.tokens:>9,}  {ours:>9}  {bar:<{BAR}}"


def _says(each: Request, cwd: str, model: str) -> list[str]:
    known = each.recorded
    says = [known.model] if known.model and known.model != model else []
    says += ["asks for a summary"] if known.is_summary else []
    says += [f"+ {_shown(path, cwd)}" for path in each.entered]
    says += [f"{each.why_left}, gone: {', '.join(_shown(path, cwd) for path in each.left)}"] if each.left else []
    says += [f"cache broke ({each.why_broke}): {each.sent_again:,} tokens sent again"] if each.sent_again else []
    return says
