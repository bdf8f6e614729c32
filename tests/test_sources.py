"""The marks that say what proves a rule: each names captured sessions that are there."""

from __future__ import annotations

import re
import sys
from fnmatch import filter as matching
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.harnesses.catalogue import FOLDERS

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
sys.path.append(str(ROOT / "tools"))

import sources  # noqa: E402 - the tools are no package

pytestmark = pytest.mark.same_everywhere

NAMES = harnesses.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_case_in_a_mark_exists(name: str) -> None:
    for folder in sources.FOLDERS_OF_CASES:
        known = [path.stem for path in (TESTS / folder / "cases" / name).glob("*.json")]
        named = {case for rule in sources.rules(name) for kind, case in rule.cases if kind == folder}
        assert [case for case in sorted(named) if not matching(known, case)] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_called_captured_only_is_in_no_test(name: str) -> None:
    known = [path.stem for path in (TESTS / "wire" / "cases" / name).glob("*.json")]
    named = {case for rule in sources.rules(name) for case in rule.captured}
    assert [case for case in sorted(named) if matching(known, case)] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_mark_is_overlooked(name: str) -> None:
    """Each ``wire:`` of the code is a mark that was read: what else it is in would be lost."""
    folder = sources.HARNESSES / FOLDERS[name]
    text = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    named = {case for rule in sources.rules(name) for _, case in rule.cases}
    written = {case.strip() for each in re.findall(r"wire:([^;)\]]*)", text) for case in re.split(r",", each)}
    assert {case.replace("\n    # ", " ") for case in written} <= named


MODULE = '''
"""Not this. Kept back (2)."""

MOST = 200  # (6; wire: many-lines)


class Loader:
    def file(self):
        """Not this. Files are sent [once] (wire: one, two-*; captured: three).

        Nor this (see there). Lines count.

        (wire: four)
        """
        # The end is cut
        # off (section "Limits").
        pass
'''.lstrip()


def test_a_rule_is_its_sentence_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "memory.py"
    path.write_text(MODULE, encoding="utf-8")
    found = [
        (rule.says, rule.cases, rule.captured, rule.sections, rule.place, rule.line) for rule in sources.of_file(path)
    ]
    assert found == [
        ("Kept back.", [], [], ["2"], "", 1),
        ("`MOST = 200`", [("wire", "many-lines")], [], ["6"], "MOST", 3),
        ("Files are sent [once].", [("wire", "one"), ("wire", "two-*")], ["three"], [], "Loader.file", 7),
        ("Lines count.", [("wire", "four")], [], [], "Loader.file", 7),
        ("The end is cut off.", [], [], ['"Limits"'], "Loader.file", 15),
    ]


def test_what_a_mark_means_is_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "acme.py"
    path.write_text(
        '"""Acme. Its files are sorted [source].\n\n[source] is the program\'s package; 1 is a section.\n"""\n'
    )
    assert [rule.says for rule in sources.of_file(path)] == ["Its files are sorted."]
