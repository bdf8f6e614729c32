from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptls.checks import prompt_problems
from promptls.core.model import COMPUTED, Candidate, Cut, Origin, Prompt, Session

if TYPE_CHECKING:
    from promptls.core.model import Outcome, Use

pytestmark = pytest.mark.same_everywhere
LIMIT = Cut(10, 20, "characters", "a list has 10 characters", setting=Origin("builtin", name="list_limit"))
OURS = Cut(10, 20, "characters", "promptls reads so much", is_ours=True)


def listed(outcome: Outcome, path: str, *, use: Use = "skill", cut: Cut | None = LIMIT) -> Candidate:
    return Candidate(outcome, "it is looked for", COMPUTED, path, use=use, cut=cut)


DROPPED, SHORT = listed("dropped", "/w/a/SKILL.md"), listed("cut", "/w/b/SKILL.md")


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ((DROPPED,), [("/w/a/SKILL.md", "1 skill is left out")]),
        ((DROPPED, DROPPED), [("/w/a/SKILL.md", "2 skills are left out")]),
        ((SHORT,), [("/w/b/SKILL.md", "1 skill is cut short")]),
        ((SHORT, DROPPED, SHORT), [("/w/b/SKILL.md", "1 skill is left out and 2 skills are cut short")]),
        # The first one of the folder.
        ((listed("cut", "/h/SKILL.md"), SHORT), [("/w/b/SKILL.md", "2 skills are cut short")]),
        ((listed("cut", "/h/SKILL.md"),), [("/h/SKILL.md", "1 skill is cut short")]),
        # Each kind of list has its own problem.
        (
            (SHORT, listed("dropped", "/w/c.md", use="agent")),
            [("/w/b/SKILL.md", "1 skill is cut short"), ("/w/c.md", "1 agent is left out")],
        ),
        # A limit of promptls is none of the harness, and a file is no part of a list.
        ((listed("cut", "/w/c.md", cut=OURS), listed("cut", "/w/c.md", cut=None)), []),
        ((listed("cut", "/w/c.md", use="instruction"), listed("loaded", "/w/c.md")), []),
    ],
)
def test_what_a_list_has_no_room_for(candidates: tuple[Candidate, ...], expected: list[tuple[str, str]]) -> None:
    found = [
        each for each in prompt_problems(Prompt(Session("stub", "/w"), (), candidates)) if each.code == "listing-cut"
    ]
    advice = "Shorten the descriptions or remove some, or raise list_limit."
    assert [(each.path, each.message) for each in found] == [
        (path, f"stub does not list everything: a list has 10 characters, so {lost}. {advice}")
        for path, lost in expected
    ]
