"""Foreign text that is made safe to show."""

from __future__ import annotations

import pytest

from promptls.core.visible import code, inert, plain, visible

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a b"),
        ("a b\xa0\x1f", "a b\xa0␟"),
        ("a\nb\tc\x1b", "a␤b␉c␛"),
        ("\x7f\x80\x9f\x85\u2028", "␡��␤␤"),
        ("a\u202eb\u2066c\u2069", "a�b�c�"),
        ("\u202a\u061c\u200e\u200f", "����"),
    ],
)
def test_control_characters_are_symbols(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_tabs_may_stay() -> None:
    assert visible("a\tb\n", keep_tabs=True) == "a\tb␤"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", r"\::error::x"),
        ("  ::error::x", r"  \::error::x"),
        ("a ::b", "a ::b"),
        ("x ##[group]", r"x #\#[group]"),
        ("##vso[task]", r"#\#vso[task]"),
        ("## Title", "## Title"),
    ],
)
def test_no_line_is_a_command_of_a_ci_service(line: str, shown: str) -> None:
    assert inert(line) == shown


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a *b* `c`", r"a \*b\* \`c\`"),
        ("a_b _c_", r"a_b \_c\_"),
        ("1. one", r"1\. one"),
        ("12) two", r"12\) two"),
        ("- x", r"\- x"),
        ("  + x", r"  \+ x"),
        ("~~x~~", r"\~~x\~~"),
        ("a & b &amp; c", r"a & b \&amp; c"),
    ],
)
def test_markdown_shows_a_text_literally(text: str, escaped: str) -> None:
    assert plain(text) == escaped


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a`", "`` a` ``"), ("``", "``` `` ```"), ("a\n", "`a␤`")],
)
def test_a_code_span_is_longer_than_any_in_it(text: str, span: str) -> None:
    assert code(text) == span
