"""In how many sessions a file stood in a prompt: twelve of each real program, and every request that they sent.

``answers.json`` counts, by the words in each file, the sessions whose main requests had them.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.core.host import Host
from promptls.harnesses.catalogue import records
from promptls.kit.recording import Recorded
from promptls.sessions.rule_counts import RuleCount, rule_counts
from promptls.workspace.record_store import LocalStore
from tests.records.laid_out import LONG, SHORT, lay_out

PROGRAMS = ("claude-code", "codex", "copilot-cli", "gemini-cli", "opencode")
# Four skills in four places have one name: which of them opencode lists is a race.
RACES = {("opencode", "workspace/.opencode/skill/alpha/SKILL.md")}


def _read(program: str, top: Path, fixtures: Path = SHORT) -> tuple[list[Recorded], list[RuleCount]]:
    home, folder = lay_out(program, top, fixtures)
    reader = records(program)
    assert reader is not None
    with closing(LocalStore(str(home), {})) as store:
        found = [each for each in reader(store, os.path.realpath(folder)) if each.parent is None]
    found.sort(key=lambda each: each.started, reverse=True)
    return found, rule_counts(program, found, (), lambda: Host(home=str(home), env={}))


def _expected(program: str) -> dict[str, int]:
    """By file, in how many of the last twelve sessions it stood: of a skill and an agent, its description."""
    answers: dict[str, Any] = json.loads((SHORT / program / "answers.json").read_text(encoding="utf-8"))
    named = ("skd", "agd")
    found: dict[str, int] = {}
    for mark, answer in answers.items():
        kind = mark.split("-")[1]
        is_listed = (
            "/skills/" in str(answer["file"]) or "/skill/" in str(answer["file"]) or "/agent" in str(answer["file"])
        )
        if answer["file"] is not None and (kind in named) == is_listed:
            found[answer["file"]] = answer["in_last"]["12"]
    return {file: stood for file, stood in found.items() if (program, file) not in RACES}


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_many_sessions_as_have_sent_it(program: str, tmp_path: Path) -> None:
    recorded, rows = _read(program, tmp_path)
    assert len(recorded) == 12
    stood = {row.path.removeprefix(f"{os.path.realpath(tmp_path)}/"): row.stood for row in rows}
    stood |= {row.path.removeprefix(f"{tmp_path}/"): row.stood for row in rows}
    found = {file: stood.get(file, 0) for file in _expected(program)}
    assert found == _expected(program)


@pytest.mark.parametrize(
    ("program", "files"),
    [
        ("claude-code", ("workspace/docs/CLAUDE.md", "workspace/pkg/CLAUDE.md", "workspace/.claude/rules/docs.md")),
        ("codex", ("home/.codex/AGENTS.md", "workspace/AGENTS.md", "workspace/pkg/AGENTS.md")),
    ],
)
def test_a_fork_and_a_session_that_is_taken_up_elsewhere(program: str, files: tuple[str, ...], tmp_path: Path) -> None:
    """A fork begins with what its parent's compaction left, or with files that its record does not name again."""
    _, rows = _read(program, tmp_path, LONG)
    stood = {os.path.relpath(row.path, os.path.realpath(tmp_path)): (row.stood, row.of) for row in rows}
    assert [stood[file] for file in files] == [(2, 2)] * len(files)


def test_an_agent_that_was_started_was_listed_though_the_user_has_not_agreed_to_todays_text(tmp_path: Path) -> None:
    _, rows = _read("gemini-cli", tmp_path, LONG)
    stood = {os.path.basename(row.path): (row.stood, row.is_computed) for row in rows if row.use == "agent"}
    assert stood == {"digger.md": (1, False), "tester.md": (0, False)}


def test_why_a_file_never_stood_in_a_prompt(tmp_path: Path) -> None:
    _, rows = _read("claude-code", tmp_path)
    why = {os.path.relpath(row.path, tmp_path / "workspace"): row.why for row in rows if not row.stood}
    assert why["AGENTS.md"].endswith("CLAUDE.md hides it")


def test_without_sessions_nothing_is_said_to_be_missing(tmp_path: Path) -> None:
    home, _ = lay_out("claude-code", tmp_path)
    assert rule_counts("claude-code", [], (), lambda: Host(home=str(home), env={})) == []


def test_the_command_shows_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = lay_out("claude-code", tmp_path)
    monkeypatch.setenv("HOME", str(home))
    assert main(["sessions", "--rules", str(folder), "--format", "json"]) == 0
    (program,) = json.loads(capsys.readouterr().out)["programs"]
    rules = {os.path.relpath(each["path"], os.path.realpath(folder)): each for each in program["rules"]}
    assert (program["sessions"], rules["CLAUDE.md"]["stood"], rules["pkg/CLAUDE.md"]["stood"]) == (12, 12, 6)
    assert main(["sessions", "--rules", str(folder), "--last", "3"]) == 0
    shown = capsys.readouterr().out
    assert "3 of 3  CLAUDE.md" in shown
    assert "0 of 3  AGENTS.md" in shown
    assert "never: CLAUDE.md hides it" in shown
