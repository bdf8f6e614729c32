"""A recorded session as one page: a bar for each request, coloured as the map is. It has no text of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptls.core.paths import from_home, name
from promptls.page.elements import Links, element, heads, table
from promptls.page.frame import LEGEND, framed, legend
from promptls.sessions.turn_by_turn import MOST, holding, numbered, scale_of, shown
from promptls.workspace.machine import home
from promptls.workspace.recordings import facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from xml.etree.ElementTree import Element

    from promptls.core.sizes import Kind
    from promptls.page.elements import Child
    from promptls.sessions.turn_by_turn import Life, Request, Scale

# The width of a bar and of what it is measured in, and of the gap where its scale changes; the tops and heights of what
# is sent, and of what was in the cache.
WIDTH, HEIGHT, GAP = 1000, 20, 6
SENT, CACHED = (0, 14), (16, 4)
# In a session, what was said, read and answered is not in a preview: it is the rest of what the program counted.
ORDER: tuple[Kind, ...] = (*(kind for kind in LEGEND if kind != "typed"), "typed")
SAYS: dict[Kind, str] = {kind: LEGEND[kind] if kind != "typed" else "said, read and answered" for kind in ORDER}
SECTIONS = ("requests", "Requests"), ("files", "Files")
HEADS = ("", "time", "tokens", "ours", "what is in it, and what changed")
NOTES = "Tokens are counted by the program; ours are those of the preview, of today's files and without what was said."
BROKEN = "Behind the gap in a bar, at {knee:,} tokens, the rest of it is drawn shorter, so that the others can be read."
LINE = "The line below a bar is what was read from the cache; red is what had to be sent again because the cache broke."
NONE = "The record has no request that was counted."


def session_page(found: Life, folder: str, *, nonce: str, base: str | None = None, is_shared: bool = False) -> str:
    """The page of a session with its sub-agents; ``base``: the directory that links are relative to.

    ``is_shared``: as ``Links`` has it.
    """
    links = Links(folder, base or folder, is_shared)
    top = found.recorded
    place = () if is_shared else (element("br"), _far(f"{top.cwd} · {top.id}"))
    says = " · ".join(filter(None, (top.harness, top.model))) if is_shared else " · ".join(facts(top))
    parts = (element("p", says, *place), *_summary(found))
    sections = (_requests(found, links), _files(found, links))
    return framed(
        "A session" if is_shared else f"A session in {name(top.cwd) or top.cwd}",
        SECTIONS,
        (*parts, *sections),
        nonce=nonce,
        name="session",
    )


def _far(text: str) -> str:
    return from_home(text, home())


def _summary(found: Life) -> Iterator[Element]:
    """What happened in it, in a few numbers."""
    requests = found.requests
    if not requests:
        return
    broke = [each.sent_again for each in requests if each.sent_again]
    agents = sum(1 for _ in found.all()) - 1
    says = (
        _count(len(requests), "request"),
        f"up to {max(each.recorded.tokens for each in requests):,} tokens",
        _count(agents, "sub-agent") if agents else "",
        f"compacted {_times(found.recorded.compactions)}" if found.recorded.compactions else "",
        f"the cache broke {_times(len(broke))}: {sum(broke):,} tokens sent again" if broke else "",
    )
    yield element("p", " · ".join(filter(None, says)), class_="sum")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _requests(found: Life, links: Links) -> Element:
    """A row for each request, with those of a sub-agent below the one that started it."""
    every = [each for run in found.all() for each in run.requests]
    title = element("h2", "One bar for each request")
    if not every:
        return element("section", title, element("p", NONE), id="requests")
    scale = scale_of(found)
    kinds = {kind for each in every for kind, tokens in _parts(each) if tokens}
    changed = element("button", "Only where something changed", type="button", id="changed", class_="toggle")
    changed.set("aria-pressed", "false")
    rows = element("tbody", *_rows(found, scale, links, 0))
    scroll = table("Requests of the session", heads(*HEADS), rows)
    unseen = element("p", f"Not recorded: {found.recorded.unseen}")
    says = [element("p", LINE)] if any(each.recorded.cached for each in every) else []
    says += [element("p", BROKEN.format(knee=scale.knee))] if scale.is_broken else []
    keys = [legend(kinds, SAYS), *says]
    return element("section", title, *keys, changed, scroll, element("p", NOTES), unseen, id="requests")


def _rows(run: Life, scale: Scale, links: Links, depth: int) -> Iterator[Element]:
    day, model = "", ""
    for agent in run.agents:
        if not agent.after:
            yield from _agent(agent, scale, links, depth, run.recorded.unseen)
    requests, left_out = shown(run)
    for at, each in enumerate(requests):
        if left_out and at == len(requests) // 2:
            head = element("th", f"… {left_out}", colspan=str(len(HEADS)), scope="rowgroup")
            yield element("tr", head, class_="day")
        if each.recorded.at[:10] != day and not depth:
            day = each.recorded.at[:10]
            yield element("tr", element("th", day, colspan=str(len(HEADS)), scope="rowgroup"), class_="day")
        yield _row(each, scale, links, depth, model)
        model = each.recorded.model or model
        for agent in run.agents:
            if agent.after == each.number:
                yield from _agent(agent, scale, links, depth, run.recorded.unseen)


def _agent(run: Life, scale: Scale, links: Links, depth: int, unseen: str) -> Iterator[Element]:
    """A sub-agent: its name, and its rows."""
    text = f"↳ sub-agent{'' if links.is_shared else f' {_name(run)}'} · {_count(len(run.requests), 'request')}"
    # What its record leaves out may be another thing than with its parent.
    note = [element("i", f" {run.recorded.unseen}")] if run.recorded.unseen != unseen else []
    head = element("th", text, *note, colspan=str(len(HEADS)), scope="rowgroup")
    yield element("tr", head, class_=f"agent d{depth + 1}")
    yield from _rows(run, scale, links, depth + 1)


def _name(run: Life) -> str:
    return run.recorded.agent or run.recorded.id


def _row(each: Request, scale: Scale, links: Links, depth: int, model: str) -> Element:
    known = each.recorded
    says = list(_changes(each, links, model))
    ours = f"~{each.ours:,}" if each.ours is not None else "?"
    changes = [element("ul", *(element("li", *parts, class_=kind) for kind, parts in says))] if says else []
    return element(
        "tr",
        element("th", str(each.number), scope="row"),
        element("td", known.at[11:16]),
        element("td", f"{known.tokens:,}"),
        element("td", ours),
        element("td", _bar(each, scale), *changes),
        class_=" ".join(filter(None, (f"d{depth}" if depth else "", "" if says else "plain"))) or None,
    )


def _changes(each: Request, links: Links, model: str) -> Iterator[tuple[str, list[Child]]]:
    """What is new in a request, with the class of each."""
    known = each.recorded
    if known.model and known.model != model:
        yield "model", [known.model]
    if each.is_compacted:
        by = f" ({known.trigger})" if known.trigger else ""
        yield "summary", [f"compacted before it{by}{f', at {known.size:,} tokens' if known.size else ''}"]
    if known.is_summary:
        yield "summary", ["asks for a summary"]
    for path in each.entered:
        yield "entered", ["+ ", _link(path, links)]
    for path in each.left:
        yield "left", ["- ", _link(path, links), *([] if links.is_shared else [f" {each.why_left}"])]
    if each.sent_again:
        why = "" if links.is_shared else f", {each.why_broke}"
        yield "broke", [f"the cache broke{why}: {each.sent_again:,} tokens sent again"]


def _link(path: str, links: Links) -> Element:
    shown = links.name(path)
    return links.link(path, _far(path) if shown.startswith("..") and not links.is_shared else shown)


def _parts(each: Request) -> list[tuple[Kind, int]]:
    """What the tokens of a request are: the preview's, and the rest; they are the whole that the program counted."""
    total, ours = each.recorded.tokens, dict(each.parts or ())
    said = max(total - sum(ours.values()), 0) + ours.pop("typed", 0)
    over = sum(ours.values()) + said
    found: list[tuple[Kind, int]] = [(kind, round(ours[kind] * total / over)) for kind in ORDER if ours.get(kind)]
    return [*found, ("typed", total - sum(tokens for _, tokens in found))]


