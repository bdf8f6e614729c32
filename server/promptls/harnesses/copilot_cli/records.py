"""The sessions that Copilot CLI records: a folder for each, with its events as JSON lines.

Seen of 1.0.102 (tests/records: copilot-cli).
"""

from __future__ import annotations

from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import (
    MOST_SUBAGENTS,
    TRIGGERS,
    Recorded,
    Touched,
    is_elsewhere,
    list_at,
    number_at,
    object_at,
    text_at,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.kit.recording import Event, Store

# The mode that it starts in, whether it is on the screen or not.
USUAL_MODE = "interactive"
# The only tool that brings instruction files.
VIEW = "view"
TARGETS = ("path", "command", "pattern", "agent_type")
UNSEEN_OF_AGENTS = "Copilot CLI does not record which instruction files a sub-agent is sent."
UNSEEN = "Copilot CLI records the paths of the files that come later, not those of its start, and not its command line."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("COPILOT_HOME")
    top = join(resolve("/", given) if given else join(store.home, ".copilot"), "session-state")
    for name in store.names(top):
        # Older versions have a file for each session, not a folder.
        path = join(top, name) if name.endswith(".jsonl") else join(top, name, "events.jsonl")
        # Most of them are of other folders.
        first = next(store.events(path), None) if not is_elsewhere(store.head(path), folder) else None
        if first is not None and is_below(text_at(first, "data", "context", "cwd"), folder):
            yield _read(store, path)


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Their events are between those of the session, with the identifier of the sub-agent."""
    below: dict[str, Recorded] = {}
    calls: dict[str, tuple[str, str]] = {}
    owners: dict[str, str] = {}
    for event in store.events(found.path, having='"agentId"'):
        kind, data, name = text_at(event, "type"), object_at(event, "data"), text_at(event, "agentId")
        if kind == "assistant.message":
            made = _calls(data)
            calls |= made
            owners |= dict.fromkeys(made, name or found.id)
        if kind == "subagent.started" and name and len(below) < MOST_SUBAGENTS:
            agent, model = text_at(data, "agentName") or text_at(data, "agentType"), text_at(data, "model")
            each = Recorded("copilot-cli", found.path, name, found.cwd, text_at(event, "timestamp"), found.version)
            each.agent, each.model, each.unseen = agent or None, model or None, UNSEEN_OF_AGENTS
            each.parent = owners.get(text_at(data, "toolCallId"), found.id)
            below[name] = each
        elif name in below:
            if kind == "tool.execution_complete":
                _note_call(below[name], calls.get(text_at(data, "toolCallId")), failed=data.get("success") is not True)
            _usage(below[name], event)
    yield from below.values()


def _read(store: Store, path: str) -> Recorded:
    found = Recorded("copilot-cli", path, unseen=UNSEEN, said=wanted(store))
    calls: dict[str, tuple[str, str]] = {}
    root = skill = ""
    for event in store.events(path):
        kind, data = text_at(event, "type"), object_at(event, "data")
        skill = _history(found, event, skill)
        if kind == "session.start":
            root = text_at(data, "context", "gitRoot")
            _start(found, data)
        elif kind == "system.notification" and text_at(data, "kind", "type") == "instruction_discovered":
            found.arrives(resolve(root or found.cwd, text_at(data, "kind", "sourcePath")))
        elif text_at(event, "agentId"):
            pass  # a sub-agent's own
        elif kind == "user.message":
            found.says(text_at(data, "transformedContent") or text_at(data, "content"))
        elif kind == "assistant.message":
            found.says(
                text_at(data, "content"), *(object_at(each, "arguments") for each in list_at(data, "toolRequests"))
            )
            made = _calls(data)
            calls |= made
            found.called |= dict.fromkeys(tool for tool, _ in made.values())
        elif kind == "tool.execution_complete":
            found.says(text_at(data, "result", "content"))
            _note_call(found, calls.pop(text_at(data, "toolCallId"), None), failed=data.get("success") is not True)
        _count(found, event)
    return found


def _history(found: Recorded, event: Event, skill: str) -> str:
    """What of the history stays; the last ``skill`` that was called."""
    kind, data = text_at(event, "type"), object_at(event, "data")
    if text_at(event, "agentId"):
        return skill
    if kind == "skill.invoked":
        skill = text_at(data, "path")
        found.calls_skill(skill)
    elif kind == "session.resume":
        # What views had brought is not in the history of a new process; the text of a skill is.
        found.forgets()
    elif kind == "session.compaction_start":
        found.triggers(TRIGGERS.get(text_at(data, "trigger"), ""), number_at(data, "currentTokens"))
    elif kind == "session.compaction_complete" and data.get("success") is True:
        found.compacts()
        # The last one stays.
        found.calls_skill(skill)
    return skill


def _start(found: Recorded, data: Event) -> None:
    found.id, found.started = text_at(data, "sessionId"), text_at(data, "startTime")
    found.version, found.model = text_at(data, "copilotVersion"), text_at(data, "selectedModel") or None
    found.cwd, found.branch = text_at(data, "context", "cwd"), text_at(data, "context", "branch") or None
    found.commit = text_at(data, "context", "headCommit") or None


def _count(found: Recorded, event: Event) -> None:
    kind, data = text_at(event, "type"), object_at(event, "data")
    if kind == "subagent.started":
        found.subagents.append(text_at(data, "agentName") or text_at(data, "agentType"))
    elif text_at(event, "agentId"):
        return
    elif kind == "subagent.selected":
        found.agent = text_at(data, "agentName") or None
    elif kind == "session.model_change":
        found.model = found.model or text_at(data, "newModel") or None
    elif kind == "session.mode_changed" and not found.tokens:  # as it was when the first request was made
        mode = text_at(data, "newMode")
        found.mode = mode if mode != USUAL_MODE else None
    else:
        _usage(found, event)


def _usage(found: Recorded, event: Event) -> None:
    kind, data = text_at(event, "type"), object_at(event, "data")
    if kind == "session.usage_record" and number_at(data, "usage", "inputTokens"):
        tokens, cached = (number_at(data, "usage", f"{kind}Tokens") for kind in ("input", "cacheRead"))
        found.asks(tokens, cached=cached, at=text_at(event, "timestamp"), model=text_at(data, "usage", "model"))


def _calls(data: Event) -> dict[str, tuple[str, str]]:
    """By the id of the call: its tool, and what it was given."""
    found: dict[str, tuple[str, str]] = {}
    for call in list_at(data, "toolRequests"):
        given = object_at(call, "arguments")
        # grep takes one path or several.
        paths = [given.get("paths"), *list_at(given, "paths")]
        targets = (*paths, *(given.get(key) for key in TARGETS))
        target = next((each for each in targets if isinstance(each, str) and each), "")
        found[text_at(call, "toolCallId")] = (text_at(call, "name"), target)
    return found


def _note_call(found: Recorded, call: tuple[str, str] | None, *, failed: bool) -> None:
    if call is None or call[0] == "task":
        return
    tool, target = call
    if tool == VIEW and not failed:
        path = resolve(found.cwd, target)
        found.has_read(path)
    else:
        found.touched.append(Touched(tool, target, failed))
