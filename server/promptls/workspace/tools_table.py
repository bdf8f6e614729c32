"""Which tools the requests of a program carry, and in how many recorded sessions each was called: as JSON and as lines.

A tool counts that the preview of the newest session has. What a sub-agent called is its own.
"""

from __future__ import annotations

from promptls import harnesses
from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.render import Line
from promptls.core.secrets import masked
from promptls.core.totals import counter_of, offered_tokens, server_tools
from promptls.core.values import replace
from promptls.workspace import recordings
from promptls.workspace.request import Sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from promptls.core.model import Prompt, Tool
    from promptls.core.prompt_json import Json
    from promptls.kit.recording import Recorded
    from promptls.workspace.record_store import LocalStore

NONE = "No program has recorded a session of this folder."
NOTES = (
    "A tool of a server that nobody calls can be left out in the program's configuration, or with the whole server.",
    "What a program called within code of the model, or in a sub-agent, is in no record of a call.",
)
# Rows of a program, and how they begin.
MOST = 30
BAR = 10
_BETWEEN = regex(r"[^A-Za-z0-9]+")


def tools_of(store: LocalStore, folder: str, names: Sequence[str], last: int) -> list[Json]:
    """A table for each program that has recorded sessions of the folder, from the last ones of them."""
    tables: list[Json] = []
    for name in names:
        found = recordings.find(store, folder, [name], last, with_agents=False)
        if found:
            session = replace(found[0].session(()), is_trusted=True)
            tables.append(_json(name, found, harnesses.preview(session, Sources().host())))
    return tables


def _json(name: str, recorded: Sequence[Recorded], prompt: Prompt) -> Json:
    count = counter_of(prompt)
    of_servers = {id(each) for each in server_tools(prompt)}
    called = [{_plain(each) for each in one.called} for one in recorded]
    rows: list[Json] = []
    for tool in prompt.tools or ():
        if tool.enabled:
            calls = [number for number, names in enumerate(called) if not names.isdisjoint(_names(tool))]
            rows.append(
                {
                    "name": masked(tool.name),
                    "server": tool.origin.name if id(tool) in of_servers else None,
                    "tokens": offered_tokens(tool, count) if tool.size is not None else None,
                    "called": len(calls),
                    "last": (recorded[calls[0]].started or None) if calls else None,
                }
            )
    rows.sort(key=lambda row: (bool(row["called"]), -(row["tokens"] or 0), row["name"]))
    return {"harness": name, "sessions": len(recorded), "is_known": prompt.tools is not None, "tools": rows}


def _names(tool: Tool) -> set[str]:
    """How a record may call a tool: with its namespace or without."""
    return {_plain(tool.name), _plain(tool.name.rpartition("/")[2])}


def _plain(name: str) -> str:
    """A name without what programs write differently between its parts."""
    return _BETWEEN.sub("_", name)


def tools_lines(tables: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """The tables for people: what nobody called first, the heaviest first."""
    if not tables:
        yield Line(NONE)
    for table in tables:
        yield from _lines(table)
    if tables:
        yield from (Line(note, "note") for note in NOTES)


def _lines(table: Mapping[str, Any]) -> Iterator[Line]:
    of, rows = table["sessions"], table["tools"]
    title = specs.of(table["harness"]).title
    yield Line(f"{title} · {of} recorded session{'s' if of > 1 else ''} of this folder", "title")
    if not table["is_known"]:
        yield from (Line(f"Which tools {title} offers is not known.", "note"), Line(""))
        return
    idle = [row for row in rows if not row["called"]]
    tokens = sum(row["tokens"] or 0 for row in idle)
    unknown = "+" if any(row["tokens"] is None for row in idle) else ""
    yield Line(
        f"{len(idle)} of {len(rows)} tools were called in none of them: ~{tokens:,}{unknown} tokens of each request",
        "problem" if idle else "note",
    )
    width = min(max((len(row["name"]) for row in rows), default=0), 48)
    for row in rows[:MOST]:
        filled = -(-row["called"] * BAR // of)
        bar = "█" * filled + "·" * (BAR - filled)
        size = "?" if row["tokens"] is None else f"{row['tokens']:,}" if row["tokens"] else "by name"
        says = f"last {row['last'][:10]}" if row["last"] else ""
        server = f"server {row['server']}" if row["server"] else ""
        text = f"{bar} {row['called']:>3} of {of}  {row['name']:<{width}} {size:>8}  {server}  {says}".rstrip()
        yield Line(text, "text" if row["called"] else "problem")
    if len(rows) > MOST:
        yield Line(f"and {len(rows) - MOST} more", "note")
    yield Line("")
