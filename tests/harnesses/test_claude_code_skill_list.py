"""Which lines of Claude Code's list of skills keep their words (cases skills-budget-*)."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.core.model import COMPUTED, Segment
from promptls.harnesses.claude_code.listing import skill_list
from promptls.harnesses.claude_code.listing.skill_list import Entry, within_budget

pytestmark = pytest.mark.same_everywhere
WORDS = (Segment("tools", "words", "words", COMPUTED, "why"),)
# The names alone have three columns each, and between two lines there is one.
A, B = Entry("a", "a", WORDS, 10), Entry("b", "b", WORDS, 5)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (16, [A, B]),
        (15, [A, B.alone()]),
        (14, [A, B.alone()]),
        (13, [A.alone(), B]),
        (9, [A.alone(), B]),
        (8, [A.alone(), B.alone()]),
    ],
)
def test_words_that_just_fit(monkeypatch: pytest.MonkeyPatch, budget: int, expected: list[Entry]) -> None:
    monkeypatch.setattr(skill_list, "list_budget", lambda _: budget)
    monkeypatch.setattr(skill_list, "_usage", lambda _: {})
    setup: Any = None
    assert within_budget(setup, [A, B]) == expected


def test_what_is_used_most_keeps_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skill_list, "list_budget", lambda _: 15)
    monkeypatch.setattr(skill_list, "_usage", lambda _: {"b": 2.0, "a": 1.0})
    setup: Any = None
    assert within_budget(setup, [A, B]) == [A.alone(), B]
