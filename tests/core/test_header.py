"""Front matter that says which files a rule is for."""

from __future__ import annotations

import pytest

from promptls.core.formats import front_matter
from promptls.core.formats.front_matter import FrontMatter
from promptls.core.formats.header import Header, header, split_patterns
from promptls.core.model import Range

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b", ["a", "b"]),
        ("{a,b},c", ["{a,b}", "c"]),
        ("{a,{b,c},d},e", ["{a,{b,c},d}", "e"]),
        ("a},b", ["a}", "b"]),
        ("{a,b", ["{a,b"]),
        (",", ["", ""]),
    ],
)
def test_commas_between_braces_part_nothing(text: str, parts: list[str]) -> None:
    assert split_patterns(text) == parts


@pytest.mark.parametrize(
    ("value", "patterns"),
    [
        ('"a, b,,"', ("a", "b")),
        ("*.md, x", ("*.md", "x")),
        ("{a,b}/* # why", ("{a,b}/*",)),
        ("\n  - '*.md'\n  - {a,b}\n  - 5", ("*.md", "{a,b}")),
        ("5", ()),
        ("[]", ()),
    ],
)
def test_patterns(value: str, patterns: tuple[str, ...]) -> None:
    assert header(f"---\nglobs: {value}\n---\nx").patterns("globs") == patterns


def test_values() -> None:
    found = header('---\na: one\nb: [two, three]\nc: true\nd: "true"\n---\n')
    assert (found.word("a"), found.word("b"), found.words("b"), found.word("c")) == ("one", "two", ("two", "three"), "")
    assert [found.is_true(key) for key in "acde"] == [False, True, False, False]
    assert found.range("b") == Range(2, 3, 2, 15)
    assert found.range("e") is None
    assert header("no front matter").word("a") == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [("x", ("x",)), ("[x, 5, y]", ("x", "y")), ("{a: b}", ("{a: b}",)), ("", ()), ("*.md", ("*.md",))],
)
def test_words(value: str, words: tuple[str, ...]) -> None:
    found = header(f"---\na: {value}\n---\n")
    assert (found.words("a"), found.word("a")) == (words, words[0] if words else "")
    assert found.words("b") == ()


def test_a_pattern_without_quotes_stands_where_it_stands() -> None:
    found = header("---\na: b\nglobs: *.md  # all\nlist:\n  - {a,b}/*   \n---\n")
    assert found.range("globs") == Range(2, 7, 2, 11)
    assert found.patterns("list") == ("{a,b}/*",)


def test_a_text_without_front_matter_is_all_body() -> None:
    for text in ("text", "---\na: b\n", "a\n---\n---\n"):
        assert front_matter.split(text) == FrontMatter(None, 0, 0)
        assert header(text) == Header(text)
