"""The sessions that Claude Code records: a file of JSON lines for each, in a folder named after its directory.

Seen of 2.1.330 (tests/records: claude-code, claude-code-tui). A session keeps its file when it moves on to another
directory, and a resumed one goes on in it. Older versions record no attachments (seen of 2.0.1), so no files either.
"""

from __future__ import annotations

import re
from posixpath import basename

from promptls.core import specs
from promptls.core.lazy import regex
from promptls.core.model import SKILL_FILE
from promptls.core.values import dataclass, field
from promptls.kit.paths import is_below, join, parent, resolve
from promptls.kit.recording import (
    MOST_SUBAGENTS,
    TRIGGERS,
    Recorded,
    Touched,
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

# A longer folder name ends in a hash of the directory.
LONGEST = 200
_NOT_PLAIN = regex(r"[^A-Za-z0-9]")
_WORD = regex(r"[^\s'\"|;&<>()]+")
# The tools that bring nested files, with the key of the path.
READS = {"Read": "file_path", "Write": "file_path", "Edit": "file_path", "NotebookEdit": "notebook_path"}
TARGETS = ("file_path", "notebook_path", "command", "path", "pattern", "subagent_type")
SKILL = "Base directory for this skill: "
DELEGATES = ("Agent", "Task")
# How it was started: in its own window, or with -p.
ENTRIES = ("cli", "sdk-cli")
UNSEEN = "Claude Code records neither its command line, nor the environment, nor its settings."
UNNAMED = "This version of Claude Code does not record which instruction files it sends."


def sessions(store: Store, folder: str) -> Iterator[Recorded]:
    """Those that were started in ``folder`` or below it."""
    given = store.env.get("CLAUDE_CONFIG_DIR")
    projects = join(resolve("/", given) if given else join(store.home, ".claude"), "projects")
    begins = re.sub(_NOT_PLAIN.pattern, "-", folder)[:LONGEST]
    for name in store.names(projects):
        if not name.startswith(begins):
            continue
        for file in store.names(join(projects, name)):
            path = join(projects, name, file)
            found = _read(store, path) if file.endswith(".jsonl") else None
            if found is not None and is_below(found.cwd, folder):
                yield found


def subagents(store: Store, found: Recorded) -> Iterator[Recorded]:
    """A file for each, beside that of the session; another says which agent it is, and the call that started it."""
    directory = join(found.path.removesuffix(".jsonl"), "subagents")
    files = sorted(each for each in store.names(directory) if each.endswith(".jsonl"))[:MOST_SUBAGENTS]
    readers: list[tuple[_Reader, str]] = []
    for file in files:
        path = join(directory, file)
        meta = parsed(store.text(f"{path.removesuffix('.jsonl')}.meta.json"))
        name = file.removesuffix(".jsonl").removeprefix("agent-")
        made = Recorded("claude-code", path, id=name, agent=text_at(meta, "agentType") or None, unseen=UNSEEN)
        readers.append((_lines(store, _Reader(made, is_main=False)), text_at(meta, "toolUseId")))
    owners = {call: reader.found.id for reader, _ in readers for call in reader.delegated}
    for reader, call in readers:
        reader.found.parent = owners.get(call, found.id)
        if reader.found.cwd:
            yield reader.found


@dataclass(slots=True)
class _Reader:
    """What is known while the lines of a record are read; ``delegated`` are the calls that started a sub-agent."""

    found: Recorded
    is_main: bool = True
    is_compacted: bool = False
    # Copied from another session, from its last compaction on.
    is_fork: bool = False
    delegated: set[str] = field(default_factory=set)
    # By the id of the call: its tool, what it was given, and the directory of the shell then.
    calls: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    last: tuple[str, str, str] | None = None


def _read(store: Store, path: str) -> Recorded | None:
    name = basename(path).removesuffix(".jsonl")
    made = Recorded("claude-code", path, id=name, unseen=UNSEEN, said=wanted(store))
    found = _lines(store, _Reader(made)).found
    return found if found.cwd else None


def _lines(store: Store, reader: _Reader) -> _Reader:
    found = reader.found
    found.names_files = False
    for event in store.events(found.path):
        if (event.get("isSidechain") is not True) == reader.is_main:
            _event(reader, event)
    found.unseen = found.unseen if found.names_files else f"{UNSEEN} {UNNAMED}"
    return reader


def _event(reader: _Reader, event: Event) -> None:
    found, kind = reader.found, text_at(event, "type")
    if kind == "agent-setting":
        found.agent = text_at(event, "agentSetting") or None
    elif kind == "attachment":
        found.names_files = True
        _attachment(reader, object_at(event, "attachment"))
    elif kind == "system" and text_at(event, "subtype") == "compact_boundary":
        about = object_at(event, "compactMetadata")
        found.triggers(TRIGGERS.get(text_at(about, "trigger"), ""), number_at(about, "preTokens"))
        found.compacts()
        reader.is_compacted = True
        reader.is_fork = reader.is_fork or not found.started
    elif kind == "user":
        _start(found, event)
        _skill(found, event.get("isMeta") is True and list_at(event, "message", "content")[:1])
        found.says(*texts_at(event, "message", "content"))
        for block in list_at(event, "message", "content"):
            found.says(*texts_at(block, "content"))
            _result(reader, block)
    elif kind == "assistant":
        _answer(reader, event)


def _start(found: Recorded, event: Event) -> None:
    if found.started:
        return
    found.started, found.version = text_at(event, "timestamp"), text_at(event, "version")
    found.cwd = found.cwd or text_at(event, "cwd")
    found.branch = text_at(event, "gitBranch") or None
    entry = text_at(event, "entrypoint")
    found.interactive = entry == "cli" if entry in ENTRIES else None
    found.editor = True if entry not in ENTRIES and entry == specs.of("claude-code").in_editor else None
    mode = text_at(event, "permissionMode")
    found.mode = mode or None
    if mode == "bypassPermissions":
        found.args.append("--dangerously-skip-permissions")
    elif mode not in ("", "default"):
        found.args += ["--permission-mode", mode]


def _attachment(reader: _Reader, attachment: Event) -> None:
    found, kind = reader.found, text_at(attachment, "type")
    if kind == "instructions":
        _instructions(reader, attachment)
    elif kind == "invoked_skills":
        for skill in list_at(attachment, "skills"):
            _skill(found, [{"text": text_at(skill, "content")}])
    elif kind == "nested_memory":
        path = text_at(attachment, "path")
        found.arrives(path)
        _shell_read(reader, path)
    elif kind == "file":  # after a compaction, rules and nested files come back as files that were read
        path = text_at(attachment, "filename")
        if reader.is_fork and any(re.search(each.place, path) for each in specs.of("claude-code").instruction_files):
            found.arrives(path)
        found.comes_back(path)
    elif kind == "environment" and not found.reads and not found.touched:
        for added in list_at(attachment, "snapshot", "additionalWorkingDirectories"):
            if isinstance(added, str) and added not in found.args:
                found.args += ["--add-dir", added]


def _instructions(reader: _Reader, attachment: Event) -> None:
    """The files of a start: all of them after a compaction, else what is new or has changed."""
    found, paths = reader.found, [text_at(each, "path") for each in list_at(attachment, "files")]
    # A resume in another directory brings what is new there.
    found.start = [*(found.start or ()), *(path for path in paths if path not in (found.start or ()))]
    if reader.is_compacted and attachment.get("changed") is not True:
        found.starts_again(paths)
        reader.is_compacted = False


def _skill(found: Recorded, blocks: object) -> None:
    """The text of a skill says where it is from; the file is the one that every skill has."""
    for block in blocks if isinstance(blocks, list) else ():
        first, _, _ = text_at(block, "text").partition("\n")
        if first.startswith(SKILL):
            found.calls_skill(join(first.removeprefix(SKILL), SKILL_FILE))


def _shell_read(reader: _Reader, arrived: str) -> None:
    """A command of the shell brought a file: it read the path that it names below the file's directory."""
    tool, command, cwd = reader.last or ("", "", "")
    if tool != "Bash":
        return
    for word in _WORD.findall(command):
        path = resolve(cwd, word)
        if is_below(path, parent(arrived)) and path != parent(arrived):
            reader.found.has_read(path)
            return


def _answer(reader: _Reader, event: Event) -> None:
    found, message = reader.found, object_at(event, "message")
    found.model = found.model or text_at(message, "model") or None
    name, usage = text_at(message, "id"), object_at(message, "usage")
    # A message of several parts has a line for each.
    if usage and name not in reader.counted:
        reader.counted.add(name)
        kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        tokens, cached = sum(number_at(usage, kind) for kind in kinds), number_at(usage, kinds[-1])
        found.asks(tokens, cached=cached, at=text_at(event, "timestamp"), model=text_at(message, "model"))
    for block in list_at(message, "content"):
        found.says(text_at(block, "text"), object_at(block, "input"))
        if text_at(block, "type") == "tool_use":
            given = object_at(block, "input")
            target = next((text for key in TARGETS if (text := text_at(given, key))), "")
            found.called[text_at(block, "name")] = None
            reader.calls[text_at(block, "id")] = (text_at(block, "name"), target, text_at(event, "cwd"))
            if text_at(block, "name") in DELEGATES:
                reader.delegated.add(text_at(block, "id"))


def _result(reader: _Reader, block: object) -> None:
    call = reader.calls.pop(text_at(block, "tool_use_id"), None)
    if call is None:
        return
    found, (tool, target, cwd), failed = reader.found, call, object_at(block).get("is_error") is True
    reader.last = call
    if tool in DELEGATES:
        found.subagents.append(target)
    # A file that is missing brings what lies beside it, too, if it is Read.
    elif tool in READS and (tool == "Read" or not failed):
        path = resolve(cwd, target)
        found.has_read(path)
    else:
        found.touched.append(Touched(tool, target, failed))
