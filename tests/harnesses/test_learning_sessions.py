"""The sessions that ``promptls learn`` runs have every rule of the captured ones that can be run."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.model import Prompt
from promptls.harnesses.catalogue import FOLDERS
from promptls.harnesses.claude_code.turns.compaction import SAME_TIME
from promptls.harnesses.learned import rows, rules_of
from promptls.kit.facts import traced
from promptls.kit.versions import given
from promptls.wire.cases import NEEDS, Layout
from promptls.wire.learn import session_of, sessions_of
from promptls.workspace.request import ask_git
from tests.conftest import WRITABLE

HERE = Path(__file__).parent
CASES = HERE.parent / "wire" / "cases"
LEARNED = [name for name in FOLDERS if sessions_of(name)]
# Rules that no session has which can be run, or that is the same each time, with the reason.
OUT = [line.split("\t") for line in (HERE / "not-learned.txt").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """One without blanks, as where ``learn`` lays sessions out: a rule is known by its sentence without the paths."""
    if not re.search(r"[^\w/.-]", str(tmp_path), re.ASCII):
        yield tmp_path
        return
    above = next(each for each in WRITABLE if os.access(each, os.W_OK))
    with tempfile.TemporaryDirectory(prefix="promptls-", dir=above) as short:
        yield Path(short)


def prompt_of(case: dict[str, Any], name: str, top: Path) -> Prompt:
    layout = Layout(case | {"harness": name}, str(top))
    return harnesses.preview(session_of(layout, harnesses.get(name).versions[0].name), layout.host(ask_git))


def captured(name: str, top: Path) -> set[str]:
    """The rules that the default version follows in the captured sessions, of whichever version they are."""
    found: set[str] = set()
    for path in (CASES / name).glob("*.json"):
        text = path.read_text("utf-8")
        case = json.loads(text)
        if not any(each in text for each in NEEDS):
            prompt = prompt_of(case, name, top / path.stem)
            found.update(() if prompt.stopped else rules_of(prompt))
    return found


@pytest.mark.parametrize("name", LEARNED)
def test_every_rule_stands_in_a_session(name: str, tmp_path: Path) -> None:
    learned: set[str] = set()
    for number, case in enumerate(sessions_of(name)):
        prompt = prompt_of(case, name, tmp_path / str(number))
        assert not prompt.stopped
        learned.update(rules_of(prompt))
    missing = captured(name, tmp_path) - learned
    out = {rule for harness, rule, _ in OUT if harness == name}
    choose = f"run python tools/learning_sessions.py {name}, or give the reason in tests/harnesses/not-learned.txt"
    assert sorted(missing - out) == [], f"these stand in no session of promptls learn: {choose}"
    assert sorted(out - missing) == [], "take these off tests/harnesses/not-learned.txt"


@pytest.mark.parametrize("name", LEARNED)
def test_a_row_that_follows_its_numbers_makes_the_same_preview(name: str, tmp_path: Path) -> None:
    row = rows(name)[0]
    for number, case in enumerate(sessions_of(name)):
        layout = Layout(case | {"harness": name}, str(tmp_path / str(number)))
        session = session_of(layout, row.version.name)
        with given({row.version.name: traced(row)}):
            followed = harnesses.preview(session, layout.host(ask_git))
        assert followed == harnesses.preview(session, layout.host(ask_git))


def test_the_specs_say_which_have_sessions() -> None:
    assert [name for name in FOLDERS if specs.of(name).is_learned] == LEARNED


def test_each_reason_is_a_sentence() -> None:
    assert all(each.endswith(".") for _, _, each in OUT)


def test_no_two_files_of_a_session_are_of_one_millisecond(tmp_path: Path) -> None:
    """What is sent again after a compaction is in the order of these times, so that a tie would look like a move."""
    case = next(each for each in sessions_of("claude-code") if each["name"] == "interactive-compact-agents-md")
    assert SAME_TIME not in prompt_of(case, "claude-code", tmp_path).notes
    times = [path.stat().st_mtime_ns // 1_000_000 for path in tmp_path.rglob("*.md")]
    assert len(times) == len(set(times)) > 5
