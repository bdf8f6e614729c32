"""What the patterns of a rule are held against, dialect by dialect."""

from __future__ import annotations

import pytest

from promptls.kit.scopes import Dialect, first_match

pytestmark = pytest.mark.same_everywhere
BELOW, NAME, EITHER = Dialect(), Dialect(by_name=True), Dialect(or_name=True)
REQUESTS = Dialect(whole_path=True, floats=True, ignore_case=True)


@pytest.mark.parametrize(
    ("dialect", "pattern", "path", "matches"),
    [
        (BELOW, "*.py", "/w/a.py", True),
        (BELOW, "*.py", "/w/s/a.py", False),
        (BELOW, "s/*.py", "/w/s/a.py", True),
        (BELOW, "*.PY", "/w/a.py", False),
        (BELOW, "*", "/elsewhere/a.py", True),
        (BELOW, "**/*.py", "/elsewhere/a.py", False),
        (BELOW, "**/*.py", "/w/.hidden/a.py", True),
        (BELOW, "{a,b}.py", "/w/b.py", True),
        (NAME, "*.py", "/w/s/a.py", True),
        (NAME, "*.py", "/elsewhere/a.py", True),
        (NAME, "s/*.py", "/w/s/a.py", True),
        (NAME, "s/*.py", "/w/t/s/a.py", False),
        (EITHER, "*.py", "/w/s/a.py", True),
        (EITHER, "s/*.py", "/w/s/a.py", True),
        (EITHER, "*.py", "/elsewhere/a.py", False),
        (REQUESTS, "s/*.py", "/w/s/a.py", True),
        (REQUESTS, "s/*.PY", "/elsewhere/S/a.py", True),
        (REQUESTS, "/s/*.py", "/w/s/a.py", False),
        (REQUESTS, "/w/*.py", "/w/a.py", True),
        (REQUESTS, "**/s/*.py", "/w/s/a.py", True),
    ],
)
def test_a_pattern_matches(dialect: Dialect, pattern: str, path: str, *, matches: bool) -> None:
    assert first_match(("other", pattern), path, "/w", dialect) == (pattern if matches else None)
