"""The sessions that opencode records: one SQLite database for all of them.

Seen of 1.18.33 (tests/records: opencode, opencode-2). Before 1.2 there was a file for each session, message and part
(seen of 1.1.65); a later version copies all of it into its database when it first starts.
"""

from __future__ import annotations

from promptls.core.model import SKILL_FILE
from promptls.core.values import replace
from promptls.kit.paths import is_below, join, parent, resolve
from promptls.kit.recording import (
    AUTOMATIC,
    MOST_SUBAGENTS,
    TYPED,
    Recorded,
    Touched,
    list_at,
    number_at,
    object_at,
    parsed,
    target_of,
    text_at,
    time_of,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from promptls.kit.recording import Store

    # The path of its file, and what the row of a database has of a session.
    InFiles = tuple[str, tuple[Any, ...]]

SESSIONS = "select id, parent_id, directory, version, time_created from session order by time_created desc, id desc"
BELOW = (
    "select id, parent_id, directory, version, time_created from session where parent_id = ? order by time_created, id"
)
COUNT = "select count(*) from message where session_id = ?"
MESSAGES = "select id, data from message where session_id = ? order by time_created, id"
LAST = "select id, data from message where session_id = ? order by time_created desc, id desc"
PARTS = "select message_id, data from part where message_id in ({}) order by time_created, id"
# Messages whose parts are read at once: each query takes its time, and all parts need not fit into memory.
TOGETHER = 200
HAS_PERMISSION = "select 1 from pragma_table_info('session') where name = 'permission'"
PERMISSION = "select permission, title from session where id = ?"
FORK = "(fork #"
# The directories of files before 1.2, and their ending.
OLD_SESSIONS, OLD_MESSAGES, OLD_PARTS, ENDING = "session", "message", "part", ".json"
TARGETS = ("filePath", "command", "path", "pattern")
UNSEEN = "opencode records neither the files of its start, nor its settings and command line."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    data = store.env.get("XDG_DATA_HOME") or join(store.home, ".local", "share")
    own = join(resolve("/", data), "opencode")
    path = store.env.get("OPENCODE_DB") or join(own, "opencode.db")
    rows = store.rows(path, SESSIONS)
    older = _older_sessions(store, join(own, "storage"), {str(row[0]) for row in rows})
    for place, row in (*((path, row) for row in rows), *older):
        if isinstance(row[2], str) and is_below(row[2], folder) and store.is_asked(str(row[0])):
            yield _session(store, place, row)


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Sessions of their own, below it."""
    waiting, seen = [found.id], {found.id}
    while waiting:
        name = waiting.pop(0)
        is_older = found.path.endswith(ENDING)
        rows = store.rows(found.path, BELOW, name) if not is_older else ()
        older = _older_below(store, found.path, name) if is_older else ()
        for path, row in (*((found.path, row) for row in rows), *older):
            if str(row[0]) not in seen and len(seen) <= MOST_SUBAGENTS:
                seen.add(str(row[0]))
                waiting.append(str(row[0]))
                yield _session(store, path, row)


def _session(store: Store, path: str, row: Sequence[Any]) -> Recorded:
    name, above, directory, version, created = row
    found = Recorded(
        "opencode",
        path,
        str(name),
        str(directory),
        time_of(number_at({"at": created}, "at")),
        version or "",
        unseen=UNSEEN,
    )
    found.said = wanted(store)
    found.parent = above or None
    found.interactive = _is_on_screen(store, path, found.id)
    cleared: list[tuple[str, str]] = []
    for message, parts in _messages(store, path, str(name)):
        cleared += _message(found, parsed(message), parts)
    for loaded, at in cleared:
        _clear(found, loaded, at)
    return found


def _messages(store: Store, path: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """The messages of a session and the parts of each; of a long one only those at its ends."""
    if path.endswith(ENDING):
        yield from _older_messages(store, path, name)
        return
    counted = store.rows(path, COUNT, name)
    ends = store.ends(name, counted[0][0] if counted else 0)
    rows = [*store.rows(path, f"{MESSAGES} limit {ends}" if ends else MESSAGES, name)]
    if ends:
        rows += reversed(store.rows(path, f"{LAST} limit {ends}", name))
    for at in range(0, len(rows), TOGETHER):
        some = rows[at : at + TOGETHER]
        names = [str(row[0]) for row in some]
        parts: dict[str, list[str]] = {each: [] for each in names}
        for message, data in store.rows(path, PARTS.format(", ".join("?" * len(names))), *names):
            parts[str(message)].append(str(data))
        yield from ((str(row[1]), parts[str(row[0])]) for row in some)


def _clear(found: Recorded, loaded: str, at: str) -> None:
    """What came with a result whose text was taken out is gone with the first request after that."""
    after = next((number for number, each in enumerate(found.requests) if each.at > at), None)
    if after is not None:
        each = found.requests[after]
        found.requests[after] = replace(each, cleared=(*each.cleared, loaded))


def _is_on_screen(store: Store, path: str, name: str) -> bool | None:
    """``run`` lets nobody be asked, and says so; a session on the screen says nothing, and neither does any fork."""
    if path.endswith(ENDING):
        # Earlier versions say it of no session.
        said = object_at(parsed(store.text(path))).get("permission")
        return None if said is None else not _asks_nobody(said)
    rows = store.rows(path, PERMISSION, name) if store.rows(path, HAS_PERMISSION) else ()
    if not rows or (rows[0][0] is None and FORK in str(rows[0][1])):
        return None
    return not _asks_nobody(parsed(str(rows[0][0] or "[]")))


def _asks_nobody(rules: object) -> bool:
    said = list_at(rules)
    return any(text_at(each, "permission") == "question" and text_at(each, "action") == "deny" for each in said)


def _message(found: Recorded, message: object, parts: Sequence[str]) -> list[tuple[str, str]]:
    """Add what a message says; returns what came with results that are cleared now, and since when."""
    if text_at(message, "role") == "user":
        model = object_at(message, "model")
        found.agent = found.agent or text_at(message, "agent") or None
        if found.model is None and model:
            found.model = f"{text_at(model, 'providerID')}/{text_at(model, 'modelID')}"
    elif object_at(message).get("summary") is True:
        found.compacts()
    tokens = object_at(message, "tokens")
    size = number_at(tokens, "input") + number_at(tokens, "cache", "read") + number_at(tokens, "cache", "write")
    if size:
        is_summary, at = object_at(message).get("summary") is True, time_of(number_at(message, "time", "created"))
        cached, used = number_at(tokens, "cache", "read"), text_at(message, "modelID")
        found.asks(size, cached=cached, at=at, model=used, is_summary=is_summary)
    cleared: list[tuple[str, str]] = []
    for part in parts:
        of_session = parsed(part)
        _part(found, of_session)
        cleared += _cleared(of_session)
    return cleared


def _cleared(part: object) -> Iterator[tuple[str, str]]:
    """What came with a result that compaction.prune has cleared, and when [source: session/compaction]."""
    state = object_at(part, "state")
    if at := number_at(state, "time", "compacted"):
        yield from ((each, time_of(at)) for each in list_at(state, "metadata", "loaded") if isinstance(each, str))


def _part(found: Recorded, part: object) -> None:
    if text_at(part, "type") == "compaction":
        found.triggers(AUTOMATIC if object_at(part).get("auto") is True else TYPED)
    found.says(text_at(part, "text") if text_at(part, "type") == "text" else "")
    if text_at(part, "type") != "tool":
        return
    tool, state = text_at(part, "tool"), object_at(part, "state")
    found.called[tool] = None
    target = target_of(object_at(state, "input"), TARGETS)
    failed = text_at(state, "status") != "completed"
    found.says(object_at(state, "input"), text_at(state, "output"))
    if tool == "task":
        found.subagents.append(text_at(state, "metadata", "sessionId") or text_at(state, "input", "subagent_type"))
    elif tool == "read" and not failed:
        path = resolve(found.cwd, target)
        found.has_read(path)
        for loaded in list_at(state, "metadata", "loaded"):
            found.arrives(loaded if isinstance(loaded, str) else "")
    else:
        if tool == "skill" and (place := text_at(state, "metadata", "dir")):
            found.calls_skill(join(place, SKILL_FILE))
        found.touched.append(Touched(tool, target, failed))


def _older_sessions(store: Store, storage: str, known: Collection[str]) -> list[InFiles]:
    """Those of all folders but what the database has, too; the newest first."""
    found: list[InFiles] = []
    for project in store.names(join(storage, OLD_SESSIONS)):
        found += _older_of_project(store, join(storage, OLD_SESSIONS, project), known)
    return sorted(found, key=lambda each: (each[1][4], each[1][0]), reverse=True)


def _older_below(store: Store, path: str, name: str) -> list[InFiles]:
    """Those that the session ``name`` in the file ``path`` has started, the oldest first."""
    found = [each for each in _older_of_project(store, parent(path), ()) if each[1][1] == name]
    return sorted(found, key=lambda each: (each[1][4], each[1][0]))


def _older_messages(store: Store, path: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """The messages of a session and the parts of each; of a long one only those at its ends. Their names ascend."""
    storage = parent(parent(parent(path)))
    names = sorted(_names_of_files(store, join(storage, OLD_MESSAGES, name)))
    ends = store.ends(name, len(names))
    for each in [*names[:ends], *names[-ends:]] if ends else names:
        place = join(storage, OLD_PARTS, each)
        parts = [store.text(join(place, part + ENDING)) for part in sorted(_names_of_files(store, place))]
        yield store.text(join(storage, OLD_MESSAGES, name, each + ENDING)), parts


def _older_of_project(store: Store, directory: str, known: Collection[str]) -> Iterator[InFiles]:
    for name in _names_of_files(store, directory):
        path = join(directory, name + ENDING)
        said = parsed(store.text(path)) if name not in known else None
        if text_at(said, "id") == name:
            above, created = text_at(said, "parentID"), number_at(said, "time", "created")
            yield path, (name, above, text_at(said, "directory"), text_at(said, "version"), created)


def _names_of_files(store: Store, directory: str) -> list[str]:
    return [name.removesuffix(ENDING) for name in store.names(directory) if name.endswith(ENDING)]
