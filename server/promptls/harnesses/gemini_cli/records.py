"""The sessions that Gemini CLI records: a log of changes for each, in a temporary folder of the project.

Seen of 0.61.0 (tests/records: gemini-cli). A session that goes on leaves a second file of the same session with one
message: the one with more messages counts. Older versions write one JSON file, in a folder that has only the checksum
of the project's path as its name (seen of 0.20.2).
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE
from promptls.kit.paths import is_below, join, parent, resolve
from promptls.kit.recording import (
    MOST_SUBAGENTS,
    Recorded,
    Touched,
    list_at,
    number_at,
    object_at,
    parsed,
    target_of,
    text_at,
    texts_at,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from promptls.kit.recording import Event, Store

# The tools that bring context files, with the key of the path.
READS = ("read_file", "replace", "write_file")
# Where the result of a tool has its text.
OUTPUT = ("functionResponse", "response", "output")
TARGETS = ("file_path", "dir_path", "command", "path", "pattern")
# Stands for a compression in the list of messages.
COMPRESSED = "compressed"
SEPARATOR = "--- Newly Discovered Project Context ---"
_CONTEXT = regex(r"^--- Context from: (.+?) ---$")
_SKILL = regex(r"Resources loaded from `([^`]+)`")
UNSEEN = (
    "Gemini CLI records neither its version, nor its settings, nor whether the folder is trusted, nor the files of"
    " the home directory."
)


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("GEMINI_CLI_HOME")
    top = join(resolve("/", given) if given else store.home, ".gemini", "tmp")
    for project in store.names(top):
        cwd = store.text(join(top, project, ".project_root")).strip()
        if not cwd and project == _checksum(folder):
            cwd = folder
        if not is_below(cwd, folder):
            continue
        chats = join(top, project, "chats")
        files = [join(chats, name) for name in store.names(chats) if name.endswith((".jsonl", ".json"))]
        yield from _sessions(store, files, cwd, store.text(join(top, project, "logs.json")))


def _checksum(folder: str) -> str:
    import hashlib  # noqa: PLC0415 - its import takes longer than most records, and few folders are named so

    return hashlib.sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """A file for each, in a folder named after the session; the calls that started them name their agents."""
    directory = join(parent(found.path), found.id)
    names = sorted(store.names(directory))[:MOST_SUBAGENTS]
    main = _messages(store, found.path, Recorded("gemini-cli", found.path), having='"agentId"') if names else {}
    started = _subagents_started(main, found.id)
    below: list[Recorded] = []
    for name in names:
        each = Recorded("gemini-cli", join(directory, name), cwd=found.cwd, unseen=UNSEEN)
        messages = _messages(store, each.path, each, is_main=False)
        for message in messages.values():
            _message(each, message)
        started |= _subagents_started(messages, each.id)
        below.append(each)
    for each in below:
        each.agent, each.parent = started.get(each.id, (None, found.id))
        yield each


def _subagents_started(messages: Mapping[str, Event], name: str) -> dict[str, tuple[str | None, str]]:
    """The sub-agents that the calls of a session have started, by id: the agent, and the ``name`` of the session."""
    calls = [call for message in messages.values() for call in list_at(message, "toolCalls")]
    return {text_at(call, "agentId"): (text_at(call, "args", "agent_name") or None, name) for call in calls}


def _sessions(store: Store, files: list[str], cwd: str, typed: str) -> Iterator[Recorded]:
    """``typed``: the log of what was typed on the screen, which names the session of each line; "" without one."""
    best: dict[str, tuple[int, Recorded]] = {}
    for path in files:
        found = Recorded("gemini-cli", path, cwd=cwd, unseen=UNSEEN, said=wanted(store))
        messages = _messages(store, path, found)
        # A session that goes on has its messages of the start anew: calls before it are only in what was replaced.
        found.interactive = found.id in typed if typed and found.id else None
        if found.id and (found.id not in best or len(messages) > best[found.id][0]):
            best[found.id] = len(messages), found
            for message in messages.values():
                _message(found, message)
    yield from (found for _, found in best.values())


def _events(store: Store, path: str, having: str) -> Iterator[Event]:
    if path.endswith(".jsonl"):
        yield from store.events(path, having)
        return
    whole = object_at(parsed(store.text(path)))
    yield {name: value for name, value in whole.items() if name != "messages"}
    yield from (each for each in list_at(whole, "messages") if isinstance(each, dict))


def _messages(
    store: Store, path: str, found: Recorded, *, is_main: bool = True, having: str = ""
) -> Mapping[str, Event]:
    """The messages by id: the last of an id counts, and those that a list replaces are kept.

    ``is_main``: a record of a sub-agent has none. ``having``: of a long record, only lines with this text.
    """
    messages: dict[str, Event] = {}
    current: set[str] = set()
    for event in _events(store, path, having):
        if text_at(event, "sessionId") and not found.id:
            found.id, found.started = text_at(event, "sessionId"), text_at(event, "startTime")
            if is_main and text_at(event, "kind") == "subagent":
                return {}
        listed = {name for each in list_at(event, "$set", "messages") if (name := text_at(each, "id"))}
        # A list without most of them takes the place of what was compressed; a resumed session has nearly all.
        if listed and len(listed) < len(current) and len(listed & current) <= len(current) / 2:
            parts = [part for each in list_at(event, "$set", "messages") for part in list_at(each, "content")]
            messages[f"{COMPRESSED} {len(messages)}"] = {"type": COMPRESSED, "kept": parts}
        current = listed or current
        for message in [event, *list_at(event, "$set", "messages")]:
            if text_at(message, "id"):
                messages[text_at(message, "id")] = message
                current.add(text_at(message, "id"))
    return messages


def _message(found: Recorded, message: Event) -> None:
    if text_at(message, "type") == COMPRESSED:
        found.compacts()
        # What was kept has the results of tools as messages of the user's.
        _arrived(found, list_at(message, "kept"))
        return
    if text_at(message, "type") != "gemini":
        # Where no folder is trusted, no context file of it is sent.
        said = "\n".join(text_at(part, "text") for part in list_at(message, "content"))
        is_context = any(map(_CONTEXT.match, said.splitlines()))
        found.is_trusted = found.is_trusted or is_context
        found.says("" if is_context else said)
        return
    found.model = found.model or text_at(message, "model") or None
    tokens = number_at(message, "tokens", "input")
    if tokens:
        cached, at = number_at(message, "tokens", "cached"), text_at(message, "timestamp")
        found.asks(tokens, cached=cached, at=at, model=text_at(message, "model"))
    found.says(*texts_at(message, "content"))
    for call in list_at(message, "toolCalls"):
        tool, given = text_at(call, "name"), object_at(call, "args")
        found.called[tool] = None
        target = target_of(given, TARGETS)
        failed = text_at(call, "status") != "success"
        found.says(given, *(text_at(each, *OUTPUT) for each in list_at(call, "result")))
        if tool == "invoke_agent":
            found.subagents.append(text_at(given, "agent_name"))
        elif tool == "activate_skill" and not failed:
            place = _SKILL.search(text_at(call, "resultDisplay"))
            found.calls_skill(join(place[1], SKILL_FILE) if place is not None else "")
            found.touched.append(Touched(tool, target, failed))
        elif tool in READS and not failed:
            found.reads.append(resolve(found.cwd, target))
            _arrived(found, list_at(call, "result"))
        else:
            found.touched.append(Touched(tool, target, failed))


def _arrived(found: Recorded, results: list[Any]) -> None:
    for result in results:
        output = text_at(result, *OUTPUT)
        for line in output.partition(SEPARATOR)[2].splitlines():
            context = _CONTEXT.match(line)
            if context:
                found.arrives(context[1])
