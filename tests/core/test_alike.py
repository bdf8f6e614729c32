from __future__ import annotations

import pytest

from promptls.core.alike import differing, near_pairs, opposed_pairs

pytestmark = pytest.mark.same_everywhere


def near(one: str, other: str) -> float | None:
    return next((each.like for each in near_pairs([one, other], lambda _one, _other: True)), None)


def test_the_share_of_words_and_pairs_in_common() -> None:
    assert near("- Never use 1 line if statements", "* Never use 1-line `if` statements.") == 1.0
    # Four words and three pairs, of which a word and two pairs are only in the one.
    assert near("run all the tests", "run all the tests twice") == pytest.approx(7 / 9)
    assert near("run all the tests", "write some of the docs") is None


@pytest.mark.parametrize("text", ["use tabs now", "a b c " * 100])
def test_few_words_and_very_many_are_not_compared(text: str) -> None:
    assert near(text, text) is None


def test_pairs_that_may_not_be_are_none() -> None:
    assert not near_pairs(["run all the tests"] * 2, lambda _one, _other: False)


def test_the_words_that_differ() -> None:
    one = "- Use TypeScript; prefer types over interfaces"
    assert differing(one, "- Use TypeScript; prefer `type` over `interface` always") == [
        ("types", "type"),
        ("interfaces", "interface always"),
    ]
    assert differing("Use  it.", "use it") == []


@pytest.mark.parametrize(
    ("one", "other", "by"),
    [
        ("Lines have at most 100 letters.", "lines have at most 120 letters", "number"),
        ("Always use tabs for indentation", "Never use tabs for indentation", "negation"),
        ("Please commit generated files here", "Do not commit generated files here", "negation"),
        ("Lines have at most 100 letters", "Lines have at most 100 letters.", None),
        ("Use tabs", "Never use tabs", None),
        ("Commit the generated files", "Never push the generated files", None),
        # Another number and a negation: it may well be the same rule.
        ("Lines have at most 100 letters", "Lines have not at most 120 letters", None),
    ],
)
def test_opposed_by_a_number_or_a_negation(one: str, other: str, by: str | None) -> None:
    assert next((each for *_, each in opposed_pairs([one, other])), None) == by


def test_a_row_of_numbers_is_no_contradiction() -> None:
    assert list(opposed_pairs([f"Lines have at most {each} letters" for each in (100, 110, 120)])) == []
