"""``promptls sessions --rules``: in how many recorded sessions each rule and skill stood in a prompt."""

from __future__ import annotations

import contextlib
import os

from promptls.cli.output import complain, show, write_json
from promptls.cli.unwinding import unwinding
from promptls.core import specs
from promptls.core.phrases import short
from promptls.core.render import Line
from promptls.git.listing import Listing
from promptls.sessions.rule_counts import rule_counts
from promptls.workspace import recordings
from promptls.workspace.folder_prompts import folder_prompts
from promptls.workspace.machine import home
from promptls.workspace.record_store import LocalStore
from promptls.workspace.request import NO_URLS, Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.prompt_json import Json
    from promptls.kit.recording import Recorded
    from promptls.sessions.rule_counts import RuleCount

NONE = "No program has recorded a session of this folder."
BAR = 10
NOTES = (
    "█ of the last {of} sessions · ~ computed from today's files, because the records do not say it",
    "A file that stood in no prompt may still be needed: see why before you delete it.",
)


def show_rules(folder: str, names: Sequence[str], last: int, *, as_json: bool) -> int:
    """The table of each program that has recorded sessions of the folder."""
    tables: list[tuple[str, list[Recorded], list[RuleCount]]] = []
    with unwinding(), contextlib.closing(LocalStore(home(), os.environ)) as store:
        for name in names:
            found = [
                each for each in recordings.find(store, folder, [name], recordings.SEARCHED) if each.parent is None
            ]
            if found:
                tables.append((name, found[:last], _rows(name, found[:last], folder)))
    if as_json:
        write_json({"last": last, "programs": [_json(*table) for table in tables]})
    else:
        show(line for table in tables for line in _lines(*table, folder)) if tables else show([Line(NONE)])
    for sentence in store.said:
        complain(f"promptls: {sentence}")
    return 0


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


def _lines(name: str, recorded: Sequence[Recorded], rows: Sequence[RuleCount], folder: str) -> Iterator[Line]:
    of = len(recorded)
    yield Line(f"{specs.of(name).title} · {of} recorded session{'s' if of > 1 else ''} of this folder", "title")
    paths = [short(row.path, folder) for row in rows]
    width = min(max(map(len, paths), default=0), 48)
    for row, path in zip(rows, paths, strict=True):
        filled = -(-row.stood * BAR // of)
        bar = "█" * filled + "·" * (BAR - filled)
        mark = "~" if row.is_computed else " "
        why = row.why.replace(f"{folder.rstrip('/')}/", "")
        says = f"last {row.last[:10]}" if row.stood else f"never: {why}"
        says += f", cut in {row.cut}" if row.cut else ""
        text = f"{bar} {mark}{row.stood:>3} of {of}  {path:<{width}}  {says}"
        yield Line(text, "text" if row.stood else "problem")
    yield Line("")
    for note in NOTES:
        yield Line(note.format(of=of), "note")
    yield Line("")
