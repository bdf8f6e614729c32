"""Patterns of names and paths: what they match."""

from __future__ import annotations

import pytest

from promptls.core.formats.patterns import (
    MAX_ALTERNATIVES,
    MAX_BRACES,
    alternatives,
    brackets,
    ignoring,
    is_hard,
    name_matcher,
    path_matcher,
    turned_range,
)


def test_braces() -> None:
    assert alternatives("{a,b}/{c,d}") == ["a/c", "a/d", "b/c", "b/d"]
    assert alternatives(r"\{a\}{b,c}") == ["{a}b", "{a}c"]
    assert alternatives(r"\{a\}{b,c}", keep_escapes=True) == [r"\{a\}b", r"\{a\}c"]
    assert len(alternatives(f"{{1..{MAX_ALTERNATIVES}}}") or ()) == MAX_ALTERNATIVES
    assert alternatives(f"{{1..{MAX_ALTERNATIVES + 1}}}") is None
    assert alternatives("{" * MAX_BRACES) is not None
    assert alternatives("{" * (MAX_BRACES + 1)) is None


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("*.md", ("a.md",), (".a.md", "a.MD", "a.mdx")),
        ("[!a]", ("b",), ("a", "ab")),
        ("[z-ab]", ("b",), ("a", "z", "-")),
        ("[z-a]", (), ("z", "a", "-")),
        ("[!z-a]", ("z", "b"), ("zz",)),
        ("[!z-ab]", ("z", "a"), ("b",)),
        ("@(a|b)", ("@(a|b)",), ("a", "b")),
    ],
)
def test_names(pattern: str, names: tuple[str, ...], others: tuple[str, ...]) -> None:
    matches = name_matcher(pattern, dot=False)
    assert matches
    assert [name for name in (*names, *others) if matches(name)] == [*names]


def test_names_with_options() -> None:
    assert name_matcher("*.md", dot=True)(".a.md")  # type: ignore[misc] # it is a pattern
    assert name_matcher("*.md", dot=True, ignore_case=True)("a.MD")  # type: ignore[misc] # the same
    groups = name_matcher("@(a|b)", dot=False, groups=True)
    assert groups
    assert (groups("a"), groups("c")) == (True, False)
    assert name_matcher("+(a|aa)", dot=False, groups=True) is None


@pytest.mark.parametrize(
    ("pattern", "paths", "others"),
    [
        ("a/**/b", ("a/b", "a/x/b", "a/x/y/b"), ("b", "a/b/c", "a/.x/b")),
        ("a/**", ("a/b", "a/b/c"), ("a", "b/a")),
        ("**/a", ("a", "x/a"), ("a/x", ".x/a")),
        ("**/**/a", ("a", "x/a"), ("a/x",)),
        ("a/*", ("a/b",), ("a/b/c", "a/.b", "a")),
        ("a//b", ("a/b",), ("a//b",)),
        ("/a", ("/a",), ("a", "/a/b")),
        ("a/", (), ("a", "a/", "a/b")),
    ],
)
def test_paths(pattern: str, paths: tuple[str, ...], others: tuple[str, ...]) -> None:
    matches = path_matcher(pattern, dot=False)
    assert [path for path in (*paths, *others) if matches(path)] == [*paths]


def test_a_path_with_a_part_that_may_take_for_ever_is_none() -> None:
    assert path_matcher("a/+(a|aa)", dot=False, groups=True)("a/a") is False
    assert path_matcher("a/+(a|b)", dot=False, groups=True)("a/a") is True


@pytest.mark.parametrize(
    ("part", "hard"),
    [
        ("a*b*", False),
        ("@(a|b)", False),
        ("@(a|b)***", False),
        ("@(a|b)****", True),
        ("+(a|b)", False),
        ("+(a|ab)", True),
        ("+(a|)", True),
        ("+(a)@(b)", True),
        ("+(a*)", True),
        ("@(a)@(b)@(c)@(d)", False),
        ("@(a)@(b)@(c)@(d)@(e)", True),
    ],
)
def test_what_may_take_for_ever(part: str, hard: bool) -> None:
    assert is_hard(part) is hard


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a[bc]d[e]", [(1, 5), (6, 9)]),
        (r"\[a][b]", [(4, 7)]),
        ("[]a]", [(0, 4)]),
        ("[!]a]", [(0, 5)]),
        ("[^]a]", [(0, 5)]),
        (r"[a\]b]", [(0, 6)]),
        ("[a", []),
        ("]", []),
        ("[]", []),
    ],
)
def test_classes(pattern: str, found: list[tuple[int, int]]) -> None:
    assert brackets(pattern) == found


@pytest.mark.parametrize(
    ("pattern", "turned"), [("[a-z]", None), ("[a-a]", None), ("x[!z-a]", "z-a"), ("[a-z9-0]", "9-0"), ("z-a", None)]
)
def test_ranges(pattern: str, turned: str | None) -> None:
    assert turned_range(pattern) == turned


@pytest.mark.parametrize(
    ("lines", "ignored", "others"),
    [
        (("*.log", "!keep.log"), ("a.log", "x/a.log"), ("keep.log",)),
        (("/a",), ("a", "a/b"), ("x/a",)),
        (("a/",), ("a/b", "x/a/b"), ("a",)),
        (("a/**/b*c",), ("a/bc", "a/x/bxc"), ("a/x/b",)),
        (("*a*b",), ("xaxb", "ab"), ("ba",)),
        (("[z-a]x", "y"), ("y",), ("x", "zx")),
        (("[[:digit:]]x",), ("1x",), ("ax",)),
        (("[[:nothing:]]",), (), ("n", "1")),
    ],
)
def test_lines_of_gitignore(lines: tuple[str, ...], ignored: tuple[str, ...], others: tuple[str, ...]) -> None:
    spec = ignoring(lines, posix_classes=True)
    assert [path for path in (*ignored, *others) if spec.match_file(path)] == [*ignored]
