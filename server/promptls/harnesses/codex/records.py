"""The sessions that Codex records: a file of JSON lines for each thread, in a folder for its day.

Seen of 0.169.0 (tests/records: codex). Older versions count tokens in events only (seen of 0.50.0). Reading a file
brings no instructions, so every touched file is only that.
"""

from __future__ import annotations

import json

from promptls.core.lazy import regex
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.recording import (
    MOST_SUBAGENTS,
    Recorded,
    Touched,
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

# How it was started: in its own window, or by exec.
SOURCES = ("cli", "exec")
# Every editor that runs it (seen by verify).
EDITOR = "vscode"
USUAL_MODE = "default"
DEVELOPER = "generic.developer_instructions"
SKILL = "skills.selected_skill_instructions"
# What comes with a turn, in a message of the user's, and whose messages are answers.
SAID, ANSWERS = ("user.text", SKILL), "assistant"
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_PATH = regex(r"<path>([^<\n]+)</path>")
# What counts the tokens of a request, and where.
RECORDS, EVENTS = "token_usage_record", "token_count"
USAGES = {RECORDS: ("usage",), EVENTS: ("info", "last_token_usage")}
# The length of a thread's identifier, and the kind of a sub-agent for which none is asked.
ID, UNNAMED = 36, "default"
UNSEEN = (
    "Codex records the directory and the text of its AGENTS.md files, not their paths; neither its command line nor"
    " its settings."
)
FORKED = "It goes on from {}: what was said there is in the tokens that Codex counted, and in no others."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it: each file has to be opened to see where."""
    for path in _files(store, _top(store), 3):
        if not path.endswith(".jsonl"):
            continue
        # Most of them are of other folders.
        first = next(store.events(path), None) if not is_elsewhere(store.head(path), folder) else None
        if first is not None and is_below(text_at(first, "payload", "cwd"), folder):
            yield _read(store, path)


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """Threads of their own: their names are in those of their files."""
    waiting = [*found.subagents]
    files = {path.removesuffix(".jsonl")[-ID:]: path for path in _files(store, _top(store), 3)} if waiting else {}
    seen: set[str] = {found.id}
    while waiting and len(seen) <= MOST_SUBAGENTS:
        name = waiting.pop(0)
        if name in files and name not in seen:
            seen.add(name)
            each = _read(store, files[name])
            each.agent = each.agent or UNNAMED
            waiting += each.subagents
            yield each


def _top(store: Store) -> str:
    given = store.env.get("CODEX_HOME")
    return join(resolve("/", given) if given else join(store.home, ".codex"), "sessions")


def _files(store: Store, directory: str, depth: int) -> Iterator[str]:
    """The files of every year, month and day, the latest first."""
    names = store.names(directory)
    for name in sorted(names, reverse=True):
        path = join(directory, name)
        if depth:
            yield from _files(store, path, depth - 1)
        else:
            yield path


def _read(store: Store, path: str) -> Recorded:
    found = _lines(store, path)
    return found if found.requests else _lines(store, path, counts=EVENTS)


def _lines(store: Store, path: str, counts: str = RECORDS) -> Recorded:
    """``counts``: what counts the tokens of a request."""
    found, model = Recorded("codex", path, unseen=UNSEEN, said=wanted(store)), ""
    answer: list[str] = []
    totals: set[int] = {0}
    for event in store.events(path):
        kind, payload = text_at(event, "type"), object_at(event, "payload")
        if kind == "session_meta":
            _start(found, payload)
        elif kind == "turn_context":
            model = _turn(found, payload) or model
        elif kind == "world_state":
            _directory(found, payload)
        elif counts in (kind, text_at(payload, "type")):
            _count(found, event, counts, model, totals)
            found.says(*answer)
            answer.clear()
        elif kind == "compacted":
            found.compacts(after_request=True)
        elif kind == "response_item":
            answer += _answer(payload)
            _note_output(found, payload)
        elif text_at(payload, "type") == "item_completed":
            _item(found, object_at(payload, "item"))
    return found


def _count(found: Recorded, event: Event, counts: str, model: str, totals: set[int]) -> None:
    """A request was answered; an event of a sum that was there before tells of limits only."""
    payload = object_at(event, "payload")
    total = number_at(payload, "info", "total_token_usage", "total_tokens")
    if counts == EVENTS and total in totals:
        return
    totals.add(total)
    usage = object_at(payload, *USAGES[counts])
    tokens, cached = (number_at(usage, f"{kind}input_tokens") for kind in ("", "cached_"))
    found.asks(tokens, cached=cached, at=text_at(event, "timestamp"), model=model)


def _start(found: Recorded, payload: Event) -> None:
    if found.id:
        return
    found.id, found.cwd = text_at(payload, "id"), text_at(payload, "cwd")
    found.started, found.version = text_at(payload, "timestamp"), text_at(payload, "cli_version")
    source = text_at(payload, "source")
    found.interactive = source == "cli" if source in SOURCES else None
    found.editor = True if source == EDITOR else None
    found.parent = text_at(payload, "parent_thread_id") or None
    found.agent = text_at(payload, "source", "subagent", "thread_spawn", "agent_role") or None
    found.branch = text_at(payload, "git", "branch") or None
    found.commit = text_at(payload, "git", "commit_hash") or None
    if taken := text_at(payload, "forked_from_id"):
        found.unseen = f"{found.unseen} {FORKED.format(taken)}"


def _directory(found: Recorded, payload: Event) -> None:
    """Where files were looked for. What is not full says only what has changed: of a fork, not what it began with."""
    directory = text_at(payload, "state", "agents_md", "directory")
    if directory and directory not in (found.start or [found.cwd]):
        found.starts_in(directory)
    if directory or payload.get("full") is True:
        found.start = [*(found.start or ()), *([directory] if directory else ())]


def _turn(found: Recorded, turn: Event) -> str:
    """The model of a turn; that of the first one is the session's.

    So is its mode of collaboration, else what it may do unasked, for which Codex has no word but two settings.
    """
    model = text_at(turn, "model")
    found.model = found.model or model or None
    if found.mode is not None:
        return model
    approval, sandbox = text_at(turn, "approval_policy"), text_at(turn, "sandbox_policy", "type")
    collaboration = text_at(turn, "collaboration_mode", "mode")
    if collaboration not in ("", USUAL_MODE):
        found.mode = collaboration
    elif approval and sandbox:
        found.mode = f"{approval}, {sandbox}"
        settings = {"approval_policy": approval, "sandbox_mode": sandbox}
        found.mode_args = tuple(each for key, value in settings.items() for each in ("-c", f'{key}="{value}"'))
    return model


def _answer(payload: Event) -> Iterator[str]:
    """What the model says and calls, which is recorded before the count of the request that it answers."""
    yield text_at(payload, "arguments")
    if text_at(payload, "role") == ANSWERS:
        yield from texts_at(payload, "content")


def _note_output(found: Recorded, payload: Event) -> None:
    found.says(*texts_at(payload, "output"))
    if text_at(payload, "type") in CALLS:
        found.called[text_at(payload, "name")] = None
    kinds = list_at(payload, "internal_chat_message_metadata_passthrough", "content_item_kinds")
    for kind, part in zip(kinds, list_at(payload, "content"), strict=False):
        if kind in SAID:
            found.says(text_at(part, "text"))
        if kind == SKILL:
            path = _PATH.search(text_at(part, "text"))
            found.calls_skill(path[1] if path is not None else "")
    if not found.args:
        _developer(found, payload)


def _developer(found: Recorded, payload: Event) -> None:
    """``developer_instructions``: of the command line or of a configuration, which the record does not say."""
    kinds = list_at(payload, "internal_chat_message_metadata_passthrough", "content_item_kinds")
    for kind, part in zip(kinds, list_at(payload, "content"), strict=False):
        if kind == DEVELOPER:
            text = json.dumps(text_at(part, "text"), ensure_ascii=False)
            found.args += ["-c", f"developer_instructions={text}"]


def _path_of(path: str) -> str:
    """A path that may be a URL."""
    from urllib.parse import unquote  # noqa: PLC0415 - few records have one

    return unquote(path.removeprefix("file://"))


def _item(found: Recorded, item: Event) -> None:
    kind = text_at(item, "type")
    if kind == "CommandExecution":
        failed = text_at(item, "status") == "failed"
        for command in list_at(item, "parsed_cmd"):
            target = _path_of(text_at(command, "path")) or text_at(command, "cmd")
            found.touched.append(Touched(f"exec:{text_at(command, 'type')}", target, failed))
    elif kind == "FileChange":
        failed = text_at(item, "status") == "failed"
        found.touched += [Touched("apply_patch", path, failed) for path in object_at(item, "changes")]
    elif kind == "McpToolCall":
        # Also what a program of the model has called, of which the record has no call.
        found.called[f"mcp__{text_at(item, 'server')}__{text_at(item, 'tool')}"] = None
    elif kind == "CollabAgentToolCall":
        found.subagents += [each for each in list_at(item, "receiver_thread_ids") if isinstance(each, str)]
