"""The tree behind a treemap, and its layout."""

from __future__ import annotations

import pytest

from promptls.core.model import Candidate, Elided, Message, Origin, Prompt, Segment, Session
from promptls.page.tree import MOST, Node, harness_node
from promptls.page.treemap import boxes

pytestmark = pytest.mark.same_everywhere


def leaf(name: str, tokens: int) -> Node:
    return Node(name, "file", tokens)


def prompt(*sizes: int, use: str = "skill") -> Prompt:
    paths = [f"/w/{number}/SKILL.md" for number, _ in enumerate(sizes)]
    segments = [
        Segment("instructions", path, "word " * size, Origin("file", path=path), "why")
        for path, size in zip(paths, sizes, strict=True)
    ]
    own = Segment("provider", "own", "", Origin("builtin"), "why", elided=Elided("own", 44))
    candidates = tuple(Candidate("loaded", "why", Origin("computed"), path, use=use) for path in paths)  # type: ignore[arg-type]
    return Prompt(Session("a", "/w", "1"), (Message("system", (*segments, own), 0),), candidates)


def test_skills_are_a_group_and_the_own_prompt_is_a_part() -> None:
    tree = harness_node(prompt(5, 9))
    assert (tree.name, tree.tokens) == ("a", 23)
    assert [(each.name, each.tokens, len(each.children)) for each in tree.children] == [
        ("skills (2)", 14, 2),
        ("its own prompt", 9, 0),
    ]
    assert [each.path for each in tree.children[0].children] == ["/w/1/SKILL.md", "/w/0/SKILL.md"]


def test_instructions_are_parts_themselves() -> None:
    assert [each.name for each in harness_node(prompt(50, 90, use="instruction")).children] == [
        "/w/1/SKILL.md",
        "/w/0/SKILL.md",
        "its own prompt",
    ]


def test_of_very_many_the_small_ones_are_one_part() -> None:
    found = harness_node(prompt(*range(1, MOST + 11))).children[0]
    assert len(found.children) == MOST + 1
    assert sum(each.tokens for each in found.children) == found.tokens
    assert "10 more" in [each.name for each in found.children]


def test_areas_are_in_proportion_and_fill_the_whole() -> None:
    found = boxes([leaf("a", 10), leaf("b", 30), leaf("c", 60), leaf("nothing", 0)], 16, 9)
    assert [each.node.name for each in found] == ["c", "b", "a"]
    assert [round(each.width * each.height / 100, 6) for each in found] == [60, 30, 10]


def test_a_very_small_part_can_still_be_pointed_at() -> None:
    found = boxes([leaf("large", 1_000_000), *(leaf(str(number), 1) for number in range(MOST))], 16, 9)
    assert min(each.width * each.height / 10_000 for each in found) > 0.0015


def test_parts_are_laid_out_in_the_box_of_their_parent() -> None:
    parent = Node("a", "harness", 3, None, (leaf("b", 2), leaf("c", 1)))
    (found,) = boxes([parent], 16, 9)
    assert (found.left, found.top, found.width, found.height) == (0, 0, 100, 100)
    assert [round(each.width * each.height / 100, 3) for each in found.boxes] == [66.667, 33.333]
    assert boxes([], 16, 9) == ()
