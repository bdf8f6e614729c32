"""The sessions that Droid records: a file of JSON lines for each, in a directory for the folder, and its sums beside.

Seen of 0.215.0 (tests/records: droid).
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import (
    Calls,
    Recorded,
    is_elsewhere,
    list_at,
    number_at,
    object_at,
    text_at,
    texts_at,
    wanted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.kit.recording import Event, Store

ENDING, SUMS = ".jsonl", ".settings.json"
READS, DELEGATES = ("Read",), "Task"
TARGETS = ("file_path", "command", "path", "directory_path", "pattern", "skill")
# A session of ``droid exec`` is marked so.
PRINTS = "exec"
_START = regex(r"^% cat (.*[/\\].+)$")
_NESTED = regex(r"^## (.+)$")
REMINDER, NESTED = "<system-reminder>", "Additional project instructions discovered"
_SKILL = regex(r'<skill name="[^"]*" filePath="([^"]+)"')
UNSEEN = (
    "Droid records neither its version, nor its settings and command line, nor the size of any request but the last."
)


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("FACTORY_HOME_OVERRIDE")
    home = resolve("/", given) if given else store.home
    top = join(home, ".factory", "sessions")
    for place in store.names(top):
        for name in store.names(join(top, place)):
            path = join(top, place, name)
            # Most of them are of other folders.
            if not name.endswith(ENDING) or is_elsewhere(store.head(path), folder):
                continue
            found = _read(store, path, home)
            if found is not None and is_below(found.cwd, folder):
                yield found


def _read(store: Store, path: str, home: str) -> Recorded | None:
    found: Recorded | None = None
    calls: Calls | None = None
    for event in store.events(path):
        kind = text_at(event, "type")
        if kind == "session_start" and found is None:
            above = text_at(event, "callingSessionId") or None
            found = Recorded("droid", path, text_at(event, "id"), text_at(event, "cwd"), parent=above)
            found.start, found.unseen = [], UNSEEN
            found.said, calls = wanted(store), Calls(found, READS, TARGETS)
        elif found is None or calls is None:
            return None
        elif kind == "compaction_state":
            found.compacts()
        elif kind == "message":
            found.started = found.started or text_at(event, "timestamp")
            _message(found, calls, object_at(event, "message"), home)
    if found is not None and calls is not None:
        calls.close()
        _sums(found, object_at(store.document(path.removesuffix(ENDING) + SUMS)))
    return found


def _sums(found: Recorded, sums: Event) -> None:
    """What stands beside a session: of its requests, the last one's size alone."""
    found.model = found.model or text_at(sums, "model") or None
    if any(text_at(each, "name") == PRINTS for each in list_at(sums, "tags")):
        found.interactive = False
    last = object_at(sums, "lastCallTokenUsage")
    cached = number_at(last, "cacheReadTokens")
    size = number_at(last, "inputTokens") + cached + number_at(last, "cacheCreationTokens")
    if size:
        found.asks(size, cached=cached, model=found.model or "")


def _message(found: Recorded, calls: Calls, message: Event, home: str) -> None:
    if text_at(message, "role") == "assistant":
        found.model = found.model or text_at(message, "modelId") or None
    for part in list_at(message, "content"):
        match text_at(part, "type"):
            case "text":
                _text(found, text_at(part, "text"), home)
            case "tool_use":
                calls.begin(text_at(part, "id"), text_at(part, "name"), object_at(part, "input"))
            case "tool_result":
                _result(found, calls, part)


def _text(found: Recorded, text: str, home: str) -> None:
    found.says(text)
    lines = text.splitlines()
    if found.start is not None and not found.called and text.startswith(REMINDER):
        found.start += [resolve(home, match[1].replace("~/", "", 1)) for match in map(_START.match, lines) if match]
    if any(line.startswith(NESTED) for line in lines):
        for match in map(_NESTED.match, lines):
            found.arrives(match[1] if match is not None else "")


def _result(found: Recorded, calls: Calls, part: Event) -> None:
    texts = [*texts_at(part, "content")]
    found.says(*texts)
    tool, given = calls.end(text_at(part, "tool_use_id"), failed=object_at(part).get("is_error") is True)
    if tool == DELEGATES:
        found.subagents.append(text_at(given, "subagent_type"))
    for match in map(_SKILL.search, texts):
        found.calls_skill(match[1] if match is not None else "")
