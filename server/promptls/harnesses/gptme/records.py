"""The sessions that gptme records: a directory for each, with a file of JSON lines.

Seen of 0.35.1 (tests/records: gptme).
"""

from __future__ import annotations

import json

from promptls.core.lazy import regex
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import Calls, Recorded, list_at, number_at, object_at, text_at, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.kit.recording import Event, Store

CONVERSATION, CONFIG = "conversation.jsonl", "config.toml"
# The tools that bring agent files by the path that they are given.
READS = ("read", "save", "append", "patch", "morph")
TARGETS = ("path", "command", "query")
_CALL = regex(r"(?m)^@(\w+)\(([^()\s]+)\): (?=\{)")
_VERSION = regex(r"\bgptme v(\d[\w.+-]*\w)")
NESTED = "<agent-instructions "
UNSEEN = (
    "gptme records neither its settings nor its command line, and calls only where tools are called by their format."
)


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    data = store.env.get("XDG_DATA_HOME")
    logs = store.env.get("GPTME_LOGS_HOME")
    own = join(resolve("/", data) if data else join(store.home, ".local", "share"), "gptme", "logs")
    top = resolve("/", logs) if logs else own
    for name in store.names(top):
        chat = object_at(_settings(store.text(join(top, name, CONFIG))), "chat")
        cwd = text_at(chat, "workspace")
        if cwd and is_below(cwd, folder):
            yield _read(store, join(top, name, CONVERSATION), name, chat)


def _settings(text: str) -> object:
    import tomllib  # noqa: PLC0415 - only where something is recorded

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _read(store: Store, path: str, name: str, chat: Event) -> Recorded:
    found = Recorded("gptme", path, name, text_at(chat, "workspace"), start=[], unseen=UNSEEN, said=wanted(store))
    found.model = text_at(chat, "model") or None
    if isinstance(chat.get("interactive"), bool):
        found.interactive = chat["interactive"]
    calls = Calls(found, READS, TARGETS)
    for event in store.events(path):
        _message(found, calls, event)
    calls.close()
    return found


def _message(found: Recorded, calls: Calls, event: Event) -> None:
    role, text, at = text_at(event, "role"), text_at(event, "content"), _time(text_at(event, "timestamp"))
    found.started = found.started or at
    if role == "assistant":
        _answer(found, calls, event, text, at)
    elif role == "user":
        found.says(text)
    elif text.startswith(NESTED):
        for path in list_at(event, "files"):
            found.arrives(path if isinstance(path, str) else "")
    elif text_at(event, "call_id"):
        found.says(text)
        calls.end(text_at(event, "call_id"), failed=False)
    elif not found.requests and found.start is not None:
        version = _VERSION.search(text)
        found.version = found.version or (version[1] if version is not None else "")
        found.start += [path for path in list_at(event, "files") if isinstance(path, str)]


def _answer(found: Recorded, calls: Calls, event: Event, text: str, at: str) -> None:
    usage = object_at(event, "metadata", "usage")
    cached = number_at(usage, "cache_read_tokens")
    size = number_at(usage, "input_tokens") + cached + number_at(usage, "cache_creation_tokens")
    found.asks(size, cached=cached, at=at, model=text_at(event, "metadata", "model"))
    found.says(text)
    for call in _CALL.finditer(text):
        try:
            given, _ = json.JSONDecoder().raw_decode(text, call.end())
        except (ValueError, RecursionError):
            continue
        calls.begin(call[2], call[1], object_at(given))


def _time(local: str) -> str:
    """It records the time of the machine's own zone, without saying which [source: message.py]."""
    from datetime import UTC, datetime  # noqa: PLC0415 - only where something is recorded

    try:
        return datetime.fromisoformat(local).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError):
        return ""
