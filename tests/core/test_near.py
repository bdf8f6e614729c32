from __future__ import annotations

import pytest

from promptls.core.near import near

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("modle", ("node", "model"), "model"),
        ("Allowed_Tools", ("tools", "allowed-tools"), "allowed-tools"),
        ("model", ("agent",), None),
        ("model", (), None),
        # Four letters of five are like enough, three of four are not.
        ("abcde", ("abcdx",), "abcdx"),
        ("abcd", ("abcx",), None),
    ],
)
def test_the_name_that_was_meant(name: str, names: tuple[str, ...], found: str | None) -> None:
    assert near(name, names) == found


def test_how_like_is_for_the_caller_to_say() -> None:
    assert near("abcd", ["abcx"], 0.75) == "abcx"
    assert near("abcd", ["abcx"], 0.76) is None


def test_nobody_means_a_very_long_name() -> None:
    assert near("a" * 255, ["a" * 255]) is not None
    assert near("a" * 256, ["a" * 256]) is None
