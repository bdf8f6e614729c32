"""What recorded sessions of the real programs say of counts: kept as numbers, and used by every later preview."""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import closing
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.core.host import Host
from promptls.core.model import Prompt, Session
from promptls.core.phrases import summary
from promptls.core.sizes import sizes
from promptls.core.totals import counter_of, prompt_tokens, total_counter
from promptls.harnesses.catalogue import records
from promptls.sessions.measured import next_request
from promptls.workspace.calibrating import calibrated, learn
from promptls.workspace.record_store import LocalStore
from promptls.workspace.request import Sources
from tests.records.laid_out import lay_out
from tests.records.test_standing import PROGRAMS


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory of what is kept."""
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("CI")
    return tmp_path / "data"


def _learnt(program: str, top: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    home, folder = lay_out(program, top)
    monkeypatch.setenv("HOME", str(home))
    learn(str(folder), lambda: Host(home=str(home), env={}), [program], 60)
    return home, folder


def _preview(program: str, folder: Path, model: str) -> Prompt:
    session = Session(program, os.path.realpath(folder), model=model, is_trusted=True)
    return harnesses.preview(session, Sources().host())


@pytest.mark.parametrize(
    # ``most``: where the folder is counts, as its path is in a prompt that is longer than the recorded one.
    ("program", "model", "requests", "most"),
    [
        ("claude-code", "claude-sonnet-4-5-20250929", 15, 9),
        ("claude-code", "claude-opus-5-5", 7, 16),
        ("codex", "gpt-5.4-mini", 5, 5),
        ("opencode", "stub/stub-model", 14, 6),
    ],
)
@pytest.mark.usefixtures("data")
def test_a_preview_is_calibrated_by_what_the_program_reported(
    program: str, model: str, requests: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, folder = _learnt(program, tmp_path, monkeypatch)
    prompt = _preview(program, folder, model)
    found, total = prompt.calibration, total_counter(prompt)
    assert found is not None
    assert found.error is not None
    assert found.requests == requests
    assert 1 <= found.error <= most
    assert (total.method, total.error) == ("calibrated", found.error)
    assert f"calibrated ±{found.error:g} %, {requests} requests of yours)" in summary(prompt)
    off = [abs(found.whole(each.tools, each.text) / each.reported - 1) for each in found.measured]
    assert sorted(off)[len(off) * 9 // 10] <= found.error / 100
    # Parts are what the total is of.
    assert sum(each.tokens for each in sizes(prompt)) == pytest.approx(prompt_tokens(prompt, counter_of(prompt)), abs=9)


def test_sessions_of_which_the_records_do_not_say_all_are_no_measure(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, folder = _learnt("gemini-cli", tmp_path, monkeypatch)
    assert (data / "tokens" / "gemini-cli.json").exists()
    assert _preview("gemini-cli", folder, "gemini-2.5-pro").calibration is None


def test_only_numbers_are_kept_and_nobody_else_may_read_them(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _learnt("claude-code", tmp_path, monkeypatch)
    path = data / "tokens" / "claude-code.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    kept = json.loads(path.read_bytes())
    for about in kept["models"].values():
        for session, at, *counts in about["requests"]:
            assert (session.isdecimal(), at[:5]) == (True, "2026-")
            assert all(isinstance(each, int) for each in counts)
    assert b"MARK" not in path.read_bytes()


def test_a_session_counts_once(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, folder = _learnt("codex", tmp_path, monkeypatch)
    before = (data / "tokens" / "codex.json").read_bytes()

    def fails() -> Host:
        raise AssertionError("It is known.")

    learn(str(folder), fails, ["codex"], 60)
    assert (data / "tokens" / "codex.json").read_bytes() == before


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 0}', '{"format": 1, "promptls": "0", "models": []}'])
def test_what_is_not_ours_is_left_out(text: str, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, folder = lay_out("codex", tmp_path)
    monkeypatch.setenv("HOME", str(home))
    (data / "tokens").mkdir(parents=True)
    (data / "tokens" / "codex.json").write_text(text)
    assert _preview("codex", folder, "gpt-5.4").calibration is None


def test_an_answer_for_a_team_does_not_hang_on_it(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, folder = _learnt("codex", tmp_path, monkeypatch)
    assert data.exists()
    session = Session("codex", str(folder), model="gpt-5.4", is_trusted=True)
    assert harnesses.preview(session, Sources(with_habits=False).host()).calibration is None
    assert harnesses.preview(session, Sources(is_trusted=False).host()).calibration is None


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_next_request_is_the_last_one_and_what_was_said_since(program: str, tmp_path: Path) -> None:
    home, folder = lay_out(program, tmp_path)
    reader = records(program)
    assert reader is not None
    seen = 0
    with closing(LocalStore(str(home), {})) as store:
        store.wants_texts = True
        for each in reader(store, os.path.realpath(folder)):
            found, last = next_request(each), [one for one in each.requests if one.tokens][-1:]
            if found is None:
                continue
            seen += 1
            assert found.reported == last[0].tokens
            # The last answer is a word or two.
            assert 0 < found.added < 60
    assert seen > 3


@pytest.mark.usefixtures("data")
def test_the_list_of_sessions_says_how_well_tokens_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, folder = lay_out("codex", tmp_path)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(folder)
    assert main(["sessions", "--harness", "codex"]) == 0
    text = capsys.readouterr().out
    says = (
        r"codex · gpt-5\.4-mini: ±[1-4]\.?\d* % \(5 requests, 4 sessions; tools times 1\.\d\d, text times [01]\.\d\d\)"
    )
    assert re.search(says, text)
    assert main(["sessions", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["calibrations"]
    assert {each["model"] for each in found} == {"gpt-5.4", "gpt-5.4-mini"}
    assert all(each["used"] and each["since"] is None for each in found)


@pytest.mark.usefixtures("data")
def test_sessions_that_differ_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _learnt("gemini-cli", tmp_path, monkeypatch)
    (found,) = (each for each in calibrated(["gemini-cli"]) if each.model == "gemini-2.5-pro")
    assert found.says().startswith("not used: these differ by ")


@pytest.mark.usefixtures("data")
def test_where_no_model_is_known_the_last_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, folder = _learnt("codex", tmp_path, monkeypatch)
    session = Session("codex", os.path.realpath(folder), is_trusted=True)
    prompt = harnesses.preview(session, Sources().host())
    assert (prompt.model, prompt.counted_as) == (None, "gpt-5.4")
    assert total_counter(prompt).method == "calibrated"
