"""Every fix of every case: applied, its problem is gone; a safe one changes nothing that is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Edit, Fix, Session
from promptls.core.text import LineIndex
from tests.cases.test_cases import read
from tests.checks.test_rules import CASES, check, lay_out_check

# A limit that is raised to a round number may still be too low, and a file that is made is still to be written.
FIXABLE = [path for path in CASES if "  fix" in path.read_text(encoding="utf-8").partition("-- expect --")[2]]


def apply(fix: Fix) -> None:
    for edit in sorted(fix.edits, key=lambda each: (each.range.start_line, each.range.start_character), reverse=True):
        _apply(edit)


def _apply(edit: Edit) -> None:
    path = Path(edit.path)
    if edit.rename is not None:
        path.rename(edit.rename)
        return
    text = path.read_bytes().decode("utf-8") if path.exists() else ""
    lines = LineIndex(text)
    start = lines.offset(edit.range.start_line, edit.range.start_character)
    end = lines.offset(edit.range.end_line, edit.range.end_character)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((text[:start] + edit.text + text[end:]).encode())


@pytest.mark.parametrize("path", FIXABLE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_fix_mends_its_problem(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    number = done = 0
    while True:
        top = tmp_path / str(number)
        top.mkdir()
        folder, home = lay_out_check(scenario, top)
        before = check(scenario, folder, home)
        choices = [(problem, fix) for problem in before for fix in problem.fixes]
        if number == len(choices):
            break
        problem, fix = choices[number]
        apply(fix)
        after = check(scenario, folder, home)
        same = [each.code for each in before].count(problem.code)
        assert [each.code for each in after].count(problem.code) < same, fix.title
        worse = {each.code for each in after if each.severity == "error"}
        assert worse <= {each.code for each in before}, fix.title
        number, done = number + 1, done + 1
    assert done


@pytest.mark.parametrize("path", FIXABLE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_safe_fix_changes_nothing_that_is_sent(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    folder, home = lay_out_check(scenario, tmp_path)
    problems = check(scenario, folder, home)
    names = {name for problem in problems for name in problem.harnesses}

    def sent() -> list[str]:
        return [
            message.text
            for name in sorted(names)
            for message in harnesses.preview(Session(name, str(folder)), Host(home=str(home), env={})).messages
        ]

    before = sent()
    # The last first, so that the places of the others stay.
    for problem in reversed(problems):
        for fix in problem.fixes:
            if fix.is_safe:
                apply(fix)
    assert sent() == before
