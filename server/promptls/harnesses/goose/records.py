"""The sessions that Goose records: one SQLite database for all of them.

Seen of 1.34.0 (tests/records: goose). It records no system message, in which all instruction files are.
"""

from __future__ import annotations

from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import MOST_SUBAGENTS, Calls, Recorded, list_at, object_at, parsed, text_at, wanted
from promptls.kit.tool_calls import words_with_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from promptls.kit.recording import Event, Store

FIELDS = "id, working_dir, session_type, created_at, input_tokens, model_config_json"
SESSIONS = f"select {FIELDS} from sessions order by created_at desc, id desc"  # noqa: S608 - no value is in it
ONE = f"select {FIELDS} from sessions where id = ?"  # noqa: S608 - the same
MESSAGES = "select role, content_json from messages where session_id = ? order by id"
ABOVE = "select session_id from messages where content_json like '%\"subagent_session_id\":\"' || ? || '\"%' limit 1"
BELOW = "sub_agent"
DELEGATES, SHELL = "delegate", "shell"
# Files come for these by the path that they are given; reads are done by the shell.
READS = ("edit", "write", "analyze")
TARGETS = ("path", "command", "name", "source")
UNSEEN = (
    "Goose records neither its version, nor its settings and command line, nor the instruction files of any request,"
    " nor the size of any but the last."
)


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    path = _database(store)
    for row in store.rows(path, SESSIONS):
        if is_below(str(row[1]), folder) and store.is_asked(str(row[0])):
            yield _session(store, path, row)


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Sessions of their own, which the results of the calls name."""
    for name in found.subagents[:MOST_SUBAGENTS]:
        for row in store.rows(found.path, ONE, name):
            yield _session(store, found.path, row)


def _database(store: Store) -> str:
    """Where it is [source: GOOSE_PATH_ROOT]."""
    root, data = store.env.get("GOOSE_PATH_ROOT"), store.env.get("XDG_DATA_HOME")
    own = join(resolve("/", data), "goose") if data else join(store.home, ".local", "share", "goose")
    return join(join(resolve("/", root), "data") if root else own, "sessions", "sessions.db")


def _session(store: Store, path: str, row: Sequence[Any]) -> Recorded:
    name, directory, kind, created, size, model = row
    started = f"{str(created).replace(' ', 'T')}Z" if created else ""
    found = Recorded("goose", path, str(name), str(directory), started, unseen=UNSEEN, names_files=False)
    found.said = wanted(store)
    found.model = text_at(parsed(str(model)), "model_name") or None
    if kind == BELOW:
        above = store.rows(path, ABOVE, found.id)
        found.parent = str(above[0][0]) if above else "?"
    calls = Calls(found, READS, TARGETS)
    for role, content in store.rows(path, MESSAGES, found.id):
        for part in list_at({"parts": parsed(str(content))}, "parts"):
            _part(found, calls, part, is_answer=role == "assistant")
    calls.close()
    if isinstance(size, int) and size > 0:
        found.asks(size, model=found.model or "")
    return found


def _part(found: Recorded, calls: Calls, part: Event, *, is_answer: bool) -> None:
    name = text_at(part, "id")
    match text_at(part, "type"):
        case "text":
            found.says(text_at(part, "text"))
        case "toolRequest" if is_answer:
            call = object_at(part, "toolCall", "value")
            calls.begin(name, text_at(call, "name"), object_at(call, "arguments"))
        case "toolResponse":
            result = object_at(part, "toolResult", "value")
            found.says(*(text_at(each, "text") for each in list_at(result, "content")))
            failed = text_at(part, "toolResult", "status") != "success" or result.get("isError") is True
            tool, given = calls.end(name, failed=failed)
            if tool == SHELL and not failed:
                for word in words_with_paths(text_at(given, "command")):
                    found.has_read(resolve(found.cwd, word))
            if tool == DELEGATES:
                found.subagents.append(text_at(result, "_meta", "subagent_session_id") or text_at(given, "source"))
