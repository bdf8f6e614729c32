"""Texts are within 2 % of public tokenizers, and totals after ten recorded requests within 3 % in nine of ten cases."""

import pytest

from promptls.core import specs
from tests.bench import own_text
from tests.bench.tokens import GOAL, SERVICES, errors


@pytest.mark.parametrize("name", SERVICES)
def test_ten_recorded_requests_are_enough(name: str) -> None:
    found = errors(SERVICES[name], 8)
    assert found.whole <= GOAL < found.before
    assert found.parts <= 2 * GOAL
    assert found.within >= 85


OWN_TEXTS = own_text.sessions()


@pytest.mark.parametrize("harness", OWN_TEXTS)
def test_own_texts_of_a_program_are_within_the_goal_by_every_list_that_it_can_ask(harness: str) -> None:
    found = dict(own_text.errors(OWN_TEXTS[harness], specs.of(harness).own_text))
    assert {each: off for each, off in found.items() if abs(off) > own_text.GOAL} == {}
