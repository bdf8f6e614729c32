"""The sessions that Letta Code records with its local backend: a directory for each conversation of an agent.

Seen of 0.32.18 (tests/records: letta-code). What a cloud agent is told is not on this machine.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import (
    Calls,
    Recorded,
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

MESSAGES, CONVERSATION = "messages.jsonl", "conversation.json"
READS, DELEGATES = ("Read",), "Agent"
TARGETS = ("file_path", "command", "path", "pattern", "skill", "name")
# The conversation that each agent has of itself.
OWN = "default"
INSTRUCTIONS = "Root project instructions loaded automatically from "
_WORKTREE = regex(r"(?m)^Path: (.+)$")
_SKILL = regex(r"(?m)^Skill directory: (.+)$")
_CALLER = regex(r"This message is from agent (\S+?),? conversation (\S+?)[\s.,)]")
_AGENT = regex(r"(?m)^Agent ID: (\S+)$")
UNSEEN = "Letta Code records neither its version, nor its settings and command line."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    top = _top(store)
    for name in store.names(top):
        path = join(top, name, MESSAGES)
        # Most of them are of other folders.
        if is_elsewhere(store.head(path), folder):
            continue
        found = _read(store, path)
        if found.cwd and is_below(found.cwd, folder):
            yield found


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Conversations of agents of their own, which the results of the calls name."""
    if found.subagents:
        yield from (each for each in sessions(store, found.cwd) if each.id in found.subagents)


def _top(store: Store) -> str:
    given = store.env.get("LETTA_LOCAL_BACKEND_DIR")
    return join(resolve("/", given) if given else join(store.home, ".letta", "lc-local-backend"), "conversations")


def _read(store: Store, path: str) -> Recorded:
    # No instruction file is sent at the start.
    found = Recorded("letta-code", path, start=[], unseen=UNSEEN, said=wanted(store))
    about = object_at(store.document(path.removesuffix(MESSAGES) + CONVERSATION))
    found.id = _name(text_at(about, "id"), text_at(about, "agent_id"))
    calls = Calls(found, READS, TARGETS)
    for event in store.events(path):
        if text_at(event, "type") == "session":
            found.cwd, found.started = text_at(event, "cwd"), text_at(event, "timestamp")
        elif text_at(event, "type") == "message":
            _message(found, calls, object_at(event, "message"), text_at(event, "timestamp"))
    calls.close()
    return found


def _name(conversation: str, agent: str) -> str:
    return agent if conversation == OWN else conversation


def _message(found: Recorded, calls: Calls, message: Event, at: str) -> None:
    texts = [text_at(part, "text") for part in list_at(message, "content")]
    match text_at(message, "role"):
        case "user":
            found.says(*texts)
            for text in texts:
                _typed(found, text)
        case "assistant":
            found.model = found.model or text_at(message, "model") or None
            _count(found, object_at(message, "usage"), at, text_at(message, "model"))
            found.says(*texts)
            for part in list_at(message, "content"):
                if text_at(part, "type") == "toolCall":
                    calls.begin(text_at(part, "id"), text_at(part, "name"), object_at(part, "arguments"))
        case "toolResult":
            found.says(*texts)
            tool, _ = calls.end(text_at(message, "toolCallId"), failed=message.get("isError") is True)
            for text in texts:
                _result(found, tool, text)


def _count(found: Recorded, usage: Event, at: str, model: str) -> None:
    cached = number_at(usage, "cacheRead")
    size = number_at(usage, "input") + cached + number_at(usage, "cacheWrite")
    if size:
        found.asks(size, cached=cached, at=at, model=model)


def _typed(found: Recorded, text: str) -> None:
    caller, skill = _CALLER.search(text), _SKILL.search(text)
    if caller is not None and not found.requests:
        found.parent = _name(caller[2], caller[1])
    if skill is not None:
        found.calls_skill(join(skill[1], SKILL_FILE))


def _result(found: Recorded, tool: str, text: str) -> None:
    agent, place = _AGENT.search(text), _WORKTREE.search(text)
    if tool == DELEGATES and agent is not None:
        found.subagents.append(agent[1])
    if INSTRUCTIONS in text and place is not None:
        found.arrives(join(place[1], text.partition(INSTRUCTIONS)[2].partition(":")[0]))
