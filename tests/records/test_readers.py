"""Recorded sessions of the real programs, read back: tests/records/<program>/home, and what is in it beside."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from promptls.harnesses.catalogue import records
from promptls.harnesses.claude_code import records as claude_code
from promptls.harnesses.codex import records as codex
from promptls.harnesses.copilot_cli import records as copilot_cli
from promptls.harnesses.gemini_cli import records as gemini_cli
from promptls.harnesses.opencode import records as opencode
from promptls.kit.recording import Recorded, Touched
from promptls.workspace.record_store import LocalStore

HERE = Path(__file__).parent
PROGRAMS = {
    "claude-code": "claude-code",
    "claude-code-tui": "claude-code",
    "codex": "codex",
    "copilot-cli": "copilot-cli",
    "gemini-cli": "gemini-cli",
    "opencode": "opencode",
    "opencode-2": "opencode",
    "deepagents-code": "deepagents-code",
    "droid": "droid",
    "goose": "goose",
    "gptme": "gptme",
    "grok-build": "grok-build",
    "grok-build-2": "grok-build",
    "hermes": "hermes",
    "kimi-code": "kimi-code",
    "letta-code": "letta-code",
}
WORKSPACE = "/mnt/workspace"


def read(program: str, folder: str = WORKSPACE) -> list[Recorded]:
    """Every session of a fixture."""
    reader = records(PROGRAMS[program])
    assert reader is not None
    store = LocalStore(str(HERE / program / "home"), {})
    try:
        return list(reader(store, folder))
    finally:
        store.close()


def expected(program: str) -> list[dict[str, Any]]:
    """What the fixture says of each of its sessions."""
    found: list[dict[str, Any]] = json.loads((HERE / program / "expected-sessions.json").read_text(encoding="utf-8"))
    return found


CASES = [(program, each["id"]) for program in PROGRAMS for each in expected(program)]


@pytest.mark.parametrize(("program", "name"), CASES, ids=[f"{program}-{name[-8:]}" for program, name in CASES])
def test_a_session_is_read_back(program: str, name: str) -> None:
    found = {each.id: each for each in read(program)}[name]
    known = next(each for each in expected(program) if each["id"] == name)
    assert found.harness == known["harness"]
    assert (found.version or None) == known["version"]
    assert found.cwd == known["cwd"]
    # gptme records the time of the machine's own zone.
    if found.harness != "gptme":
        assert found.started == _time(known["started"])
    assert (found.branch, found.commit) == (known["branch"], known["commit"])
    assert (found.model, found.agent, found.parent) == (known["model"], known["agent"], known["parent"])
    assert found.args == known["args"]
    assert list(dict.fromkeys(found.reads)) == known["reads"]
    assert [[each.tool, each.target, each.failed] for each in found.touched] == known["other"]
    assert found.start == known["start"]
    assert [_below(path) for path in found.arrived] == [_below(path) for path in known["arrived"]]
    assert found.compactions == known["compactions"]
    assert len(found.subagents) == len(known["subagents"])
    assert found.tokens == [sum(each) for each in known["usage"]]


def _time(known: str | int) -> str:
    """A time as it is shown; a number is milliseconds."""
    if isinstance(known, str):
        return known
    seconds, rest = divmod(known, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:03}Z"


def _below(path: str) -> str:
    return path.removeprefix(f"{WORKSPACE}/")


@pytest.mark.parametrize("program", PROGRAMS)
def test_all_are_found_and_none_twice(program: str) -> None:
    names = [each.id for each in read(program)]
    assert sorted(names) == sorted(each["id"] for each in expected(program))


@pytest.mark.parametrize("program", PROGRAMS)
def test_only_those_of_a_folder_are_found(program: str) -> None:
    assert read(program, "/mnt/elsewhere") == []
    below = [each["id"] for each in expected(program) if each["cwd"].startswith(f"{WORKSPACE}/pkg")]
    assert sorted(each.id for each in read(program, f"{WORKSPACE}/pkg")) == sorted(below)


@pytest.mark.parametrize("program", ["codex", "opencode", "opencode-2"])
def test_the_latest_comes_first(program: str) -> None:
    started = [each.started for each in read(program)]
    assert started == sorted(started, reverse=True)


def test_a_directory_that_is_added_twice_is_one_argument() -> None:
    reader = claude_code._Reader(Recorded("claude-code", "x"))
    added = {"type": "environment", "snapshot": {"additionalWorkingDirectories": ["/a", "/b", 1]}}
    claude_code._attachment(reader, added)
    claude_code._attachment(reader, added)
    assert reader.found.args == ["--add-dir", "/a", "--add-dir", "/b"]


def test_a_directory_that_is_added_once_something_was_done_is_no_argument() -> None:
    added = {"type": "environment", "snapshot": {"additionalWorkingDirectories": ["/a"]}}
    for done in ({"reads": ["/w/a.py"]}, {"touched": [Touched("Grep", "x", failed=False)]}):
        reader = claude_code._Reader(Recorded("claude-code", "x", **done))
        claude_code._attachment(reader, added)
        assert reader.found.args == []


def test_what_a_resume_in_another_directory_brings_follows() -> None:
    reader = claude_code._Reader(Recorded("claude-code", "x"))
    for paths in (["/w/CLAUDE.md"], ["/w/CLAUDE.md", "/w/b/CLAUDE.md"]):
        claude_code._attachment(reader, {"type": "instructions", "files": [{"path": path} for path in paths]})
    assert reader.found.start == ["/w/CLAUDE.md", "/w/b/CLAUDE.md"]


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("cat b/x.py", ["/w/b/x.py"]),
        ("cat a.py 'b/c/y.py' b/x.py", ["/w/b/c/y.py"]),
        ("ls b; cat b/x.py", ["/w/b/x.py"]),
        ("cat a.py", []),
    ],
)
def test_a_command_that_brought_a_file_has_read_beside_it(command: str, reads: list[str]) -> None:
    reader = claude_code._Reader(Recorded("claude-code", "x"))
    nested = {"type": "attachment", "attachment": {"type": "nested_memory", "path": "/w/b/CLAUDE.md"}}
    used = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": command}}
    claude_code._event(reader, {"type": "assistant", "cwd": "/w", "message": {"content": [used]}})
    claude_code._event(reader, {"type": "user", "message": {"content": [{"tool_use_id": "1"}]}})
    claude_code._event(reader, nested)
    claude_code._event(reader, nested)
    assert (reader.found.reads, reader.found.arrived) == (reads, ["/w/b/CLAUDE.md"])


@pytest.mark.parametrize(
    ("tool", "failed", "reads"),
    [("Read", True, ["/w/a.py"]), ("Edit", False, ["/w/a.py"]), ("Edit", True, []), ("Grep", False, [])],
)
def test_which_calls_of_claude_code_read_a_file(tool: str, failed: bool, reads: list[str]) -> None:
    reader = claude_code._Reader(Recorded("claude-code", "x"))
    used = {"type": "tool_use", "id": "1", "name": tool, "input": {"file_path": "a.py"}}
    for number in range(2):
        claude_code._event(reader, {"type": "assistant", "cwd": "/w", "message": {"content": [used]}})
        claude_code._event(reader, {"type": "user", "message": {"content": [{"tool_use_id": "1", "is_error": failed}]}})
        assert reader.found.reads == reads
        assert len(reader.found.touched) == (0 if reads else number + 1)


def test_instructions_of_a_developer_are_an_argument_as_they_were_said() -> None:
    found = Recorded("codex", "x")
    kinds = {"content_item_kinds": [codex.DEVELOPER]}
    said = {"internal_chat_message_metadata_passthrough": kinds, "content": [{"text": 'Sag "ja" für é.'}]}
    codex._developer(found, said)
    assert found.args == ["-c", 'developer_instructions="Sag \\"ja\\" für é."']


@pytest.mark.parametrize(
    ("state", "named"),
    [
        ({"metadata": {"sessionId": "ses_1"}, "input": {"subagent_type": "rev"}}, "ses_1"),
        ({"input": {"subagent_type": "rev"}}, "rev"),
        ({"metadata": {"sessionId": "ses_1"}}, "ses_1"),
    ],
)
def test_opencode_names_a_sub_agent_by_its_session_or_its_agent(state: dict[str, Any], named: str) -> None:
    found = Recorded("opencode", "x")
    opencode._part(found, {"type": "tool", "tool": "task", "state": {"status": "completed", **state}})
    assert found.subagents == [named]


def test_opencode_begins_with_the_model_and_the_agent_of_the_first_message() -> None:
    found = Recorded("opencode", "x")
    for number in "12":
        message = {"role": "user", "agent": f"a{number}", "model": {"providerID": "p", "modelID": f"m{number}"}}
        opencode._message(found, message, ())
    assert (found.agent, found.model) == ("a1", "p/m1")


@pytest.mark.parametrize(
    ("kind", "tokens", "found"),
    [("session.usage_record", 7, [7]), ("session.usage_record", 0, []), ("assistant.usage", 7, [])],
)
def test_copilot_counts_what_a_record_of_its_use_counts(kind: str, tokens: int, found: list[int]) -> None:
    recorded = Recorded("copilot-cli", "x")
    copilot_cli._count(recorded, {"type": kind, "data": {"usage": {"inputTokens": tokens}}})
    assert recorded.tokens == found


@pytest.mark.parametrize(
    ("started", "named"),
    [
        ({"agentName": "rev"}, "rev"),
        ({"agentType": "task"}, "task"),
        ({"agentName": "rev", "agentType": "task"}, "rev"),
    ],
)
def test_copilot_names_a_sub_agent_by_its_name_or_its_kind(started: dict[str, str], named: str) -> None:
    recorded = Recorded("copilot-cli", "x")
    copilot_cli._count(recorded, {"type": "subagent.started", "data": started})
    assert recorded.subagents == [named]


@pytest.mark.parametrize(
    ("given", "target"),
    [
        ({"path": "/a", "command": "ls"}, "/a"),
        ({"path": "", "command": "ls"}, "ls"),
        ({"paths": "/a"}, "/a"),
        ({"paths": ["/a", "/b"], "pattern": "x"}, "/a"),
        ({"path": 1}, ""),
    ],
)
def test_copilot_calls_a_tool_with_a_path_or_something_else(given: dict[str, Any], target: str) -> None:
    call = {"toolCallId": "c", "name": "grep", "arguments": given}
    assert copilot_cli._calls({"toolRequests": [call]}) == {"c": ("grep", target)}


def of_copilot(top: Path, *events: dict[str, Any]) -> Recorded:
    """A session of Copilot CLI in /w, which is no repository."""
    path = top / ".copilot" / "session-state" / "s" / "events.jsonl"
    path.parent.mkdir(parents=True)
    start = {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/w"}}}
    path.write_text("\n".join(map(json.dumps, (start, *events))), encoding="utf-8")
    reader = records("copilot-cli")
    assert reader is not None
    store = LocalStore(str(top), {})
    (found,) = reader(store, "/w")
    store.close()
    return found


def test_copilot_notes_each_instruction_file_that_it_discovers_and_nothing_else(tmp_path: Path) -> None:
    kinds = [
        {"type": "instruction_discovered", "sourcePath": "p/AGENTS.md"},
        {"type": "agent_idle", "sourcePath": "q/AGENTS.md"},
    ]
    told = [{"type": "system.notification", "data": {"kind": each}} for each in kinds]
    assert of_copilot(tmp_path, *told, {"type": "x", "data": {"kind": kinds[0]}}).arrived == ["/w/p/AGENTS.md"]


def test_gemini_sends_context_files_of_folders_that_are_trusted_only() -> None:
    recorded = Recorded("gemini-cli", "x")
    for text, is_trusted in (("hi", False), ("a\n--- Context from: /w/GEMINI.md ---\nb", True), ("hi", True)):
        gemini_cli._message(recorded, {"type": "user", "content": [{"text": text}]})
        assert recorded.is_trusted is is_trusted


def test_of_two_files_of_a_gemini_session_the_one_with_more_messages_counts_or_the_newer(tmp_path: Path) -> None:
    top = tmp_path / ".gemini" / "tmp" / "w"
    (top / "chats").mkdir(parents=True)
    (top / ".project_root").write_text("/w", encoding="utf-8")
    for age, (name, messages) in enumerate({"c": ["a"], "a": ["b", "c"], "b": ["d", "e"]}.items()):
        lines = [{"sessionId": "s"}, *({"id": each, "type": "gemini", "model": name} for each in messages)]
        path = top / "chats" / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        os.utime(path, (1000 - age, 1000 - age))
    reader = records("gemini-cli")
    assert reader is not None
    store = LocalStore(str(tmp_path), {})
    assert [each.model for each in reader(store, "/w")] == ["a"]
    store.close()


def test_each_file_that_comes_is_listed_once() -> None:
    recorded = Recorded("codex", "/r.jsonl")
    for path in ("/w/a.md", "", "/w/b.md", "/w/a.md"):
        recorded.arrives(path)
    assert recorded.arrived == ["/w/a.md", "/w/b.md"]
