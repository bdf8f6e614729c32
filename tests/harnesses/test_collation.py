import pytest

from promptls.kit.collation import key

pytestmark = pytest.mark.same_everywhere


def test_names_are_in_the_order_of_locale_compare() -> None:
    # Sorted by Node 22 with localeCompare.
    there = "_x|-x|0|a|A|a b|a_b|a-b|a.b|a/b|a1|a10|a2|ab|aB|Ab|AB|co-op|coop|resume|Resume|résumé|u-long|ünï|Upper|zz"
    assert "|".join(sorted(there.split("|"), key=key)) == there


def test_ascii_is_in_the_order_of_locale_compare() -> None:
    there = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ"
    assert "".join(sorted(map(chr, range(32, 127)), key=key)) == there


def test_other_marks_come_before_digits() -> None:
    assert sorted(["a", "1", "\u20ac", "~"], key=key) == ["~", "\u20ac", "1", "a"]


def test_emoji_come_before_digits_and_letters() -> None:
    """As in Node: ``[...].sort((x, y) => x.localeCompare(y))``."""
    assert sorted(["z", "0", "ñ", "_", "b", "\U0001f600", "a"], key=key) == ["_", "\U0001f600", "0", "a", "b", "ñ", "z"]
