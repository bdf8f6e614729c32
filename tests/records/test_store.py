"""Records of any shape: bounded, one sentence each, and nothing is written beside them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from promptls.cli import main
from promptls.harnesses.catalogue import FOLDERS, records
from promptls.workspace import record_store, recordings
from promptls.workspace.record_store import LocalStore
from tests.records.laid_out import lay_out
from tests.records.test_readers import HERE, PROGRAMS, WORKSPACE

JUNK: list[object] = [
    {},
    [],
    None,
    7,
    "text",
    {"type": []},
    {"type": "user", "message": {"content": [None, 3, {"tool_use_id": {}}]}, "cwd": 5},
    {"type": "assistant", "message": {"usage": {"input_tokens": "many"}, "content": "text"}},
    {"type": "attachment", "attachment": {"type": "instructions", "files": [1, {"path": []}]}},
    {"type": "session_meta", "payload": "text"},
    {"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "FileChange", "changes": []}}},
    {"type": "tool.execution_complete", "data": {"toolCallId": [], "success": "yes"}},
    {"$set": {"messages": {"id": 1}}, "sessionId": {}},
    {"id": "x", "type": "gemini", "toolCalls": [{"name": 1, "args": [], "result": {}}], "tokens": {"input": 1e300}},
]


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(str(tmp_path), {})


def test_records_of_any_shape_are_read(tmp_path: Path) -> None:
    for program, name in PROGRAMS.items():
        home = tmp_path / program
        for path in [each for each in (HERE / program / "home").rglob("*") if each.is_file()]:
            copy = home / path.relative_to(HERE / program / "home")
            copy.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            if path.suffix == ".jsonl":
                junk = "".join(f"{json.dumps(each)}\n" for each in JUNK).encode()
                # Before, between and after; then a line that is cut off, bytes that are not text, and deep brackets.
                data = data + junk + b'{"type": "us' + b"\n\xff\xfe\n" + b"[" * 100_000 + b"\n" + data[-99:]
            copy.write_bytes(data)
        reader = records(name)
        assert reader is not None
        local = LocalStore(str(home), {})
        assert list(reader(local, WORKSPACE))
        local.close()


@pytest.mark.parametrize("name", [name for name in FOLDERS if records(name) is not None])
def test_no_home_has_no_sessions(name: str, tmp_path: Path) -> None:
    reader = records(name)
    assert reader is not None
    store = LocalStore(str(tmp_path / "nobody"), {})
    assert list(reader(store, "/")) == []
    assert store.unread == []


def test_a_large_record_is_read_in_part(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_store, "MOST", 1000)
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n' * 1000, encoding="utf-8")
    assert 100 < len(list(store.events(str(tmp_path / "a.jsonl")))) < 120
    assert "its beginning and its end" in store.unread[0]


def test_a_long_line_is_not_kept(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_store, "LINE", 100)
    (tmp_path / "a.jsonl").write_text(f'{{"a": "{"x" * 5000}"}}\n{{"b": 1}}\n', encoding="utf-8")
    assert list(store.events(str(tmp_path / "a.jsonl"))) == [{"b": 1}]


def test_a_fifo_is_not_opened_for_ever(store: LocalStore, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    assert list(store.events(str(tmp_path / "a.jsonl"))) == []


def test_a_database_is_read_from_a_copy_with_its_log(store: LocalStore, tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("pragma journal_mode = wal")
        writer.execute("create table session (id)")
        writer.execute("insert into session values ('in the log')")
        writer.commit()
        before = {each.name: each.stat().st_mtime_ns for each in tmp_path.iterdir()}
        assert store.rows(str(path), "select id from session") == [("in the log",)]
        assert {each.name: each.stat().st_mtime_ns for each in tmp_path.iterdir()} == before
    copies = [folder.name for folder in store._folders]
    store.close()
    assert not any(map(os.path.exists, copies))


def test_a_database_that_is_none_or_of_another_version_is_said(store: LocalStore, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"no database" * 100)
    assert store.rows(str(tmp_path / "a.db"), "select id from session") == ()
    assert len(store.unread) == 1
    assert "cannot be read" in store.unread[0]
    assert store.rows(str(tmp_path / "none.db"), "select 1") == ()
    store.close()


def test_a_record_of_another_user_is_said(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")
    monkeypatch.setattr(os, "open", refuse)
    assert list(store.events(str(tmp_path / "a.jsonl"))) == []
    assert len(store.unread) == 1
    assert "Permission denied" in store.unread[0]


def test_a_database_that_is_locked_is_read_from_its_copy(store: LocalStore, tmp_path: Path) -> None:
    path = tmp_path / "live.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("create table session (id)")
        writer.execute("insert into session values ('before')")
        writer.execute("begin exclusive")
        writer.execute("insert into session values ('in the middle')")
        assert store.rows(str(path), "select id from session") == [("before",)]
    store.close()


def test_a_text_of_a_database_that_is_not_utf_8_is_read_as_far_as_it_is(store: LocalStore, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("create table session (id text)")
        connection.execute("insert into session values (cast(x'61ff62' as text)), ('next')")
    assert store.rows(str(tmp_path / "a.db"), "select id from session") == [("a\ufffdb",), ("next",)]
    # A failure that Python itself finds.
    assert store.rows(str(tmp_path / "a.db"), "select id from session where id = ?") == ()
    assert "cannot be read as the records of a known version" in store.unread[0]
    store.close()


def test_a_large_database_is_not_copied(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_store, "DATABASE", 10)
    (tmp_path / "a.db").write_bytes(b"x" * 100)
    assert store.rows(str(tmp_path / "a.db"), "select 1") == ()
    assert "did not read it" in store.unread[0]


def test_a_slow_query_ends(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_store, "PATIENCE", -1.0)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("create table session (id)")
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    assert store.rows(str(tmp_path / "a.db"), endless) == ()
    assert store.unread == [f"To read {tmp_path / 'a.db'} takes more than -1 seconds; promptls left out the rest."]
    store.close()


def test_many_quick_queries_end_too(store: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_store, "PATIENCE", 0.05)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("create table session (id)")
    path = str(tmp_path / "a.db")
    asked = next(count for count in range(100_000) if not store.rows(path, "select 1"))
    assert asked > 1, "each of them is answered in time"
    assert (store.rows(path, "select 1"), len(store.unread)) == ((), 1)
    store.close()


def test_a_signal_during_a_query_is_not_lost(store: LocalStore, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("create table session (id)")
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            store.rows(str(tmp_path / "a.db"), endless)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    store.close()


def test_a_directory_with_the_name_of_a_record_is_passed_over(tmp_path: Path, store: LocalStore) -> None:
    (tmp_path / "x.jsonl").mkdir()
    assert list(store.events(str(tmp_path / "x.jsonl"))) == []


def test_of_a_large_record_a_list_has_both_ends(
    tmp_path: Path, store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_store, "END", 1000)
    monkeypatch.setattr(record_store, "WHOLE", 2000)
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f'{{"n": {number}}}\n' for number in range(1000)))
    found = [event["n"] for event in store.events(str(path))]
    assert (found[0], found[-1]) == (0, 999)
    assert len(found) < 250
    assert store.parts == {str(path)}
    store.whole.add(str(path))
    assert [event["n"] for event in store.events(str(path))] == [*range(1000)]


def test_of_a_record_with_very_many_lines_both_ends_are_read(
    tmp_path: Path, store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line takes longer than its bytes."""
    monkeypatch.setattr(record_store, "MOST_LINES", 100)
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f'{{"n": {number:>4}}}\n' for number in range(1000)))
    store.whole.add(str(path))
    found = [event["n"] for event in store.events(str(path))]
    assert (found[0], found[-1]) == (0, 999)
    assert 90 <= len(found) <= 110
    assert store.unread[0].endswith("its beginning and its end.")
    (tmp_path / "y.jsonl").write_text("".join(f'{{"n": {number:>4}}}\n' for number in range(90)))
    assert len(list(store.events(str(tmp_path / "y.jsonl")))) == 90


