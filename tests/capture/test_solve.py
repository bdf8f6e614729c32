"""Which numbers of a row explain sizes that were sent otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from promptls.wire.solve import Observed, solved

pytestmark = pytest.mark.same_everywhere
TOOL: Any = ("tools", "spawn")
INTRO: Any = ("roles_intro",)
VALUES = {TOOL: 5362, INTRO: 147}


def test_a_size_of_one_number_says_more_than_one_of_two() -> None:
    alone = Observed({TOOL: 1}, 5362, 6324)
    together = Observed({TOOL: 1, INTRO: 1}, 5362 + 147, 6324 + 173)
    for sizes in ([alone, together], [together, alone]):
        assert solved(sizes, VALUES) == {TOOL: 6324, INTRO: 173}


def test_what_is_large_has_changed_where_nothing_says_more() -> None:
    assert solved([Observed({TOOL: 1, INTRO: 1}, 5509, 5609)], VALUES) == {TOOL: 5462}


def test_one_size_of_a_number_alone_says_more_than_many_of_two() -> None:
    """The program no longer leaves out what it left out of most sessions."""
    alone, less = Observed({TOOL: 1}, 5362, 4200), Observed({TOOL: 1, INTRO: -1}, 5362 - 147, 4200)
    assert solved([less, less, less, alone], VALUES) == {TOOL: 4200, INTRO: 0}


def test_prose_is_learned_to_the_character() -> None:
    alone = Observed({TOOL: 1}, 5362, 5370, is_prose=True)
    assert solved([alone], VALUES) == {TOOL: 5370}
    assert solved([alone, Observed({TOOL: 1, INTRO: 1}, 5509, 5517, is_prose=True)], VALUES) == {TOOL: 5370}


def test_one_text_of_two_numbers_does_not_tell_which_has_changed() -> None:
    assert solved([Observed({TOOL: 1, INTRO: 1}, 5509, 5510, is_prose=True)], VALUES) == {}
    assert solved([Observed({TOOL: 1, INTRO: 1}, 5509, 5510)], VALUES) == {TOOL: 5363}


def test_prose_near_its_measure_is_right_where_no_number_suits_all_sessions() -> None:
    same, near = Observed({TOOL: 1}, 5362, 5362, is_prose=True), Observed({TOOL: 1}, 5362, 5370, is_prose=True)
    assert solved([same, near, near], VALUES) == {}


def test_prose_that_differs_by_much_is_learned_though_no_number_suits_all_sessions() -> None:
    sizes = [Observed({TOOL: 1}, 5362, each, is_prose=True) for each in (6000, 6003)]
    assert solved(sizes, VALUES)[TOOL] in (6000, 6003)
