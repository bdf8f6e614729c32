"""The answer of ``promptls trim`` as text."""

from __future__ import annotations

import textwrap

from promptls.cli.edited import proof_lines
from promptls.cli.output import width
from promptls.cli.session_lines import session_lines
from promptls.core import specs
from promptls.core.paths import from_home
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.core.table_text import fitting, wrapped
from promptls.core.visible import inert
from promptls.workspace.machine import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from promptls.core.prompt_json import Json
    from promptls.sessions.unify import Row

# Columns, the letters of a bar, and the fewest of a title.
WIDTH, BAR, TITLE = 80, 8, 16
# Rows that are shown of each table, and lines of a block.
MOST_SECTIONS, MOST_PAIRS, MOST_LINES = 12, 20, 4
# Of skills where no session is recorded: those that cost most.
FEW_SKILLS = 5
THEN = {"start": "still at start", "read": "on reading there", "elsewhere": "only by a start there", "never": "never"}
# Blocks of the same two files that are one row, and the mark of one that may not go.
FEW_BLOCKS, STAYS = 4, "stays"
# In place of words that differ, where the other text has none.
NONE = "-"
NOTHING = "No coding agent here is sent a file of yours at start."


def trim_lines(found: Json) -> Iterator[Line]:
    """The lines of an answer, which is the JSON that ``promptls trim --format json`` prints."""
    yield from session_lines(found["sessions"])
    if not found["sections"]:
        yield Line(NOTHING)
    else:
        yield Line("Sections, by the tokens of a start:", "title")
        yield from _sections(found)
    yield from _same(found)
    for key, title in (
        ("near", "Said nearly twice, by the words and pairs of words in common"),
        ("opposed", "Differ by a number or a negation alone"),
    ):
        pairs = found[key]
        if pairs:
            yield Line("")
            yield Line(f"{title}: {len(pairs)}", "title")
        for number, each in enumerate(pairs[:MOST_PAIRS]):
            if number:
                yield Line("")
            yield from _pair(each, found["root"])
        if len(pairs) > MOST_PAIRS:
            yield Line(f"and {len(pairs) - MOST_PAIRS} more; --format json has them all", "note")
    for table in (_again, _local, _beyond, _skills):
        lines = list(table(found))
        if lines:
            yield Line("")
            yield from lines


def change_lines(found: Json, rows: Sequence[Row]) -> Iterator[Line]:
    """What can go without a loss, what stays, and the proof."""
    if found["gone"]:
        count = sum(each["last"] - each["first"] + 1 for each in found["gone"])
        lines, verb = ("line", "is") if count == 1 else ("lines", "are")
        is_done = f"{verb} gone" if found["written"] else "can go"
        yield Line("")
        yield Line(f"{count} {lines} {is_done}; what each program gets before and after:", "title")
        yield from proof_lines(rows)
    elif found["sections"] and not found["left"]:
        yield Line("")
        yield Line("Nothing can be removed automatically; what to do about the rest is for you to judge.", "note")
    for each in found["left"]:
        yield Line(f"{_path(each['path'], found['root'])} stays: {each['why']}", "note")
    if any(each["may_go"] for each in found["near"]) and not found["written"]:
        says = "--pick FILE:LINE lets the left one of a pair go that is nearly said elsewhere."
        yield from (Line(each, "note") for each in wrapped(says, " ", width(WIDTH)))