def test_of_a_long_session_in_a_database_a_list_has_both_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, folder = lay_out("opencode", tmp_path, HERE / "long")
    monkeypatch.setenv("HOME", str(home))
    name = "ses_e1c69659affeQhiGapcmLEDX6e"
    whole = recordings.one(name, str(folder)).found.tokens
    monkeypatch.setattr(record_store, "LISTED", 4)
    monkeypatch.setattr(record_store, "LISTED_END", 2)
    local = LocalStore(str(home), os.environ)
    with closing(local):
        (listed,) = (each for each in recordings.find(local, str(folder)) if each.id == name)
        assert local.is_part(listed)
    assert listed.tokens == [each for each in whole if each in (whole[0], *whole[-2:])]
    assert recordings.one(name, str(folder)).found.tokens == whole
    assert main(["sessions", str(folder)]) == 0
    assert f"Session {name} is large: of it, the list has the beginning and the end." in capsys.readouterr().err
    monkeypatch.setattr(record_store, "MOST_MESSAGES", 6)
    record = recordings.one(name, str(folder))
    assert len(record.found.tokens) < len(whole)
    assert record.unread[0].startswith(f"Session {name} is large; promptls read 6 of its ")


def test_of_a_database_only_the_session_that_is_asked_for_is_read(tmp_path: Path) -> None:
    home, folder = lay_out("opencode", tmp_path, HERE / "long")
    reader = records("opencode")
    assert reader is not None
    with closing(LocalStore(str(home), {})) as local:
        local.asked = "ses_e16d"
        assert [each.id for each in reader(local, str(folder))] == ["ses_e16d6068effeo7rAdD0az7Q59O"]


def test_only_lines_with_a_text_are_read_where_that_is_asked(store: LocalStore, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"agentId": "x"}\n{"a": 2}\n', encoding="utf-8")
    assert list(store.events(str(path), '"agentId"')) == [{"agentId": "x"}]
    assert list(store.events(str(path))) == [{"a": 1}, {"agentId": "x"}, {"a": 2}]
