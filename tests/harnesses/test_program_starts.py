"""How each program is started for a capture: ``pytest tests/harnesses --update-cases`` writes data/starts."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import OpenFile, Range
from promptls.core.values import replace
from promptls.harnesses import catalogue
from promptls.kit.launch import Program, Run, Start

pytestmark = pytest.mark.same_everywhere
SEEN = Path(__file__).parent / "data" / "starts"
PLAIN = Run(home="/scratch", user_home="/home/user", cwd="/w", typed="hi")
RUNS = {
    "plain": PLAIN,
    "chosen": replace(PLAIN, model="stub/m", agent="plan", args=("--one", "two")),
    "with files": replace(PLAIN, attached=("/w/a.png", "/w/b.md"), opened=(OpenFile("/w/c.py", Range(0, 0, 1, 2)),)),
    "servers off": replace(PLAIN, servers=("s", "t.u")),
    "servers on": replace(PLAIN, servers=("s", "t.u"), runs=True),
    "goes on": replace(PLAIN, goes_on=True),
}


PROGRAMS = {name: found for name in catalogue.FOLDERS if (found := catalogue.program(name)) is not None}
TRAITS = ("goes_on", "attaches", "opens", "main", "read", "patience", "keeps", "files", "code")


def shown(start: Start) -> str:
    data: dict[str, Any] = {"variables": start.variables, "settings": start.settings}
    rest = "".join(f"{key}: {json.dumps(value, sort_keys=True)}\n" for key, value in data.items() if value)
    return f"{shlex.join(start.arguments)}\n{rest}"


def described(program: Program) -> str:
    """Each start once: what a run does not change is not said again."""
    traits = "".join(f"{name}: {json.dumps(getattr(program, name))}\n" for name in TRAITS)
    seen = {what: shown(program.start(run)) for what, run in RUNS.items()}
    if program.view is not None:
        seen |= {f"{what}, viewed": shown(program.view(run)) for what, run in RUNS.items()}
    plain = [text for what, text in seen.items() if what.startswith("plain")]
    return traits + "".join(
        f"[{what}]\n{text}" for what, text in seen.items() if what.startswith("plain") or text not in plain
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_started_as_it_was(name: str, request: pytest.FixtureRequest) -> None:
    seen = described(PROGRAMS[name])
    if request.config.getoption("--update-cases"):
        SEEN.mkdir(exist_ok=True)
        (SEEN / f"{name}.txt").write_text(seen, encoding="utf-8")
    assert (SEEN / f"{name}.txt").read_text(encoding="utf-8") == seen


def test_the_users_own_instructions_count_where_the_home_has_its_own_path() -> None:
    start = PROGRAMS["claude-code"].start
    assert "claudeMdExcludes" in " ".join(start(PLAIN).arguments)
    assert "claudeMdExcludes" not in " ".join(start(replace(PLAIN, home=PLAIN.user_home)).arguments)


def test_a_mode_of_opencode_is_an_agent_unless_another_is_named() -> None:
    start = PROGRAMS["opencode"].start
    for run, agent in ((replace(PLAIN, mode="plan"), "plan"), (replace(PLAIN, mode="plan", agent="mine"), "mine")):
        arguments = start(run).arguments
        assert arguments[arguments.index("--agent") + 1] == agent


def test_codex_keeps_its_model_where_a_newer_one_is_offered() -> None:
    screen = PROGRAMS["codex"].on_screen
    assert screen is not None
    shown = "1.Trynewmodel2.Useexistingmodel"
    assert [keys for pattern, keys in screen.dialogs if re.search(pattern, shown)] == ["2"]
