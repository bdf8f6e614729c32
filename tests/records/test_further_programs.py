"""Records of Goose, Droid, Hermes, Kimi Code, Grok Build, Deep Agents Code, gptme and Letta Code."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from promptls.harnesses.catalogue import records, subagents
from promptls.kit.recording import Recorded, time_of
from promptls.workspace.record_store import LINE, LocalStore
from tests.records.test_readers import HERE, PROGRAMS, WORKSPACE, read

NINE = tuple(PROGRAMS)[tuple(PROGRAMS).index("opencode-2") + 1 :]
# The session that started another one, what that one read, and its agent where the record says so.
DELEGATED = {
    "goose": ("20261127_1", None),
    "grok-build-2": ("01a21a5c-93e5-78d3-aeba-e436f296fa97", "rev"),
    "kimi-code": ("session_ccd2d2a5-fc7f-48cb-b635-31bec6120382", "explore"),
    "letta-code": ("local-conv-1", None),
}


def _read(home: Path, name: str, env: dict[str, str] | None = None) -> list[Recorded]:
    reader = records(name)
    assert reader is not None
    with closing(LocalStore(str(home), env or {})) as store:
        store.wants_texts = True
        return list(reader(store, WORKSPACE))


@pytest.mark.parametrize("program", DELEGATED)
def test_a_sub_agent_is_below_the_session_that_started_it(program: str) -> None:
    reader, (above, agent) = subagents(PROGRAMS[program]), DELEGATED[program]
    assert reader is not None
    main = next(each for each in read(program) if each.id == above)
    with closing(LocalStore(str(HERE / program / "home"), {})) as store:
        (found,) = reader(store, main)
    assert (found.parent, found.agent, found.reads) == (above, agent, [f"{WORKSPACE}/late/l.py"])
    assert main.parent is None


@pytest.mark.parametrize("program", [each for each in NINE if each != "deepagents-code"])
def test_texts_are_there_where_they_are_asked_for(program: str) -> None:
    for each in _read(HERE / program / "home", PROGRAMS[program]):
        texts = [*(text for request in each.requests for text in request.said), *(each.said or ())]
        assert any("MARK-" in text for text in texts)
        assert all(found.said is None for found in read(program))


# Where a variable moves the records of a program to, below the directory that it names.
MOVED = {
    "droid": ("FACTORY_HOME_OVERRIDE", ""),
    "goose": ("XDG_DATA_HOME", ".local/share"),
    "gptme": ("XDG_DATA_HOME", ".local/share"),
    "grok-build": ("GROK_HOME", ".grok"),
    "hermes": ("HERMES_HOME", ".hermes"),
    "kimi-code": ("KIMI_CODE_HOME", ".kimi-code"),
    "letta-code": ("LETTA_LOCAL_BACKEND_DIR", ".letta/lc-local-backend"),
}


@pytest.mark.parametrize("program", MOVED)
def test_a_variable_moves_the_records(program: str, tmp_path: Path) -> None:
    variable, below = MOVED[program]
    place = HERE / program / "home" / below
    found = _read(tmp_path, program, {variable: str(place)})
    assert [each.id for each in found] == [each.id for each in read(program)]


def test_goose_keeps_its_data_below_its_own_root(tmp_path: Path) -> None:
    shutil.copytree(HERE / "goose/home/.local/share/goose", tmp_path / "data")
    assert len(_read(tmp_path / "nobody", "goose", {"GOOSE_PATH_ROOT": str(tmp_path)})) == 2


JUNK: tuple[Any, ...] = (
    {},
    [],
    None,
    7,
    "x",
    {"agents_md_files": [1, {"file_path": []}], "agents": {"main": 3, "a": []}},
)


@pytest.mark.parametrize("program", NINE)
@pytest.mark.parametrize("junk", JUNK, ids=str)
def test_documents_and_rows_of_any_shape_are_read(program: str, junk: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(HERE / program / "home", home)
    for path in home.rglob("*.json"):
        if path.name not in ("state.json", "summary.json"):
            path.write_text(json.dumps(junk), encoding="utf-8")
    for path in home.rglob("*.toml"):
        path.write_text(f"{path.read_text('utf-8')}\nx = {json.dumps(str(junk))}\n", encoding="utf-8")
    for path in home.rglob("*.db"):
        with closing(sqlite3.connect(path)) as connection, connection:
            for table, column in (("messages", "content_json"), ("messages", "tool_calls"), ("messages", "content")):
                names = [each[1] for each in connection.execute(f"pragma table_info({table})")]
                if column in names:
                    connection.execute(f"update {table} set {column} = ?", (json.dumps(junk),))  # noqa: S608 - our own
    assert _read(home, PROGRAMS[program])
    for path in [*home.rglob("*.json"), *home.rglob("*.toml")]:
        path.write_text("[" * 100_000, encoding="utf-8")
    _read(home, PROGRAMS[program])


def test_a_call_without_a_result_was_broken_off(tmp_path: Path) -> None:
    shutil.copytree(HERE / "droid/home", tmp_path / "home")
    (path,) = (tmp_path / "home/.factory/sessions").rglob("*.jsonl")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if '"tool_use"' in line)
    path.write_text("".join(lines[: last + 1]), encoding="utf-8")
    (found,) = _read(tmp_path / "home", "droid")
    assert [(each.tool, each.failed) for each in found.touched][-1] == ("Read", True)


def test_a_compaction_is_counted(tmp_path: Path) -> None:
    """As the programs' own sources write it: no session of these fixtures was compacted."""
    for name, line in (("droid", {"type": "compaction_state"}), ("kimi-code", {"type": "context.apply_compaction"})):
        home = tmp_path / name
        shutil.copytree(HERE / name / "home", home)
        for path in [*home.rglob("wire.jsonl"), *home.rglob("sessions/-mnt-workspace/*.jsonl")]:
            with path.open("a", encoding="utf-8") as stream:
                stream.write(f"{json.dumps(line)}\n")
        assert [each.compactions for each in _read(home, name)] == [1]


def test_a_document_is_read_up_to_a_size(tmp_path: Path) -> None:
    store = LocalStore(str(tmp_path), {})
    (tmp_path / "a.json").write_text('{"a": 1}', encoding="utf-8")
    assert store.document(str(tmp_path / "a.json")) == {"a": 1}
    with (tmp_path / "a.json").open("ab") as stream:
        stream.truncate(LINE + 1)
    assert store.document(str(tmp_path / "a.json")) is None
    assert store.document(str(tmp_path / "none.json")) is None


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [(0, ""), (-1, ""), (1e300, ""), (float("nan"), ""), (1_795_737_861_533, "2026-11-27T00:04:21.533Z")],
)
def test_a_time_that_no_calendar_has_is_none(milliseconds: float, said: str) -> None:
    assert time_of(milliseconds) == said
