"""``promptls sessions ID``: a recorded session, request by request. Paths and sizes, and no text of the session."""

from __future__ import annotations

from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import specs
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.core.text import decode
from promptls.sessions.turn_by_turn import holding, requests
from promptls.workspace import recordings
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.prompt_json import Json
    from promptls.kit.recording import Recorded
    from promptls.sessions.turn_by_turn import Request

BAR = 24
CACHED, NEW = "░", "█"
LEGEND = (
    f"{CACHED} read from the cache · {NEW} sent anew · ~ counted by promptls, of files of today and without answers"
)
FOUND = "The text stood in the prompts of requests {runs}, in {paths}."
LEFT = " It left with request {number}: {why}."
NOT_FOUND = "No instruction file of today that stood in this session has this text."


def show_requests(name: str, folder: str, harness: str | None, find: str | None, *, as_json: bool) -> int:
    """Show every request of the session; with ``find``, in which of them a text stood."""
    load_harnesses()
    with unwinding():
        record = recordings.one(name, folder, harness)
        found = requests(record.found, Sources().host)
    holders = _holders(found, find, Sources().host()) if find is not None else frozenset()
    if as_json:
        json = {"session": recordings.as_json(record.found), "requests": [_json(each) for each in found]}
        if find is not None:
            json["found"] = {"paths": sorted(holders), "requests": [list(run) for run in holding(found, holders)]}
        write_json(json)
    else:
        show([*_lines(record.found, found), *(_found(found, holders, folder) if find is not None else ())])
    for sentence in record.said:
        complain(f"promptls: {sentence}")
    return 0


def _holders(found: Sequence[Request], text: str, host: Host) -> frozenset[str]:
    """The instruction files of today that stood in the session and have a text."""
    paths = dict.fromkeys(path for each in found for path in each.standing)
    return frozenset(path for path in paths if text in decode(host.read(path).data, keep_bom=False))


def _found(found: Sequence[Request], holders: frozenset[str], folder: str) -> Iterator[Line]:
    runs = holding(found, holders)
    yield Line("")
    if not runs:
        yield Line(NOT_FOUND)
        return
    said = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)
    text = FOUND.format(runs=said, paths=" and ".join(sorted(short(each, folder) for each in holders)))
    after = next((each for each in found if each.number == runs[-1][1] + 1), None)
    yield Line(text + (LEFT.format(number=after.number, why=after.why_left) if after and after.why_left else ""))


def _json(each: Request) -> Json:
    recorded = each.recorded
    return {
        "number": each.number,
        "at": recorded.at or None,
        "model": recorded.model or None,
        "tokens": recorded.tokens,
        "cached": recorded.cached,
        "ours": each.ours,
        "summary": recorded.is_summary,
        "standing": list(each.standing),
        "entered": list(each.entered),
        "left": list(each.left),
        "why_left": each.why_left or None,
        "sent_again": each.sent_again,
        "why_broke": each.why_broke or None,
    }


def _lines(recorded: Recorded, found: Sequence[Request]) -> Iterator[Line]:
    title = specs.of(recorded.harness).title
    how = {True: "interactive", False: "print"}.get(recorded.interactive) if recorded.interactive is not None else None
    facts = (f"{title} {recorded.version}".rstrip(), recordings.when(recorded), how, recorded.mode)
    yield Line(" · ".join(each for each in facts if each), "title")
    yield Line(f"{recorded.cwd} · {recorded.id}", "note")
    if not found:
        yield Line("The record has no request that was counted.")
        return
    yield Line("")
    most = max(each.recorded.tokens for each in found)
    yield Line(f"{'#':>3}  {'time':<5}  {'tokens':>9}  {'ours':>9}  {'':<{BAR}}  what changed", "title")
    day, model = "", ""
    for each in found:
        if each.recorded.at[:10] != day:
            day = each.recorded.at[:10]
            yield Line(f"     {day}", "note")
        yield Line(_row(each, most, recorded, model), "problem" if each.left or each.sent_again else "text")
        model = each.recorded.model or model
    yield Line("")
    yield Line(LEGEND, "note")
    if recorded.subagents:
        yield Line("")
        yield Line(f"Sub-agents: {', '.join(recorded.subagents)}", "text")
    yield Line("")
    yield Line(f"Not recorded: {recorded.unseen}", "note")


def _row(each: Request, most: int, recorded: Recorded, model: str) -> str:
    known = each.recorded
    width = max(round(known.tokens / most * BAR), 1)
    old = round((known.cached or 0) / known.tokens * width)
    bar = CACHED * min(old, width) + NEW * max(width - old, 0)
    ours = f"~{each.ours:,}" if each.ours is not None else "?"
    start = f"{each.number:>3}  {known.at[11:16]:<5}  {known.tokens:>9,}  {ours:>9}  {bar:<{BAR}}"
    says = [known.model] if known.model and known.model != model else []
    says += ["asks for a summary"] if known.is_summary else []
    says += [f"+ {short(path, recorded.cwd)}" for path in each.entered]
    says += (
        [f"{each.why_left}, gone: {', '.join(short(path, recorded.cwd) for path in each.left)}"] if each.left else []
    )
    says += [f"cache broke ({each.why_broke}): {each.sent_again:,} tokens sent again"] if each.sent_again else []
    return f"{start}  {' · '.join(says)}".rstrip()
