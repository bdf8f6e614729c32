"""A candidate has a rule and a reason; one module makes all of them, and nobody takes their clause apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls.core.files import Contents
from promptls.core.model import Candidate, Fault, FetchResult, Origin, Prompt, Range, Session
from promptls.kit.base import type_clause, with_consequence
from promptls.kit.candidates import OUR_LIMIT, Rule, and_reason, argument, own
from promptls.kit.masked import without_secrets

pytestmark = pytest.mark.same_everywhere
SERVER = Path(__file__).parents[2] / "server" / "promptls"
RULE = own("it reads a: b")


def test_the_clause_is_made_of_both() -> None:
    found = RULE.missing("/a: b/AGENTS.md", "there is no such file")
    assert (found.rule, found.reason) == ("it reads a: b", "there is no such file")
    assert found.why == "it reads a: b: there is no such file"
    assert RULE.loaded("/AGENTS.md").why == "it reads a: b"


def test_a_second_reason_follows_the_first() -> None:
    assert and_reason(RULE.loaded("/x"), "one") == "one"
    assert and_reason(RULE.loaded("/x", "one"), "two") == "one: two"


@pytest.mark.parametrize(
    ("state", "outcome"),
    [("missing", "missing"), ("broken-link", "missing"), ("directory", "failed"), ("unreadable", "failed")],
)
def test_what_stands_in_the_place_of_a_file(state: str, outcome: str) -> None:
    found = RULE.unread("/x", state)  # type: ignore[arg-type] # each is one of the states
    assert (found.outcome, found.state) == (outcome, state)
    assert found.reason


def test_a_file_that_promptls_cuts_says_whose_limit_it_is() -> None:
    whole, part = RULE.read("/x", Contents("file", b"ab", 2)), RULE.read("/x", Contents("file", b"ab", 9))
    assert (whole.outcome, whole.reason, part.outcome, part.reason) == ("loaded", "", "cut", OUR_LIMIT)


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        (FetchResult("https://x.example/", "ok", "text"), "loaded", ""),
        (FetchResult("https://x.example/", "pending"), "pending", "it has not answered yet"),
        (FetchResult("https://x.example/", "status", detail="404"), "failed", "it did not answer with success (404)"),
    ],
)
def test_what_came_of_a_url(answer: FetchResult, outcome: str, reason: str) -> None:
    found = RULE.answered(answer)
    assert (found.outcome, found.reason, found.url) == (outcome, reason, "https://x.example/")


def test_an_argument_without_effect() -> None:
    found = argument("--x", "promptls does not model it")
    assert (found.outcome, found.origin, found.path) == ("excluded", Origin("argument", name="--x"), None)


def test_secrets_are_masked_in_the_reason_too() -> None:
    secret = "sk-ant-api03-" + "x1Y2" * 12
    origin = Origin("computed")
    candidates = (Rule(f"rule {secret}", origin).loaded("/x"), Rule("rule", origin).failed("/x", f"it is {secret}"))
    shown = without_secrets(Prompt(Session("codex", "/"), (), candidates)).candidates
    assert [secret in each.why for each in shown] == [False, False]
    assert [each.why.startswith("rule") for each in shown] == [True, True]


def _sources() -> list[tuple[str, str]]:
    return [(path.relative_to(SERVER).as_posix(), path.read_text(encoding="utf-8")) for path in SERVER.rglob("*.py")]


def test_only_the_helpers_make_candidates() -> None:
    makes = re.compile(r"(?<![\w.])Candidate\((?!Result\))")
    found = sorted(path for path, source in _sources() if makes.search(source))
    assert found == ["kit/candidates.py"]


def test_nobody_takes_a_clause_apart() -> None:
    parses = re.compile(r"""why\.(?:r?partition|r?split)\(|(?:partition|split)\(["']: ["']\)""")
    assert [path for path, source in _sources() if parses.search(source)] == []
    assert parses.search('candidate.why.partition(": ")')


def test_a_candidate_without_a_reason_can_be_made_as_before() -> None:
    found = Candidate("loaded", "it reads this", Origin("computed"), "/AGENTS.md")
    assert (found.why, found.path) == ("it reads this", "/AGENTS.md")


def test_a_fault_is_one_sentence_with_its_consequence() -> None:
    fault = with_consequence(Fault("config-type", Range(), type_clause(("array", "string"))), "the program ignores it")
    assert fault.message == "This must be an array or a string; the program ignores it."
