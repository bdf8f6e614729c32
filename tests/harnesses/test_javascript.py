"""Lengths and blanks as JavaScript has them, exactly at the limits."""

import pytest

from promptls.core.formats import parse_yaml
from promptls.kit.javascript import as_string, head, tail, trim_end, trimmed

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "limit", "first", "last"),
    [
        ("abc", 0, 0, 3),
        ("abc", -1, 0, 3),
        ("abc", 1, 1, 2),
        ("abc", 3, 3, 0),
        ("abc", 9, 3, 0),
        ("aéb", 1, 1, 2),
        ("aéb", 3, 3, 0),
        ("é", 1, 1, 0),
        ("a😀b", 1, 1, 2),
        ("a😀b", 2, 1, 2),
        ("a😀b", 3, 2, 1),
        ("a😀b", 4, 3, 0),
        ("😀a\uffff", 2, 1, 1),
        ("\uffffab", 1, 1, 2),
    ],
)
def test_what_units_a_limit_leaves(text: str, limit: int, first: int, last: int) -> None:
    assert (head(text, limit), tail(text, limit)) == (first, last)


@pytest.mark.parametrize(
    ("text", "start", "kept"),
    [(" a b\ufeff\n", 0, (1, 4)), ("\x1ca\x85", 0, (0, 3)), ("x  a ", 1, (3, 4)), ("x  ", 1, (1, 1)), ("", 0, (0, 0))],
)
def test_blanks(text: str, start: int, kept: tuple[int, int]) -> None:
    assert trimmed(text, start) == kept
    if not start:
        assert trim_end(text) == text[: kept[1]]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("12345", "12345"),
        ("1.50", "1.5"),
        ("0x1f", "31"),
        ("true", "true"),
        ("False", "false"),
        ("word", "word"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1e30", "1e+30"),
        ("[a]", None),
        ("null", None),
    ],
)
def test_a_value_as_text(text: str, shown: str | None) -> None:
    root = parse_yaml(f"key: {text}").root
    value = root.get("key") if root else None
    assert value is not None
    assert as_string(value) == shown
