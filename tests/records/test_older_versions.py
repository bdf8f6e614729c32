"""Records that older versions have written: shapes that were seen of them, made here with as little as they need."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from promptls.core.host import Host
from promptls.core.model import Session
from promptls.harnesses import preview
from promptls.harnesses.catalogue import records
from promptls.harnesses.opencode import records as opencode
from promptls.kit.recording import Recorded
from promptls.sessions.arrivals import arrivals
from promptls.sessions.rule_counts import rule_counts
from promptls.sessions.turn_by_turn import life
from promptls.workspace.record_store import LocalStore
from tests.folder import lay_out
from tests.records import laid_out

FILES: dict[str, str | bytes | dict[str, object]] = {
    "CLAUDE.md": "Own.",
    "AGENTS.md": "Own.",
    "pkg/CLAUDE.md": "Nested.",
    "pkg/a.py": "1\n",
}


def places(tmp_path: Path) -> tuple[Path, str]:
    """The home directory, and the folder."""
    return tmp_path / "home", os.path.realpath(lay_out(tmp_path / "w", FILES))


def write(path: Path, lines: Iterable[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def read(program: str, home: Path, folder: str) -> list[Recorded]:
    reader = records(program)
    assert reader is not None
    store = LocalStore(str(home), {})
    try:
        return list(reader(store, folder))
    finally:
        store.close()


def claude_code(home: Path, folder: str) -> None:
    """A session of Claude Code 2.0.1 that reads a file and is compacted: without any attachment."""

    def line(kind: str, number: int, message: Mapping[str, object], **more: object) -> dict[str, object]:
        about = {
            "isSidechain": False,
            "cwd": folder,
            "version": "2.0.1",
            "timestamp": f"2025-10-01T10:0{number}:00.000Z",
        }
        return {**about, "type": kind, "message": message, **more}

    def answer(number: int, *content: object) -> dict[str, object]:
        usage = {"input_tokens": 100 * number, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        said = {
            "id": f"m{number}",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "usage": usage,
        }
        return line("assistant", number, said)

    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": f"{folder}/pkg/a.py"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "1"}
    boundary = {"subtype": "compact_boundary", "compactMetadata": {"trigger": "manual", "preTokens": 900}}
    lines = [
        line("user", 1, {"role": "user", "content": "hello"}),
        answer(1, call),
        line("user", 2, {"role": "user", "content": [result]}),
        answer(2),
        {**line("system", 3, {}), **boundary},
        line("user", 3, {"role": "user", "content": "a summary"}, isCompactSummary=True),
        answer(4),
    ]
    slug = "".join(each if each.isascii() and each.isalnum() else "-" for each in folder)[:200]
    write(home / ".claude/projects" / slug / "11111111.jsonl", lines)


def test_files_that_a_record_does_not_name_follow_from_what_was_read(tmp_path: Path) -> None:
    home, folder = places(tmp_path)
    claude_code(home, folder)
    (found,) = read("claude-code", home, folder)
    assert not found.names_files
    assert found.unseen.endswith("This version of Claude Code does not record which instruction files it sends.")

    def host() -> Host:
        return Host(home=str(home), env={})

    first, second, last = life(found, [], host).requests
    assert (first.entered, second.entered) == ((f"{folder}/CLAUDE.md",), (f"{folder}/pkg/CLAUDE.md",))
    assert (last.left, last.why_left, last.is_compacted) == ((f"{folder}/pkg/CLAUDE.md",), "compacted", True)
    assert all(each.ours for each in (first, second, last))
    outcomes = {each.path: each.outcome for each in arrivals(found, found.session(), host)}
    assert outcomes[f"{folder}/pkg/CLAUDE.md"] == "expected"
    possible = [preview(Session("claude-code", folder), host())]
    rows = {each.path: (each.stood, each.is_computed) for each in rule_counts("claude-code", [found], possible, host)}
    assert rows[f"{folder}/pkg/CLAUDE.md"] == (1, True)


def test_tokens_that_codex_counts_in_events(tmp_path: Path) -> None:
    home, folder = places(tmp_path)

    def count(total: int, last: int, cached: int) -> dict[str, object]:
        usage = {"input_tokens": last, "cached_input_tokens": cached}
        info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": usage}
        return {
            "timestamp": "2025-10-01T10:00:03.000Z",
            "type": "event_msg",
            "payload": {"type": "token_count", "info": info},
        }

    start = {
        "id": "a" * 36,
        "cwd": folder,
        "cli_version": "0.50.0",
        "source": "exec",
        "timestamp": "2025-10-01T10:00:00Z",
    }
    turn = {"cwd": folder, "model": "gpt-5-codex", "approval_policy": "never", "sandbox_policy": {"mode": "read-only"}}
    limits = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
    lines = [
        {"type": "session_meta", "payload": start},
        {"type": "turn_context", "payload": turn},
        *(limits, count(800, 800, 0), count(800, 800, 0), count(1700, 900, 700)),
    ]
    write(home / ".codex/sessions/2025/10/01/rollout-a.jsonl", lines)
    (found,) = read("codex", home, folder)
    assert [(each.tokens, each.cached, each.model) for each in found.requests] == [
        (800, 0, "gpt-5-codex"),
        (900, 700, "gpt-5-codex"),
    ]


def test_a_session_of_gemini_cli_that_is_one_json_file(tmp_path: Path) -> None:
    home, folder = places(tmp_path)
    name = hashlib.sha256(folder.encode()).hexdigest()
    calls = [{"name": "read_file", "args": {"file_path": f"{folder}/pkg/a.py"}, "status": "success"}]
    said = {"id": "2", "type": "gemini", "model": "gemini-2.5-pro", "tokens": {"input": 900}, "toolCalls": calls}
    whole = {
        "sessionId": "s1",
        "startTime": "2025-10-01T10:00:00.000Z",
        "messages": [{"id": "1", "type": "user"}, said],
    }
    path = home / ".gemini/tmp" / name / "chats/session-2025-10-01T10-00-s1.json"
    write(path, [whole])
    (found,) = read("gemini-cli", home, folder)
    assert (found.id, found.tokens, found.reads) == ("s1", [900], [f"{folder}/pkg/a.py"])
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert read("gemini-cli", home, folder) == []


def test_a_session_of_copilot_that_is_a_file_of_its_own(tmp_path: Path) -> None:
    home, folder = places(tmp_path)
    data = {"sessionId": "s1", "copilotVersion": "0.0.354", "context": {"cwd": folder}}
    write(home / ".copilot/session-state/s1.jsonl", [{"type": "session.start", "data": data}])
    assert [(each.id, each.cwd) for each in read("copilot-cli", home, folder)] == [("s1", folder)]


def test_opencode_before_its_database(tmp_path: Path) -> None:
    """Files of opencode 1.1.65, recorded by the program itself; the sub-agent beside them is made here."""
    home, folder = laid_out.lay_out("opencode", tmp_path, laid_out.HERE / "older")
    storage = home / ".local/share/opencode/storage"
    (path,) = storage.glob("session/*/*.json")
    child = {"id": "ses_child", "parentID": path.stem, "directory": str(folder), "version": "1.1.65"}
    write(path.with_name("ses_child.json"), [{**child, "time": {"created": 1795714907000}}])
    write(path.with_name("ses_other.json"), [{**child, "id": "ses_else"}])
    write(path.with_name("ses_cut.json"), ["{"])
    found = {each.id: each for each in read("opencode", home, str(folder))}
    assert set(found) == {path.stem, "ses_child"}
    session = found[path.stem]
    assert (session.version, session.interactive, session.model) == ("1.1.65", False, "stub/m")
    assert [each.tokens for each in session.requests] == [1500, 2500, 3000]
    assert session.arrived == [f"{folder}/pkg/AGENTS.md"]
    assert found["ses_child"].interactive is None
    store = LocalStore(str(home), {})
    assert [each.id for each in opencode.subagents(store, session)] == ["ses_child"]
    # A later version has copied them into its database.
    shutil.copytree(laid_out.HERE / "short/opencode/home/.local/share/opencode", storage.parent, dirs_exist_ok=True)
    with closing(sqlite3.connect(storage.parent / "opencode.db")) as connection, connection:
        connection.execute("update session set id = ? where id = (select min(id) from session)", (path.stem,))
        connection.execute("update session set directory = ?", (str(folder),))
    assert [each.path.endswith(".db") for each in read("opencode", home, str(folder)) if each.id == path.stem] == [True]