def _bar(each: Request, scale: Scale) -> Element:
    """The bar; of what nobody knows it is one piece."""
    known = each.recorded
    pieces: list[Element] = []
    at = 0
    for kind, tokens in _parts(each) if each.parts is not None else ():
        pieces.append(_sized(scale, (at, at + tokens), SENT, kind, SAYS[kind]))
        at += tokens
    if each.parts is None:
        pieces.append(_sized(scale, (0, known.tokens), SENT, "unknown", "what is in it is not known"))
    cached, again = known.cached or 0, each.sent_again
    if cached:
        pieces.append(_sized(scale, (0, cached), CACHED, "cached", "read from the cache"))
    if again:
        pieces.append(_sized(scale, (cached, cached + again), CACHED, "again", "sent again"))
    if known.tokens > scale.knee:
        pieces.append(_piece(scale.at(scale.knee) * WIDTH, GAP, (0, HEIGHT), "gap"))
    box = f"0 0 {WIDTH} {HEIGHT}"
    bar = element("svg", *pieces, viewBox=box, preserveAspectRatio="none", class_="bar", role="img")
    bar.set("aria-label", _spoken(each))
    return bar


def _spoken(each: Request) -> str:
    kinds = [f"{SAYS[kind]} {tokens:,}" for kind, tokens in _parts(each) if tokens] if each.parts is not None else ["?"]
    cached = each.recorded.cached
    return ", ".join((*kinds, *((f"{cached:,} from the cache",) if cached is not None else ())))


