"""The sessions that Grok Build records: a directory for each, in one for the folder.

Seen of 1.0.41 (tests/records: grok-build). Reading a file brings no instructions.
"""

from __future__ import annotations

from promptls.core.paths import name as name_of
from promptls.kit.paths import is_below, join, parent, resolve
from promptls.kit.recording import (
    MOST_SUBAGENTS,
    Calls,
    Recorded,
    is_elsewhere,
    list_at,
    number_at,
    object_at,
    parsed,
    text_at,
    texts_at,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.kit.recording import Event, Store

SUMMARY, START, SIGNALS, HISTORY, EVENTS = (
    *("summary.json", "prompt_context.json", "signals.json"),
    *("chat_history.jsonl", "events.jsonl"),
)
READS, SUBAGENTS = ("read_file",), "subagents"
TARGETS = ("target_file", "file_path", "target_directory", "command", "path", "pattern")
# What a session is that a program without a screen has, and one that another session started.
HEADLESS, BELOW = "headless", "subagent"
PROJECT, UNKNOWN = "project", "?"
UNSEEN = "Grok Build records neither its version, nor its settings and command line, nor the size of any one request."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("GROK_HOME")
    top = join(resolve("/", given) if given else join(store.home, ".grok"), "sessions")
    for group in store.names(top):
        names = store.names(join(top, group))
        above: dict[str, str] | None = None
        for name in names:
            path = join(top, group, name)
            # Most of them are of other folders.
            if is_elsewhere(store.head(join(path, SUMMARY)), folder):
                continue
            summary = object_at(store.document(join(path, SUMMARY)))
            if is_below(text_at(summary, "info", "cwd"), folder):
                if above is None and text_at(summary, "session_kind") == BELOW:
                    above = {sub: each for each in names for sub in store.names(join(top, group, each, SUBAGENTS))}
                yield _read(store, path, summary, (above or {}).get(name))


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Sessions of their own, whose names stand in a directory of the one that started them."""
    waiting, seen = [found], {found.id}
    while waiting:
        one = waiting.pop(0)
        own = parent(one.path)
        for name in sorted(store.names(join(own, SUBAGENTS))):
            if name not in seen and len(seen) <= MOST_SUBAGENTS:
                seen.add(name)
                path = join(parent(own), name)
                waiting.append(_read(store, path, object_at(store.document(join(path, SUMMARY))), one.id))
                yield waiting[-1]


def _read(store: Store, path: str, summary: Event, above: str | None) -> Recorded:
    own = join(path, HISTORY)
    found = Recorded("grok-build", own, name_of(path), text_at(summary, "info", "cwd"), unseen=UNSEEN)
    found.said, found.parent = wanted(store), above
    found.started = f"{text_at(summary, 'created_at')[:23]}Z" if text_at(summary, "created_at") else ""
    found.model = text_at(summary, "current_model_id") or None
    found.branch, found.commit = text_at(summary, "head_branch") or None, text_at(summary, "head_commit") or None
    kind = text_at(summary, "session_kind")
    if kind == BELOW:
        found.agent, found.parent = text_at(summary, "agent_name") or None, above or UNKNOWN
    elif kind == HEADLESS:
        found.interactive = False
    start = object_at(store.document(join(path, START)))
    files = list_at(start, "agents_md_files")
    found.start = [text_at(each, "file_path") for each in files] if start else None
    # Of a folder that is not trusted nothing is sent.
    found.is_trusted = any(text_at(each, "source") == PROJECT for each in files)
    outcomes = store.events(join(path, EVENTS), having='"tool_completed"')
    failed = {text_at(each, "tool_call_id") for each in outcomes if text_at(each, "outcome") == "error"}
    calls = Calls(found, READS, TARGETS)
    for event in store.events(own):
        _message(found, calls, event, failed)
    calls.close()
    found.subagents += sorted(store.names(join(path, SUBAGENTS)))
    found.compactions = number_at(store.document(join(path, SIGNALS)), "compactionCount")
    return found


def _message(found: Recorded, calls: Calls, event: Event, failed: set[str]) -> None:
    match text_at(event, "type"):
        case "user" | "assistant":
            found.says(*texts_at(event, "content"))
            for each in list_at(event, "tool_calls"):
                calls.begin(text_at(each, "id"), text_at(each, "name"), object_at(parsed(text_at(each, "arguments"))))
        case "tool_result":
            found.says(*texts_at(event, "content"))
            name = text_at(event, "tool_call_id")
            calls.end(name, failed=name in failed)
