"""How verify names what the preview does not know."""

from __future__ import annotations

from promptls.cli.verify import together


def test_parts_of_one_name_are_one_line() -> None:
    what = [
        "date (24 characters were sent)",
        "skills (1,000 characters were sent)",
        "skills (5 characters were sent)",
        "x",
    ]
    assert together(what) == ["date (24 characters were sent)", "skills (2 parts, 1,005 characters were sent)", "x"]
