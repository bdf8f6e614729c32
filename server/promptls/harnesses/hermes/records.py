"""The sessions that Hermes records: one SQLite database for all of them.

Seen of 0.19.0 (tests/records: hermes).
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import (
    MOST_SUBAGENTS,
    Calls,
    Recorded,
    list_at,
    object_at,
    parsed,
    text_at,
    time_of,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.kit.recording import Store

FIELDS = "id, cwd, git_branch, model, parent_session_id, started_at * 1000"
SESSIONS = f"select {FIELDS} from sessions order by started_at desc, id desc"  # noqa: S608 - no value is in it
BELOW = f"select {FIELDS} from sessions where parent_session_id = ? order by started_at, id"  # noqa: S608 - the same
MESSAGES = "select role, content, tool_calls, tool_call_id from messages where session_id = ? order by id"
READS, DELEGATES = ("read_file",), "delegate_task"
TARGETS = ("path", "command", "file_path", "workdir", "name")
_NESTED = regex(r"^\[Subdirectory context discovered: (.+)\]$")
UNSEEN = (
    "Hermes records neither its version, nor its settings and command line, nor the files of its start by their paths,"
    " nor the size of any one request."
)


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("HERMES_HOME")
    path = join(resolve("/", given) if given else join(store.home, ".hermes"), "state.db")
    for row in store.rows(path, SESSIONS):
        if isinstance(row[1], str) and is_below(row[1], folder) and store.is_asked(str(row[0])):
            yield _session(store, path, row)


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Sessions of their own, below it."""
    waiting, seen = [found.id], {found.id}
    while waiting:
        for row in store.rows(found.path, BELOW, waiting.pop(0)):
            if str(row[0]) not in seen and len(seen) <= MOST_SUBAGENTS:
                seen.add(str(row[0]))
                waiting.append(str(row[0]))
                yield _session(store, found.path, row)


def _session(store: Store, path: str, row: Sequence[Any]) -> Recorded:
    name, directory, branch, model, above, started = row
    at = time_of(started) if isinstance(started, int | float) else ""
    found = Recorded("hermes", path, str(name), str(directory or ""), at, unseen=UNSEEN, said=wanted(store))
    found.branch, found.model, found.parent = branch or None, model or None, above or None
    calls = Calls(found, READS, TARGETS)
    for _, content, called, result in store.rows(path, MESSAGES, found.id):
        text = content if isinstance(content, str) else ""
        found.says(text)
        for each in list_at({"calls": parsed(str(called or "[]"))}, "calls"):
            arguments = object_at(parsed(text_at(each, "function", "arguments")))
            calls.begin(text_at(each, "id"), text_at(each, "function", "name"), arguments)
        if result:
            _result(found, calls, str(result), text)
    calls.close()
    return found


def _result(found: Recorded, calls: Calls, name: str, text: str) -> None:
    said = object_at(parsed(text.partition("\n\n[Subdirectory context")[0]))
    tool, _ = calls.end(name, failed=bool(said.get("error")) or said.get("success") is False)
    if tool == DELEGATES:
        found.subagents.append(tool)
    for match in map(_NESTED.match, text.splitlines()):
        found.arrives(resolve(found.cwd, match[1]) if match is not None else "")