def _sections(found: Json) -> Iterator[Line]:
    rows: Sequence[Mapping[str, Any]] = found["sections"]
    most = max(max(row["tokens"].values()) for row in rows)
    shown = rows[:MOST_SECTIONS]
    of = found["recorded"]
    places = [f"{_path(row['path'], found['root'])}:{row['first'] + 1}" for row in shown]
    room = width(WIDTH)
    stood = [_stood(row["stood"], of) for row in shown]
    last = max((len(each) for each in stood), default=0)
    wide = min(max(map(len, places)), max(room - BAR - 9 - TITLE - last - 4, 12))
    for row, place, times in zip(shown, places, stood, strict=True):
        tokens = max(row["tokens"].values())
        bar = "█" * -(-tokens * BAR // most)
        title = inert(row["title"]) or "(above the first heading)"
        left = room - BAR - 9 - wide - 2 - (last + 2 if last else 0)
        title = title if len(title) <= left else f"{title[: left - 1]}…"
        text = f"{bar:<{BAR}} {tokens:>7,} {fitting(place, wide):<{wide}}  {title:<{left}}  {times}".rstrip()
        yield Line(text)
    if len(rows) > len(shown):
        rest = sum(max(row["tokens"].values()) for row in rows[MOST_SECTIONS:])
        yield Line(f"{'':<{BAR}} {rest:>7,} in {len(rows) - len(shown)} more sections", "note")
    says = "tokens: for the program where they cost most"
    if of:
        says += " · sent in so many of your last sessions: " + ", ".join(
            f"{count} of {specs.of(each).title}" for each, count in of.items()
        )
    yield from (Line(each, "note") for each in wrapped(says, " ", room))


def _stood(stood: Mapping[str, int], of: Mapping[str, int]) -> str:
    """In how many recorded sessions the file of a section stood."""
    return f"{sum(stood.values())}/{sum(of[each] for each in stood)}" if stood else ""


def _again(found: Json) -> Iterator[Line]:
    """What one file says twice: whether it has to is not for a program to say."""
    rows = found["again"]
    if rows:
        yield Line(f"Said twice in one file, word for word: {len(rows)}", "title")
    for each in rows[:MOST_PAIRS]:
        place = f"{_path(each['path'], found['root'])}:{each['first'] + 1}"
        rest = f"  as at line {each['at'] + 1}  ({_cost(max(each['tokens'].values(), default=0))})  "
        room = max(width(WIDTH) - len(place) - len(rest) - 2, TITLE)
        text = " ".join(inert(each["text"]).split())
        yield Line(f"  {place}{rest}{text if len(text) <= room else f'{text[: room - 1]}…'}")
    if len(rows) > MOST_PAIRS:
        yield Line(f"and {len(rows) - MOST_PAIRS} more; --format json has them all", "note")


def _same(found: Json) -> Iterator[Line]:
    """What two files say below the same heading: a line for a block, or for many blocks of the same two files."""
    pairs, root = found["same"], found["root"]
    if not pairs:
        return
    yield Line("")
    yield Line(f"Said twice: the same text below the same heading of two files: {len(pairs)}", "title")
    several: dict[tuple[str, str, str, bool], list[Mapping[str, Any]]] = {}
    for each in pairs:
        who = ", ".join(specs.of(name).title for name in each["programs"])
        several.setdefault((each["one"]["path"], each["other"]["path"], who, each["may_go"]), []).append(each)
    rows = [row for (_, _, who, _), blocks in several.items() for row in _blocks(blocks, root, who)]
    for row in rows[:MOST_PAIRS]:
        yield Line(row)
    if len(rows) > MOST_PAIRS:
        yield Line(f"and {len(rows) - MOST_PAIRS} more; --format json has them all", "note")
    if not all(each["may_go"] for each in pairs):
        says = f"{STAYS}: some sessions have only this file, or it is generated; “promptls unify” may make one of both."
        yield from (Line(each, "note") for each in wrapped(says, " ", width(WIDTH)))


def _blocks(blocks: Sequence[Mapping[str, Any]], root: str, who: str) -> Iterator[str]:
    """Rows for the blocks that two files have in common."""
    stays = "" if blocks[0]["may_go"] else f"; {STAYS}"
    if len(blocks) < FEW_BLOCKS:
        for each in blocks:
            one, other = (f"{_path(side['path'], root)}:{side['first'] + 1}" for side in (each["one"], each["other"]))
            yield f"  {one}  stands in {other}  ({_cost(_most(each))}; {who}{stays})"
        return
    one, other = (
        f"{_path(blocks[0][side]['path'], root)}:{min(each[side]['first'] for each in blocks) + 1}"
        f"-{max(each[side]['last'] for each in blocks) + 1}"
        for side in ("one", "other")
    )
    cost = _cost(sum(_most(each) for each in blocks))
    yield f"  {one}  {len(blocks)} blocks stand in {other}  ({cost}; {who}{stays})"


def _most(each: Mapping[str, Any]) -> int:
    most: int = max(each["one"]["tokens"].values(), default=0)
    return most


def _cost(tokens: int) -> str:
    return f"{tokens:,} tokens" if tokens else "not at start"


def _pair(each: Mapping[str, Any], root: str) -> Iterator[Line]:
    places = [f"{_path(side['path'], root)}:{side['first'] + 1}" for side in (each["one"], each["other"])]
    cost = _cost(_most(each))
    who = ", ".join(specs.of(name).title for name in each["programs"])
    half = (width(WIDTH) - 4) // 2
    columns = [_column(side["text"], half) for side in (each["one"], each["other"])]
    yield Line(f"  {fitting(places[0], half):<{half}}  {fitting(places[1], half)}".rstrip(), "title")
    for number in range(max(map(len, columns))):
        left, right = (column[number] if number < len(column) else "" for column in columns)
        yield Line(f"  {left:<{half}}  {right}".rstrip())
    differ = "; ".join(f"{one or NONE} | {other or NONE}" for one, other in each["words"])
    is_equal = " ".join(each["one"]["text"].split()) == " ".join(each["other"]["text"].split())
    differ = f"differ: {differ}" if differ else "below another heading" if is_equal else "only signs differ"
    like = f"{each['like']:.0%} alike, {cost}" if "like" in each else f"by a {each['by']}"
    says = f"{like} · {who} · {inert(differ)}"
    yield from (Line(f"  {line}", "note") for line in textwrap.wrap(says, width(WIDTH) - 2)[:MOST_LINES])


def _local(found: Json) -> Iterator[Line]:
    """Sections of one directory, and when each program would get them there."""
    rows = found["local"]
    if rows:
        yield Line(f"Speak of one directory only, and could stand there: {len(rows)}", "title")
    for each in rows:
        new = _path(each["new"], found["root"])
        yield Line(f"  {_path(each['path'], found['root'])}:{each['first'] + 1} {inert(each['title'])} → {new}")
        by_when = {when: [specs.of(name).title for name, at in each["then"].items() if at == when] for when in THEN}
        then = (f"{THEN[when]}: {', '.join(titles)}" for when, titles in by_when.items() if titles)
        says = f"saves each start up to {max(each['tokens'].values()):,} tokens; then {'; '.join(then)}"
        yield from (Line(f"    {line}", "note") for line in textwrap.wrap(says, width(WIDTH) - 4))


def _beyond(found: Json) -> Iterator[Line]:
    """Text that a limit keeps from every program."""
    rows = found["beyond"]
    if rows:
        yield Line("Never sent, because it is beyond a limit:", "title")
    for each in rows:
        place = f"{_path(each['path'], found['root'])}:{each['first'] + 1}-{each['last'] + 1}"
        yield Line(f"  {place}  {each['tokens']:,} tokens: {each['limit']}")


def _skills(found: Json) -> Iterator[Line]:
    """Skills that are listed at each start and that no recorded session has called; else those that cost most."""
    listed: dict[str, list[Json]] = {}
    for each in found["skills"]:
        listed.setdefault(each["harness"], []).append(each)
    for harness, rows in listed.items():
        idle, of = [each for each in rows if not each["called"]], rows[0]["of"]
        if idle and of:
            times = f"any of the {of} recorded sessions" if of > 1 else "the one recorded session"
            says = f"Skills that {specs.of(harness).title} lists and {times} called none of"
            yield Line(f"{says}: {len(idle)}, {_tokens(idle):,} tokens", "title")
            yield from _listed(idle[:MOST_PAIRS], found)
    uncounted = {harness: rows for harness, rows in listed.items() if not rows[0]["of"]}
    if uncounted:
        costs = (f"{len(rows)} {specs.of(each).title} ({_tokens(rows):,})" for each, rows in uncounted.items())
        says = f"Skills that a start lists, and their tokens: {', '.join(costs)}"
        yield from (Line(each, "title") for each in wrapped(says, " ", width(WIDTH)))
        yield from _listed(max(uncounted.values(), key=_tokens)[:FEW_SKILLS], found)


def _tokens(rows: Sequence[Json]) -> int:
    return sum(each["tokens"] for each in rows)


def _listed(rows: Sequence[Json], found: Json) -> Iterator[Line]:
    for each in rows:
        yield Line(f"  {each['tokens']:>6,} {fitting(_path(each['path'], found['root']), width(WIDTH) - 9)}")


def _column(text: str, room: int) -> list[str]:
    lines = [line for each in text.splitlines() for line in textwrap.wrap(inert(each), room) or [""]]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], "…"]


def _path(path: str, root: str) -> str:
    return from_home(short(path, root), home())
