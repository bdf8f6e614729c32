from __future__ import annotations

import pytest

from promptls.checks.instructions import closings, open_bracket

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/{a,b}.py", None),
        ("src/{a,{b,c}", "{"),
        ("src/[a", "["),
        ("src/{a,[b", "["),
        ("src/{a,[{]}.py", None),
        ("src/[[]a", None),
        ("src/a}]", None),
    ],
)
def test_the_last_bracket_that_is_not_closed(pattern: str, expected: str | None) -> None:
    assert open_bracket(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("src/{a,b", ["src/{a,b}"]),
        ("src/{a,b.py", ["src/{a,b}.py", "src/{a,b.py}"]),
        ("src/{a,b/c.py", ["src/{a,b}/c.py", "src/{a,b/c}.py", "src/{a,b/c.py}"]),
        ("src/{a,[b", []),
        ("src/{a}", []),
    ],
)
def test_where_it_may_be_closed(pattern: str, expected: list[str]) -> None:
    assert list(closings(pattern)) == expected
