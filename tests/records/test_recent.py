"""How the user last started each program in a folder: little is read, and nothing of any shape stops it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from promptls.core.habits import NO_RECORDS
from promptls.workspace import recent as module
from promptls.workspace.recent import recent, recorded
from promptls.workspace.record_store import LocalStore
from tests.records.test_readers import HERE, PROGRAMS, WORKSPACE


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_start_of_the_last_session(program: str) -> None:
    found = recorded(str(HERE / program / "home"), {}, WORKSPACE)
    (last,) = found.recent
    assert last.harness == PROGRAMS[program]
    assert last.cwd.startswith(WORKSPACE)
    assert last.model or program == "deepagents-code"
    assert last.day.startswith("2026-")
    assert found.unread == ()


def test_a_program_on_the_screen_and_one_that_prints() -> None:
    told = {each: recorded(str(HERE / each / "home"), {}, WORKSPACE).recent[0] for each in PROGRAMS}
    assert told["claude-code-tui"].interactive is True
    assert told["codex"].interactive is False


# What each of the newest sessions says of its mode, and of the program on the screen.
MODES = {
    "claude-code": ("bypassPermissions", False),
    "claude-code-tui": ("default", True),
    "codex": ("never, danger-full-access", False),
    "copilot-cli": (None, None),
    "gemini-cli": (None, None),
    "opencode": (None, None),
    "opencode-2": (None, None),
    "deepagents-code": (None, None),
    "droid": (None, False),
    "goose": (None, None),
    "gptme": (None, False),
    "grok-build": (None, False),
    "grok-build-2": (None, False),
    "hermes": (None, None),
    "kimi-code": (None, None),
    "letta-code": (None, None),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_mode_of_the_last_session(program: str) -> None:
    (last,) = recorded(str(HERE / program / "home"), {}, WORKSPACE).recent
    assert (last.mode, last.interactive) == MODES[program]
    settings = ("-c", 'approval_policy="never"', "-c", 'sandbox_mode="danger-full-access"')
    assert last.mode_args == (settings if program == "codex" else ())


def _record(tmp_path: Path, name: str, cwd: str, padding: int = 0) -> Path:
    folder = tmp_path / ".claude/projects/-w"
    folder.mkdir(parents=True, exist_ok=True)
    line = {"type": "user", "cwd": cwd, "timestamp": "2026-11-22T00:00:00Z", "version": "2.1.330"}
    path = folder / f"{name}.jsonl"
    path.write_text(f"{json.dumps(line)}\n{'x' * padding}\n", encoding="utf-8")
    return path


def _noting(opened: list[str]) -> Callable[..., Iterator[dict[str, Any]]]:
    def beginning(_store: object, path: str, *_: object) -> Iterator[dict[str, Any]]:
        opened.append(path)
        return iter(())

    return beginning


def test_little_of_the_records_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = _record(tmp_path, "huge", "/w", 10)
    os.truncate(huge, 2 * 1024 * 1024 * 1024)  # a sparse file
    assert recorded(str(tmp_path), {}, "/w").recent[0].version == "2.1.330"
    for number in range(60):
        os.utime(_record(tmp_path, f"other{number}", "/w-elsewhere"), (2_000_000_000, 2_000_000_000))
    opened: list[str] = []
    monkeypatch.setattr(LocalStore, "beginning", _noting(opened))
    assert recorded(str(tmp_path), {}, "/w").recent == ()
    assert len(opened) == module.MOST_OPENED


def test_records_of_other_folders_are_told_by_their_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".codex/sessions/2026/11/22"
    folder.mkdir(parents=True)

    def add(number: int, cwd: str) -> None:
        meta = {"id": f"{number}", "cwd": cwd, "cli_version": "0.169.0", "timestamp": "2026-11-22T05:16:23Z"}
        line = json.dumps({"type": "session_meta", "payload": meta}, separators=(",", ":"))
        (folder / f"rollout-{number:04}.jsonl").write_text(f"{line}\n", encoding="utf-8")

    add(0, "/w")
    for number in range(1, 300):
        add(number, "/other")
    assert [each.cwd for each in recorded(str(tmp_path), {}, "/w").recent] == ["/w"]
    monkeypatch.setattr(module, "MOST_HEADS", 200)
    assert recorded(str(tmp_path), {}, "/w") == NO_RECORDS
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    assert recorded(str(tmp_path), {}, "/w").unread == (
        "Not all records were looked at, as that took longer than 0 seconds.",
    )


def test_a_folder_behind_a_link_has_its_records_by_the_name_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "real/sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    _record(tmp_path, "a", f"{tmp_path}/real/sub")
    folder = tmp_path / ".claude/projects"
    (folder / "-w").rename(folder / re.sub("[^A-Za-z0-9]", "-", f"{tmp_path}/real/sub"))
    assert recorded(str(tmp_path), {}, f"{tmp_path}/link").recent[0].cwd == f"{tmp_path}/link/sub"


def test_another_folder_whose_records_have_the_same_name_is_another_one(tmp_path: Path) -> None:
    _record(tmp_path, "a", "/w")
    assert recorded(str(tmp_path), {}, "/w").recent
    assert not recorded(str(tmp_path), {}, "/v").recent
    (tmp_path / ".claude/projects/-w-x").mkdir()
    (tmp_path / ".claude/projects/-w/a.jsonl").rename(tmp_path / ".claude/projects/-w-x/a.jsonl")
    assert not recorded(str(tmp_path), {}, "/w.x").recent


def test_records_of_a_later_version_say_what_they_still_say(tmp_path: Path) -> None:
    path = _record(tmp_path, "a", "/w")
    later = {"type": "user", "cwd": "/w", "timestamp": [], "version": {"major": 9}, "message": 7, "entrypoint": "new"}
    path.write_text(f"{json.dumps(later)}\n[]\nnull\n", encoding="utf-8")
    (last,) = recorded(str(tmp_path), {}, "/w").recent
    assert (last.version, last.started, last.model, last.interactive) == ("", "", None, None)


@pytest.mark.parametrize(
    ("entry", "said"), [("claude-vscode", (None, True)), ("cli", (True, None)), ("sdk-ts", (None, None))]
)
def test_a_session_in_an_editor_is_one(tmp_path: Path, entry: str, said: tuple[bool | None, bool | None]) -> None:
    path = _record(tmp_path, "a", "/w")
    event = {
        "type": "user",
        "cwd": "/w",
        "timestamp": "2026-11-22T05:16:23Z",
        "version": "2.1.332",
        "entrypoint": entry,
    }
    path.write_text(f"{json.dumps(event)}\n", encoding="utf-8")
    (last,) = recorded(str(tmp_path), {}, "/w").recent
    assert (last.interactive, last.editor) == said


def test_what_cannot_be_read_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _record(tmp_path, "a", "/w")

    def refused(_path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refused)
    found = recorded(str(tmp_path), {}, "/w")
    assert found.recent == ()
    assert [each.endswith("cannot be read (Permission denied).") for each in found.unread] == [True]


def test_a_server_that_asks_again_gets_what_was_found(tmp_path: Path) -> None:
    _record(tmp_path, "a", "/w")
    first = recent(str(tmp_path), {}, "/w")
    _record(tmp_path, "b", "/w")
    assert recent(str(tmp_path), {}, "/w") is first


def test_a_large_database_is_read_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "a home#"
    shutil.copytree(HERE / "opencode/home", home)
    monkeypatch.setattr(module, "DATABASE", 10)
    before = {each: each.stat().st_mtime_ns for each in home.rglob("*")}
    found = recorded(str(home), {}, WORKSPACE)
    assert (found.recent[0].harness, found.unread) == ("opencode", ())
    assert {each: each.stat().st_mtime_ns for each in home.rglob("*")} == before, "nothing is written, nor locked"


def test_a_large_database_of_a_version_to_come_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table sessions_2 (id)")
    monkeypatch.setattr(module, "DATABASE", 10)
    (said,) = recorded(str(tmp_path), {}, "/w").unread
    assert said.startswith(f"{path} cannot be read as the records of a known version (")