def _sized(scale: Scale, tokens: tuple[int, int], row: tuple[int, int], kind: str, says: str) -> Element:
    """The piece of a bar from the first to the last of its ``tokens``."""
    left, right = (scale.at(each) * WIDTH for each in tokens)
    return _piece(left, right - left, row, kind, f"{says}: {tokens[1] - tokens[0]:,} tokens")


def _piece(left: float, width: float, row: tuple[int, int], kind: str, says: str = "") -> Element:
    place = {"x": f"{left:.1f}", "width": f"{width:.1f}", "y": str(row[0]), "height": str(row[1])}
    return element("rect", *([element("title", says)] if says else []), class_=kind, **place)


def _files(found: Life, links: Links) -> Element:
    """In which requests each instruction file stood."""
    runs = [*found.all()]
    rows = [_file(path, run, links) for run in runs[: MOST + 1] for path in _standing(run.requests)]
    if len(runs) > MOST + 1:
        more = f"… {_count(len(runs) - MOST - 1, 'sub-agent')} more"
        rows.append(element("tr", element("th", more, colspan="3", scope="row")))
    title = element("h2", "When each instruction file was in the prompt")
    shown = table("Files by request", heads("", "requests", ""), element("tbody", *rows))
    return element("section", title, shown, id="files")


def _standing(requests: Iterable[Request]) -> list[str]:
    return list(dict.fromkeys(path for each in requests for path in each.standing))


def _file(path: str, run: Life, links: Links) -> Element:
    runs = holding(run.requests, frozenset((path,)))
    last = run.requests[-1].number
    says = "all" if runs == [(1, last)] else numbered(runs)
    of = f" in {_name(run)}" if run.recorded.parent and not links.is_shared else ""
    return element(
        "tr",
        element("th", _link(path, links), of, scope="row"),
        element("td", says),
        element("td", _strip(runs, last, says)),
    )


def _strip(runs: Sequence[tuple[int, int]], last: int, says: str) -> Element:
    each = WIDTH / last
    # What is nearer than can be seen is one piece.
    joined: list[tuple[int, int]] = []
    for first, to in runs:
        if joined and (first - joined[-1][1]) * each < 1:
            joined[-1] = joined[-1][0], to
        else:
            joined.append((first, to))
    pieces = [_piece((first - 1) * each, (to - first + 1) * each, SENT, "file", says) for first, to in joined]
    strip = element("svg", *pieces, viewBox=f"0 0 {WIDTH} {SENT[1]}", preserveAspectRatio="none", class_="strip")
    strip.set("role", "img")
    strip.set("aria-label", f"requests {says} of {last}")
    return strip
