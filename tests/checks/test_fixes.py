"""Every fix of every case: applied, its problem is gone and no other has come; a safe one loses nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks.fixes import with_fixes
from promptls.checks.rules.catalogue import RULES
from promptls.checks.security import HIDDEN
from promptls.core.changes import rewritten
from promptls.core.host import Host
from promptls.core.model import Fix, Problem, Range, Related, Session
from promptls.core.text import BOM
from tests.cases.test_cases import read
from tests.checks.test_rules import CASES, check, lay_out_check

pytestmark = pytest.mark.same_everywhere
# A limit that is raised to a round number may still be too low, and a file that is made is still to be written.
FIXABLE = [path for path in CASES if "  fix" in path.read_text(encoding="utf-8").partition("-- expect --")[2]]


def apply(fix: Fix) -> None:
    for path in dict.fromkeys(edit.path for edit in fix.edits):
        file = Path(path)
        inside = [edit for edit in fix.edits if edit.path == path and not edit.rename]
        if inside:
            text = file.read_bytes().decode("utf-8") if file.exists() else ""
            # Editors do not count a byte order mark.
            mark = BOM if text.startswith(BOM) else ""
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes((mark + rewritten(text.removeprefix(BOM), inside)).encode())
    for edit in fix.edits:
        if edit.rename:
            Path(edit.rename).parent.mkdir(parents=True, exist_ok=True)
            Path(edit.path).rename(edit.rename)


@pytest.mark.parametrize("path", FIXABLE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_fix_fixes_its_problem(path: Path, tmp_path: Path) -> None:
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
        assert {each.code for each in after} <= {each.code for each in before}, fix.title
        number, done = number + 1, done + 1
    assert done


@pytest.mark.parametrize("path", FIXABLE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_after_a_safe_fix_everything_that_was_loaded_still_is(path: Path, tmp_path: Path) -> None:
    scenario = read(path)
    folder, home = lay_out_check(scenario, tmp_path)
    problems = check(scenario, folder, home)
    names = {name for problem in problems for name in problem.harnesses}

    def loaded() -> set[str]:
        return {
            segment.origin.path
            for name in sorted(names)
            for message in harnesses.preview(Session(name, str(folder)), Host(home=str(home), env={})).messages
            for segment in message.segments
            if segment.origin.path and segment.origin.kind == "file"
        }

    def words() -> dict[str, str]:
        return {
            str(file): re.sub(f"{HIDDEN}|`", "", file.read_text("utf-8")).casefold()
            for file in folder.rglob("*.md")
            if file.is_file() and path.parent.name != "encoding"
        }

    before, said = loaded(), words()
    renamed = {}
    # The last first, so that the places of the others stay.
    for problem in reversed(problems):
        for fix in problem.fixes:
            if fix.is_safe:
                apply(fix)
                renamed.update({edit.path: edit.rename for edit in fix.edits if edit.rename})
    assert {renamed.get(each, each) for each in before} <= loaded()
    assert said.items() <= {**words(), **{old: words()[new] for old, new in renamed.items()}}.items()


@pytest.mark.parametrize(("limit", "raised"), [(100, 65_536), (32_768, 65_536), (40_000, 80_000)])
def test_a_limit_is_doubled_or_more(tmp_path: Path, limit: int, raised: int) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f"project_doc_max_bytes = {limit}\n")
    setting = Related(str(config), Range(0, 24, 0, 24 + len(str(limit))), "The limit is set here.")
    cut = Problem(f"{tmp_path}/AGENTS.md", Range(), "cut", "warning", "It is cut.", related=(setting,))
    (problem,) = with_fixes([cut], Host(home="/h", env={}))
    assert [fix.title for fix in problem.fixes] == [f"Raise the limit to {raised}"]


def test_the_catalogue_says_which_problems_have_fixes(tmp_path: Path) -> None:
    found: dict[str, set[bool]] = {}
    for number, path in enumerate(FIXABLE):
        top = tmp_path / str(number)
        top.mkdir()
        scenario = read(path)
        for problem in check(scenario, *lay_out_check(scenario, top)):
            found.setdefault(problem.code, set()).update(fix.is_safe for fix in problem.fixes)
    kinds = {code: "safe" if True in safe else "offered" if safe else "" for code, safe in found.items()}
    differ = {code: kinds.get(code, "") for code, rule in RULES.items() if rule.fix != kinds.get(code, "")}
    assert differ == {}, "the cases show these kinds of fixes: set fix= in the rows so, or add a case with a fix"
