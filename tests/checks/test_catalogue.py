"""The rows of the rules agree with the code that finds, fixes and retracts them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from promptls.checks.fixes import FIXERS, FIXERS_OF_TEXT
from promptls.checks.retractions import Retractions
from promptls.checks.rules import FAMILIES, find_rule, rules_of
from promptls.checks.rules.catalogue import RULES
from promptls.checks.rules.page import page
from promptls.checks.tree import Tree
from promptls.core.host import Host

pytestmark = pytest.mark.same_everywhere

CHECKS = Path(__file__).parents[2] / "server" / "promptls" / "checks"
# These report nothing: they ask for the codes of others.
ABOUT_OTHERS = ("__init__", "advice", "retractions")
# Outcomes of a candidate are called the same.
OUTCOMES = {"cut", "dropped", "empty", "shadowed"}
MODULES = [path for path in sorted(CHECKS.glob("*.py")) if path.stem not in ABOUT_OTHERS]


def test_no_code_has_two_rows() -> None:
    assert len(RULES) == sum(len(rules_of(family)) for family in FAMILIES)


def test_every_family_is_listed() -> None:
    others = ("__init__", "catalogue", "page", "rule")
    assert sorted(path.stem for path in (CHECKS / "rules").glob("*.py") if path.stem not in others) == sorted(FAMILIES)


def test_a_rule_is_found_by_its_code() -> None:
    assert [find_rule(code) for code in RULES] == list(RULES.values())
    assert find_rule("no-such-rule") is None


def test_a_family_is_one_module() -> None:
    names = [{rule.family for rule in rules_of(family)} for family in FAMILIES]
    assert all(len(each) == 1 for each in names)
    assert len(set.union(*names)) == len(FAMILIES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_row_names_the_modules_that_report_it(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    unnamed = {code for code in words & set(RULES) - OUTCOMES if path.stem not in RULES[code].found_in}
    assert unnamed == set(), f"put {path.stem!r} into found_in of the rows of these"


def test_a_row_names_modules_that_there_are() -> None:
    others = {name for rule in RULES.values() for name in rule.found_in} - {path.stem for path in MODULES}
    assert others == set(), "found_in names modules of checks/, and these are none"
    assert all(rule.found_in for rule in RULES.values())


def test_a_row_names_only_fixers_that_there_are() -> None:
    known = {*FIXERS, *FIXERS_OF_TEXT}
    named = {name for rule in RULES.values() for name in rule.fixers}
    assert named == known
    assert all(rule.fix for rule in RULES.values() if rule.fixers)


def test_a_row_names_only_reasons_that_there_are() -> None:
    reasons = Retractions(Tree("/w", (), (), Host(home="/h", env={})), (), ()).reasons
    assert {name for rule in RULES.values() for name in rule.retracted_if} == set(reasons)


def test_a_row_names_only_rules_that_there_are() -> None:
    assert {code for rule in RULES.values() for code in rule.yields_to} <= set(RULES)


def test_a_problem_of_the_text_is_none_of_the_place() -> None:
    assert [rule.code for rule in RULES.values() if rule.of_text and rule.of_place] == []


@pytest.mark.parametrize("code", RULES)
def test_a_page_has_every_part(code: str) -> None:
    headings = [line for line in page(RULES[code]).splitlines() if line.startswith("#")]
    source = ["## Source"] if RULES[code].source else []
    assert headings == [f"# {code}", "## Why", "## Example", "## How to fix", *source, "## How to configure"]


def test_a_rule_of_a_specification_names_it() -> None:
    named = {code for code, rule in RULES.items() if rule.source.startswith("https://")}
    assert named == {code for code, rule in RULES.items() if rule.family == "specifications"}


@pytest.mark.parametrize("code", RULES)
def test_a_comment_suppresses_every_rule_but_that_of_comments(code: str) -> None:
    comment = f"    <!-- promptls: ignore {code} the reason -->\n"
    assert page(RULES[code]).endswith(comment) is (code != "suppression-unused")
