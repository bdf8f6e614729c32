"""How the user last started each program in a folder: little is read, and nothing of any shape stops it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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
    assert last.model
    assert last.day.startswith("2026-")
    assert found.said == ()


def test_a_program_on_the_screen_and_one_that_prints() -> None:
    told = {each: recorded(str(HERE / each / "home"), {}, WORKSPACE).recent[0] for each in PROGRAMS}
    assert told["claude-code-tui"].interactive is True
    assert told["codex"].interactive is False


def _record(tmp_path: Path, name: str, cwd: str, padding: int = 0) -> Path:
    folder = tmp_path / ".claude/projects/-w"
    folder.mkdir(parents=True, exist_ok=True)
    line = {"type": "user", "cwd": cwd, "timestamp": "2026-11-22T00:00:00Z", "version": "2.1.330"}
    path = folder / f"{name}.jsonl"
    path.write_text(f"{json.dumps(line)}\n{'x' * padding}\n", encoding="utf-8")
    return path


def _noting(opened: list[str]) -> Callable[..., Iterator[dict[str, Any]]]:
    def beginning(_store: object, path: str, _most: int) -> Iterator[dict[str, Any]]:
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


def test_what_cannot_be_read_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _record(tmp_path, "a", "/w")

    def refused(_path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refused)
    found = recorded(str(tmp_path), {}, "/w")
    assert found.recent == ()
    assert [each.endswith("cannot be read (Permission denied).") for each in found.said] == [True]


def test_a_server_that_asks_again_gets_what_was_found(tmp_path: Path) -> None:
    _record(tmp_path, "a", "/w")
    first = recent(str(tmp_path), {}, "/w")
    _record(tmp_path, "b", "/w")
    assert recent(str(tmp_path), {}, "/w") is first
