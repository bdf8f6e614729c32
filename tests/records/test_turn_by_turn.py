"""A session of each real program over two days, request by request: what was really sent is in ``requests.json``.

Some of the requests are kept back, so those that are there are a part of them, in order.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.core.host import Host
from promptls.core.tokens import FAMILIES, UNKNOWN, family_of
from promptls.harnesses.catalogue import records, subagents
from promptls.kit.recording import Recorded
from promptls.page.session import session_page
from promptls.sessions.turn_by_turn import Life, Request, holding, later, life, numbered, scale_of, shown
from promptls.workspace.record_store import LocalStore
from tests.records.laid_out import HERE, lay_out

LONG = HERE / "long"
PROGRAMS = ("claude-code", "codex", "copilot-cli", "gemini-cli", "opencode")
MARKS: dict[str, str] = json.loads((HERE / "short" / "workspace.json").read_text(encoding="utf-8"))["sentinels"]
# Cached tokens are counted in steps of so many by some services.
STEP = 128


def _sent(program: str) -> list[dict[str, Any]]:
    """The main requests of the session that went on over two days."""
    found = json.loads((LONG / program / "requests.json").read_text(encoding="utf-8"))
    return [each for each in found if each["kind"] == "main" and each["session"] == found[0]["session"]]


def _life(program: str, top: Path, name: str = "") -> tuple[Life, Path]:
    home, folder = lay_out(program, top, LONG)
    reader, below, name = records(program), subagents(program), name or _sent(program)[0]["session"]
    assert reader is not None
    assert below is not None
    with closing(LocalStore(str(home), {})) as store:
        (found,) = (each for each in reader(store, os.path.realpath(folder)) if each.id.startswith(name))
        agents = list(below(store, found))
    return life(found, agents, lambda: Host(home=str(home), env={})), folder


def _session(program: str, top: Path) -> tuple[tuple[Request, ...], Path]:
    found, folder = _life(program, top)
    return found.requests, folder


def _files(sent: dict[str, Any]) -> set[str]:
    """The files in a request, by the words in them; of a skill and an agent, those of the body."""
    marks = {mark.removesuffix("-v2") for role in sent["sentinels"].values() for mark in role}
    return {MARKS[mark] for mark in marks if mark in MARKS and mark.split("-")[1] not in ("skd", "agd")}


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_request_has_the_tokens_and_files_that_were_sent(program: str, tmp_path: Path) -> None:
    found, folder = _session(program, tmp_path)
    rows = iter(found)
    for sent in _sent(program):
        usage = sent["prompt_tokens"], sent["cached_tokens"]
        row = next(each for each in rows if each.recorded.tokens == usage[0])
        assert row.recorded.cached is not None
        assert usage[1] - STEP < row.recorded.cached <= usage[1]
        standing = {os.path.relpath(path, os.path.realpath(folder.parent)) for path in row.standing}
        assert standing == _files(sent), sent["n"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_sub_agent_has_rows_of_its_own(program: str, tmp_path: Path) -> None:
    found, _ = _life(program, tmp_path)
    (agent,) = found.agents
    every = json.loads((LONG / program / "requests.json").read_text(encoding="utf-8"))
    sent = [each for each in every if each["kind"] == "sub" and each["session"] == _sent(program)[0]["session"]]
    counted = [(each.recorded.tokens, each.recorded.cached) for each in agent.requests]
    rows = iter(counted)
    for each in sent:
        tokens, cached = next(row for row in rows if row[0] == each["prompt_tokens"])
        assert cached is not None
        assert each["cached_tokens"] - STEP < cached <= each["cached_tokens"], tokens
    assert agent.recorded.agent == ("default" if program == "codex" else "digger")
    before, behind = (next(each for each in found.requests if each.number == agent.after + late) for late in (0, 1))
    assert before.recorded.at <= agent.recorded.started <= behind.recorded.at
    assert list(found.all()) == [found, agent]


def test_a_sub_agent_is_previewed_as_one(unquoted_path: Path) -> None:
    """Its prompt is within a tenth of what was sent, where the start of it is known; it names the folder.

    The service was a stub, which counted four characters as a token, whatever the model.
    """
    for program in ("claude-code", "opencode", "copilot-cli"):
        (agent,) = _life(program, unquoted_path / program)[0].agents
        for each in agent.requests:
            assert each.ours is not None
            family = FAMILIES.get(family_of(each.recorded.model) or "", UNKNOWN)
            sent = each.recorded.tokens * 4 / family.per_tool
            assert abs(each.ours - sent) < sent / 10, program


def test_sub_agents_of_sub_agents_are_below_them_and_a_circle_ends() -> None:
    made = [Recorded("claude-code", "/r", str(at), "/w", f"2026-01-0{at + 1}") for at in range(4)]
    for each, parent in zip(made, (None, "0", "1", "3"), strict=True):
        each.parent = parent
        each.asks(100 * int(each.id) + 100)
    found = life(made[0], made[1:], lambda: Host(home="/h", env={}))
    assert [each.recorded.id for each in found.all()] == ["0", "1", "2"]


def test_what_a_compaction_took_away_is_told(tmp_path: Path) -> None:
    found, folder = _session("gemini-cli", tmp_path)
    left = [(each.number, each.why_left, len(each.left)) for each in found if each.left]
    assert left[0] == (6, "compacted", 3)
    path = os.path.realpath(folder / "pkg" / "GEMINI.md")
    assert holding(found, frozenset((path,)))[0] == (2, 5)


def test_what_went_with_a_cleared_result_has_left(tmp_path: Path) -> None:
    """As ``compaction.prune`` of opencode writes it."""
    home, folder = lay_out("opencode", tmp_path, LONG)
    name, reader = _sent("opencode")[0]["session"], records("opencode")
    assert reader is not None
    (database,) = home.rglob("opencode.db")

    def read() -> Recorded:
        with closing(LocalStore(str(home), {})) as store:
            return next(each for each in reader(store, os.path.realpath(folder)) if each.id == name)

    requests = read().requests
    # A file that came with a request behind which another one follows that is not compacted.
    number = next(at for at, each in enumerate(requests) if each.entered and not requests[at + 1].trigger)
    (loaded, *_), at = requests[number].entered, datetime.fromisoformat(requests[number].at).timestamp() * 1000
    with closing(sqlite3.connect(database)) as connection, connection:
        for key, data in connection.execute("select id, data from part where session_id = ?", (name,)).fetchall():
            part = json.loads(data)
            if loaded in (part.get("state", {}).get("metadata", {}).get("loaded") or ()):
                part["state"]["time"]["compacted"] = round(at) + 1
                connection.execute("update part set data = ? where id = ?", (json.dumps(part), key))
    found = life(read(), [], lambda: Host(home=str(home), env={})).requests
    (left, *_) = (each for each in found if each.left)
    assert (left.left, left.why_left) == ((loaded,), "cleared with old results of tools")


def test_by_whom_it_was_compacted_is_told(tmp_path: Path) -> None:
    for program, sizes in (("claude-code", True), ("copilot-cli", True), ("opencode", False), ("codex", False)):
        found, _ = _session(program, tmp_path / program)
        compacted = [each for each in found if each.is_compacted]
        by = ["", ""] if program == "codex" else ["typed", "automatic"]
        assert [each.recorded.trigger for each in compacted] == by, program
        assert all(bool(each.recorded.size) == sizes for each in compacted), program


def test_a_new_process_of_copilot_cli_leaves_out_what_views_had_brought(tmp_path: Path) -> None:
    recorded = Recorded("copilot-cli", "/r", "1", str(tmp_path))
    recorded.arrives("/w/pkg/AGENTS.md")
    recorded.calls_skill("/w/skills/a/SKILL.md")
    recorded.asks(100, cached=0, at="2026-01-01T09:00:00Z")
    recorded.forgets()
    recorded.asks(100, cached=0, at="2026-01-01T09:12:00Z")
    recorded.asks(100, cached=100, at="2026-01-01T09:13:00Z")
    first, second, third = life(recorded, (), lambda: Host(home=str(tmp_path), env={})).requests
    assert first.standing == ("/w/pkg/AGENTS.md", "/w/skills/a/SKILL.md")
    assert (second.left, second.why_left) == (("/w/pkg/AGENTS.md",), "left out by a new process")
    assert (second.sent_again, second.why_broke) == (100, "12 minutes later")
    assert (third.standing, third.sent_again) == (("/w/skills/a/SKILL.md",), 0)


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        ("09:04:59", ""),
        ("09:05:00", "5 minutes later"),
        ("10:10:00", "an hour later"),
        ("23:00:00", "14 hours later"),
        ("x", ""),
    ],
)
def test_how_much_later_a_request_was(seconds: str, says: str) -> None:
    assert later("2026-01-01T09:00:00Z", f"2026-01-01T{seconds}Z") == says
    assert later("2026-01-01T09:00:00Z", "2026-01-04T09:00:00Z") == "3 days later"


def test_of_very_many_requests_the_first_and_the_last_are_shown() -> None:
    recorded = Recorded("claude-code", "/r", "1", "/w", "2026-01-01")
    agent = Recorded("claude-code", "/a", "2", "/w", "2026-01-01T05:00:00Z", parent="1")
    for number in range(5000):
        recorded.has_read(f"/w/{number}.py")
        recorded.asks(100, at=f"2026-01-01T{number // 240:02}:{number // 4 % 60:02}:{number % 4:02}Z")
    found = life(recorded, [agent], lambda: Host(home="/h", env={}))
    requests, left_out = shown(found)
    assert [each.number for each in requests] == [*range(1, 501), *range(4501, 5001)]
    assert left_out == "4,000 requests and 1 sub-agent between them are not shown"
    assert shown(found.agents[0]) == ([], "")


def test_a_session_that_was_compacted_often_has_a_size_for_each_request() -> None:
    """What is behind the last few compactions is made of the same turns, so that it is one prompt."""
    recorded = Recorded("claude-code", "/r", "1", "/w", "2026-01-01", model="claude-opus-5-5")
    for _ in range(150):
        recorded.has_read("/w/a.py")
        recorded.asks(100)
        recorded.compacts()
    found = life(recorded, (), lambda: Host(home="/h", env={})).requests
    assert all(each.parts for each in found)
    assert found[20].parts == found[-1].parts


def _of_sizes(*sizes: int) -> Life:
    made = Recorded("claude-code", "/r", "s", "/w", "2026-01-01")
    for each in sizes:
        made.asks(each)
    return life(made, (), lambda: Host(home="/h", env={}))


@pytest.mark.parametrize("sizes", [(7000, 8000, 7500, 900_000), (5000, 400_000), (40, 50, 60, 10**9)])
def test_one_huge_request_does_not_hide_the_others(sizes: tuple[int, ...]) -> None:
    scale = scale_of(_of_sizes(*sizes))
    assert scale.is_broken
    assert scale.at(max(sizes)) == 1
    ends = [scale.at(each) for each in sorted(sizes)]
    assert ends == sorted(ends)
    assert ends[0] > 0.1
    assert "Behind the gap in a bar" in session_page(_of_sizes(*sizes), "/w", nonce="n")


@pytest.mark.parametrize("sizes", [(), (1,), (7000, 8000, 9000), (*range(20_000, 900_000, 10_000),)])
def test_where_nothing_is_hidden_a_bar_is_as_long_as_its_request_is_large(sizes: tuple[int, ...]) -> None:
    scale = scale_of(_of_sizes(*sizes))
    assert not scale.is_broken
    assert [scale.at(each) for each in sizes] == [each / max(sizes) for each in sizes]
    assert 'class="gap"' not in session_page(_of_sizes(*sizes), "/w", nonce="n")


def test_where_the_cache_broke_is_told(tmp_path: Path) -> None:
    found, _ = _session("codex", tmp_path)
    broke = [(each.number, each.why_broke) for each in found if each.sent_again]
    assert broke == [(10, "a day later"), (15, "another model")]


def test_the_command_shows_no_text_of_the_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = lay_out("gemini-cli", tmp_path, LONG)
    monkeypatch.setenv("HOME", str(home))
    assert main(["sessions", "last", str(folder), "--find", "MARK-pkg-GEMINI"]) == 0
    shown = capsys.readouterr().out
    assert "compacted, gone: pkg/GEMINI.md" in shown
    assert "was in the prompts of requests 2 to 5, 10 to 13" in shown
    assert "It left with request 6 (compacted)." in shown
    assert "MARK-prompt" not in shown
    assert main(["sessions", "last", str(folder), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["number"] for each in told["requests"]] == list(range(1, len(told["requests"]) + 1))
    assert "  └ sub-agent digger" in shown
    (agent,) = told["agents"]
    assert (agent["after"], [each["tokens"] for each in agent["requests"]]) == (3, [7281, 7420])
    assert all(sum(each["parts"].values()) == each["ours"] for each in told["requests"] if each["parts"])
    assert main(["sessions", "last", str(folder), "--format", "json", "--find", "MARK-pkg-GEMINI"]) == 0
    assert json.loads(capsys.readouterr().out)["found"]["left"] == [{"request": 6, "why": "compacted"}]


def test_the_page_of_a_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = lay_out("claude-code", tmp_path, LONG)
    monkeypatch.setenv("HOME", str(home))
    assert main(["sessions", "11111111", str(folder), "--html", "-"]) == 0
    page = capsys.readouterr().out
    assert page.count('class="bar"') == 18
    assert "sub-agent digger · 2 requests" in page
    assert "the cache broke, another model: 13,519 tokens sent again" in page
    assert 'data-path="pkg/CLAUDE.md"' in page
    assert "MARK-prompt" not in page
    assert "style=" not in page
    assert main(["sessions", "11111111", str(folder), "--html", "-", "--redact"]) == 0
    shared = capsys.readouterr().out
    assert shared.count('class="bar"') == 18
    assert "pkg/CLAUDE.md" in shared
    for each in (str(tmp_path), folder.name, "sub-agent digger", "another model", "11111111", "data-path", "./"):
        assert each not in shared.partition("</style>")[2].partition("<script")[0], each
    assert main(["sessions", "--html", "-", str(folder)]) == 2
    assert "--html is for one session" in capsys.readouterr().err


def test_a_session_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "nosuch", str(tmp_path)]) == 2
    assert "no recorded session nosuch" in capsys.readouterr().err
    assert main(["sessions", "--find", "x", str(tmp_path)]) == 2
    assert "--find is for one session" in capsys.readouterr().err


def test_of_many_runs_the_first_and_the_last_are_named() -> None:
    assert numbered([(1, 1), (3, 5)]) == "1, 3 to 5"
    said = numbered([(each, each) for each in range(1, 2001, 2)])
    assert said.startswith("1, 3, 5, ")
    assert ", 19, 980 more, 1981, " in said
    assert said.endswith(", 1999")


def test_a_process_with_another_model_keeps_the_prompt_of_the_first(tmp_path: Path) -> None:
    found, _ = _life("claude-code", tmp_path, name="8fb45dfb")
    first, second, third = (found.requests[number] for number in (0, 2, 4))
    assert [each.recorded.model for each in (first, second, third)] == [
        *("claude-opus-5-5", "claude-sonnet-4-5", "claude-opus-5-5")
    ]
    assert first.ours is not None
    assert second.ours is not None
    assert second.ours < first.ours * 1.2, "the usual one of this model is longer by half"


def test_a_fork_of_codex_says_whose_history_its_tokens_have(tmp_path: Path) -> None:
    found, _ = _life("codex", tmp_path, name="01a2097c-9ffe")
    parent, _ = _life("codex", tmp_path / "again", name="01a2097b-bbf2")
    assert f" It goes on from {parent.recorded.id}: " in found.recorded.unseen
    assert "goes on" not in parent.recorded.unseen
