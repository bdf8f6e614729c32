"""The sessions that Kimi Code records: a directory for each, with a file of JSON lines for each of its agents.

Seen of 2.1.0 (tests/records: kimi-code). The texts of nested files are in no request, so none of them arrives.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import (
    Calls,
    Recorded,
    is_elsewhere,
    number_at,
    object_at,
    text_at,
    texts_at,
    time_of,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.kit.recording import Event, Store

MAIN, STATE, WIRE = "main", "state.json", "wire.jsonl"
READS, DELEGATES = ("Read",), "Agent"
TARGETS = ("path", "command", "pattern", "skill")
# The requests of a turn; others are for summaries and the like.
USUAL = "loop"
_FROM = regex(r"<!-- From: (.+?) -->")
_SKILL = regex(r'<skill-loaded [^>]*dir="([^"]+)"')
UNSEEN = "Kimi Code records neither its version, nor its settings and command line."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("KIMI_CODE_HOME")
    top = join(resolve("/", given) if given else join(store.home, ".kimi-code"), "sessions")
    for workspace in store.names(top):
        for name in store.names(join(top, workspace)):
            path = join(top, workspace, name)
            # Most of them are of other folders.
            if is_elsewhere(store.head(join(path, STATE)), folder):
                continue
            state = object_at(store.document(join(path, STATE)))
            if is_below(text_at(state, "cwd"), folder):
                yield _read(store, path, state, MAIN)


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """The other agents of its directory."""
    path = found.path.removesuffix(f"/agents/{MAIN}/{WIRE}")
    state = object_at(store.document(join(path, STATE)))
    for name in object_at(state, "agents"):
        if name != MAIN:
            yield _read(store, path, state, name)


def _read(store: Store, path: str, state: Event, name: str) -> Recorded:
    own, main = join(path, "agents", name, WIRE), text_at(state, "id")
    found = Recorded("kimi-code", own, main, text_at(state, "cwd"), unseen=UNSEEN, said=wanted(store))
    if name != MAIN:
        above = text_at(state, "agents", name, "parentAgentId")
        found.id, found.parent = f"{main}/{name}", main if above in ("", MAIN) else f"{main}/{above}"
    calls, kind = Calls(found, READS, TARGETS), USUAL
    for event in store.events(own):
        kind = _event(found, calls, event, kind)
    calls.close()
    return found


def _event(found: Recorded, calls: Calls, event: Event, kind: str) -> str:
    """Add what an event says; returns what the request is for whose answer comes next."""
    match text_at(event, "type"):
        case "metadata":
            found.started = time_of(number_at(event, "created_at"))
        case "profile.bind":
            _bind(found, event)
        case "llm.request":
            return text_at(event, "kind")
        case "usage.record":
            _count(found, event, is_summary=kind != USUAL)
        case "context.apply_compaction":
            found.compacts(after_request=bool(found.requests) and found.requests[-1].is_summary)
        case "context.append_message":
            _note_message(found, object_at(event, "message"))
        case "context.append_loop_event":
            _step(found, calls, object_at(event, "event"))
    return kind


def _bind(found: Recorded, event: Event) -> None:
    """How an agent begins: its model, and its whole system text."""
    found.model = found.model or text_at(event, "modelAlias") or None
    if found.parent is not None:
        found.agent = text_at(event, "profileName") or None
    found.start = _FROM.findall(text_at(event, "systemPrompt"))


def _count(found: Recorded, event: Event, *, is_summary: bool) -> None:
    usage = object_at(event, "usage")
    cached = number_at(usage, "inputCacheRead")
    size = number_at(usage, "inputOther") + cached + number_at(usage, "inputCacheCreation")
    at = time_of(number_at(event, "time"))
    found.asks(size, cached=cached, at=at, model=text_at(event, "model"), is_summary=is_summary)


def _note_message(found: Recorded, message: Event) -> None:
    texts = [*texts_at(message, "content")]
    found.says(*texts)
    for text in texts:
        if (place := _SKILL.search(text)) is not None:
            found.calls_skill(join(place[1], SKILL_FILE))


def _step(found: Recorded, calls: Calls, event: Event) -> None:
    name = text_at(event, "toolCallId")
    match text_at(event, "type"):
        case "tool.call":
            calls.begin(name, text_at(event, "name"), object_at(event, "args"))
        case "content.part":
            found.says(text_at(event, "part", "text"))
        case "tool.result":
            result = object_at(event, "result")
            found.says(*texts_at(result, "output"))
            tool, given = calls.end(name, failed=result.get("isError") is True)
            if tool == DELEGATES:
                found.subagents.append(text_at(given, "subagent_type"))
