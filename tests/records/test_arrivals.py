"""What reached a recorded session: its records against the preview of the same session."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.harnesses.catalogue import records
from promptls.kit.recording import Recorded, Touched
from promptls.sessions.arrivals import Arrival, arrivals
from promptls.workspace.record_store import LocalStore
from tests.records import laid_out
from tests.records.test_readers import PROGRAMS
from tests.records.workspace import lay_out

ALL = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
# By program: the start of an identifier, and what came of each file.
EXPECTED = {
    "claude-code": (
        "c3eb6ddc",
        {
            "start": ["CLAUDE.md", "docs/style.md"],
            "arrived": ["late/CLAUDE.md", "lib/CLAUDE.md", "pkg/CLAUDE.md", "src/CLAUDE.md", ".claude/rules/py.md"],
            "never": ["doc2/CLAUDE.md"],
        },
    ),
    "codex": (
        "01a201af-7b6a",
        {"expected": ["AGENTS.md"], "never": ["late/AGENTS.md", "lib/AGENTS.md"]},
    ),
    "gemini-cli": (
        "58333dec",
        {
            "expected": ["GEMINI.md"],
            "arrived": ["late/GEMINI.md", "pkg/GEMINI.md", "src/GEMINI.md"],
            "never": ["doc2/GEMINI.md", "lib/GEMINI.md"],
        },
    ),
    "opencode-2": ("ses_dfe501d77", {"expected": ["AGENTS.md"], "arrived": ["pkg/AGENTS.md"]}),
    "copilot-cli": (
        "5413b9c7",
        {
            "arrived": [
                *(f"{directory}/{name}" for directory in ("late", "pkg") for name in ALL),
                ".claude/rules/py.md",
                ".github/instructions/py.instructions.md",
            ],
            "expected": [*ALL],
            "never": [f"{where}/{name}" for where in ("doc2", "lib", "src") for name in ALL],
        },
    ),
}


def of(home: Path, folder: Path, program: str, name: str) -> tuple[Recorded, list[Arrival]]:
    """A recorded session and what reached it."""
    reader = records(PROGRAMS[program])
    assert reader is not None
    store = LocalStore(str(home), {})
    try:
        found = next(each for each in reader(store, str(folder)) if each.id.startswith(name))
    finally:
        store.close()
    new_host: Callable[[], Host] = partial(Host, home=str(home), env={})
    return found, arrivals(found, found.session(), new_host)


@pytest.mark.parametrize("program", EXPECTED)
def test_what_came_of_each_file(program: str, tmp_path: Path) -> None:
    home, folder = lay_out(program, tmp_path.resolve())
    name, expected = EXPECTED[program]
    _, came = of(home, folder, program, name)
    found: dict[str, list[str]] = {}
    for each in came:
        if each.path.startswith(f"{folder}/"):
            found.setdefault(each.outcome, []).append(os.path.relpath(each.path, folder))
    assert {key: sorted(paths) for key, paths in found.items()} == {
        key: sorted(paths) for key, paths in expected.items()
    }


def test_a_file_that_is_newer_than_the_session_is_named(tmp_path: Path) -> None:
    home, folder = lay_out("claude-code", tmp_path.resolve())
    (folder / "CLAUDE.local.md").write_text("new", encoding="utf-8")
    _, came = of(home, folder, "claude-code", "c3eb6ddc")
    new = next(each for each in came if each.path.endswith("CLAUDE.local.md"))
    assert new.outcome == "never"
    assert "newer than the session" in new.why


@pytest.mark.parametrize(("program", "name"), [("claude-code", "cc2f62d7"), ("codex", "01a2097d-aa5c")])
def test_what_is_listed_is_expected_where_a_record_names_files_only(program: str, name: str, tmp_path: Path) -> None:
    home, folder = laid_out.lay_out(program, tmp_path.resolve())
    found, came = of(home, folder, program, name)
    outcomes = {each.path.removeprefix(f"{folder}/"): (each.outcome, each.why) for each in came}
    directory = ".claude" if program == "claude-code" else ".agents"
    says = "By the rules it is listed as a skill at the start. The record does not name it."
    assert outcomes[f"{directory}/skills/beta/SKILL.md"] == ("expected", says)
    assert "never" not in {outcome for outcome, _ in outcomes.values()}
    assert found.session().interactive is True


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_that_is_gone_by_now_is_told(tmp_path: Path, *, is_there: bool) -> None:
    home, folder = lay_out("claude-code", tmp_path.resolve())
    for name in ("CLAUDE.md", "pkg/CLAUDE.md") if not is_there else ():
        (folder / name).unlink()
    _, came = of(home, folder, "claude-code", "c3eb6ddc")
    says = {each.path: each.why for each in came}
    gone = "" if is_there else " Today's files would not bring it."
    assert says[f"{folder}/CLAUDE.md"] == f"The record has it at the start.{gone}"
    assert says[f"{folder}/pkg/CLAUDE.md"] == f"The record has it after a file was read.{gone}"


def test_a_file_that_is_newer_than_a_read_is_named(tmp_path: Path) -> None:
    home, folder = lay_out("claude-code", tmp_path.resolve())
    (folder / "pkg" / "CLAUDE.local.md").write_text("new", encoding="utf-8")
    _, came = of(home, folder, "claude-code", "c3eb6ddc")
    new = next(each for each in came if each.path.endswith("CLAUDE.local.md"))
    assert new.outcome == "never"
    read = f"{folder}/pkg/mod.py"
    assert new.why == f"{read} was read, and the record does not have it. It may be newer than the session."


def test_no_more_calls_are_followed_than_a_limit(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    for number in range(100):
        (folder / f"{number}.py").write_text("", encoding="utf-8")
    asked: list[Host] = []

    def new_host() -> Host:
        asked.append(Host(home="/home/user", env={}))
        return asked[-1]

    touched = [Touched("Grep", f"{number}.py") for number in range(100)]
    recorded = Recorded("claude-code", "record", cwd=str(folder), touched=touched)
    arrivals(recorded, recorded.session(), new_host)
    assert len(asked) < 50
