"""In how many recorded sessions of a folder each rule and skill stood in a prompt: as values, as JSON, and as lines.

For the command line and the server, which gets the JSON from a process of its own.
"""

from __future__ import annotations

from promptls.core import specs
from promptls.core.paths import from_home
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.git.listing import Listing
from promptls.sessions.rule_counts import rule_counts
from promptls.workspace import recordings
from promptls.workspace.folder_prompts import folder_prompts
from promptls.workspace.machine import home
from promptls.workspace.request import NO_URLS, Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from promptls.core.prompt_json import Json
    from promptls.kit.recording import Recorded
    from promptls.sessions.rule_counts import RuleCount
    from promptls.workspace.record_store import LocalStore

NONE = "No program has recorded a session of this folder."
BAR = 10
NOTES = (
    "█ of {last} · ~ computed from today's files, because the records do not say it",
    "A file that was never sent may still be needed: see why before you delete it.",
)


def rules_of(store: LocalStore, folder: str, names: Sequence[str], last: int) -> list[Json]:
    """A table for each program that has recorded sessions of the folder, from the last ones of them."""
    tables: list[Json] = []
    for name in names:
        found = recordings.find(store, folder, [name], last, with_agents=False)
        if found:
            tables.append(_json(name, found, _rows(name, found, folder)))
    return tables


def _rows(name: str, recorded: Sequence[Recorded], folder: str) -> list[RuleCount]:
    with Listing(folder) as listing:
        looked = folder_prompts(folder, listing, settings=NO_URLS, only=[name])
    return rule_counts(name, recorded, looked.prompts, Sources().host)


def _json(name: str, recorded: Sequence[Recorded], rows: Sequence[RuleCount]) -> Json:
    return {
        "harness": name,
        "sessions": len(recorded),
        "rules": [
            {
                "path": row.path,
                "use": row.use,
                "stood": row.stood,
                "cut": row.cut,
                "last": row.last or None,
                "why": row.why or None,
                "computed": row.is_computed,
            }
            for row in rows
        ],
    }


def rules_lines(tables: Sequence[Mapping[str, Any]], folder: str) -> Iterator[Line]:
    """The tables for people; each row is a line of its file."""
    if not tables:
        yield Line(NONE)
    for table in tables:
        yield from _lines(table, folder)


def _lines(table: Mapping[str, Any], folder: str) -> Iterator[Line]:
    of, rows = table["sessions"], table["rules"]
    yield Line(
        f"{specs.of(table['harness']).title} · {of} recorded session{'s' if of > 1 else ''} of this folder", "title"
    )
    paths = [from_home(short(row["path"], folder), home()) for row in rows]
    width = min(max(map(len, paths), default=0), 48)
    for row, path in zip(rows, paths, strict=True):
        filled = -(-row["stood"] * BAR // of)
        bar = "█" * filled + "·" * (BAR - filled)
        mark = "~" if row["computed"] else " "
        why = (row["why"] or "").replace(f"{folder.rstrip('/')}/", "").replace(f"{home()}/", "~/")
        says = f"last {row['last'][:10]}" if row["stood"] else f"never: {why}"
        says += f", cut in {row['cut']}" if row["cut"] else ""
        text = f"{bar} {mark}{row['stood']:>3} of {of}  {path:<{width}}  {says}"
        yield Line(text, "text" if row["stood"] else "problem")
    yield Line("")
    last = f"the last {of} sessions" if of > 1 else "this session"
    for note in NOTES:
        yield Line(note.format(last=last), "note")
    yield Line("")


def stood_in(tables: Sequence[Mapping[str, Any]], path: str) -> str:
    """``In 3 of your last 50 sessions of NAME, 0 of 12 of OTHER``; "" where no program knows the file."""
    found = [(table, row) for table in tables for row in table["rules"] if row["path"] == path]
    says = [_stood(table, row, is_first=not at, is_alone=len(tables) == 1) for at, (table, row) in enumerate(found)]
    return ", ".join(says)


def _stood(table: Mapping[str, Any], row: Mapping[str, Any], *, is_first: bool, is_alone: bool) -> str:
    of = table["sessions"]
    sessions = f"your last {of} sessions" if of > 1 else "your last session"
    stood = f"{row['stood']} of {sessions if is_first else of}"
    if of == 1:
        stood = sessions if row["stood"] else f"no prompt of {sessions}"
        stood = stood if is_first else f"{row['stood']} of 1"
    about = "~" if row["computed"] and row["stood"] else ""
    return f"{'In ' if is_first else ''}{about}{stood}" + (
        "" if is_alone else f" of {specs.of(table['harness']).title}"
    )
