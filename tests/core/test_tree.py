"""The values of structured files."""

from __future__ import annotations

import pytest

from promptls.core.formats import parse_json
from promptls.core.formats.tree import Value, member
from promptls.core.model import COMPUTED, Elided, Segment

pytestmark = pytest.mark.same_everywhere


def test_values_by_their_keys() -> None:
    root = parse_json('{"a": "b", "c": 5, "a": "d"}', comments=False).root
    assert root
    assert [root.text(key) for key in ("a", "c", "none")] == ["d", None, None]
    assert list(root.names()) == ["a", "c"]


def test_the_text_of_a_secret_is_not_kept() -> None:
    key, text = Value("string", 0, 7, "token"), Value("string", 9, 13, "ab")
    assert member(key, text) == (key, Value("string", 9, 13, ""))
    number, other = Value("number", 9, 13, 5.0), Value("string", 0, 7, "name")
    assert member(key, number) == (key, number)
    assert member(other, text) == (other, text)


def test_a_text_of_unknown_size_has_no_letters() -> None:
    sizes = [Segment("provider", "x", "[x]", COMPUTED, "w", elided=Elided("x", size)) for size in (None, 7)]
    assert [each.characters for each in (*sizes, Segment("provider", "x", "[x]", COMPUTED, "w"))] == [0, 7, 3]
