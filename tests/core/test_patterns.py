"""Patterns of names and paths: what they match."""

from __future__ import annotations

from itertools import product

import pytest
from pathspec import GitIgnoreSpec
from wcmatch import fnmatch, glob

from promptls.core.formats.patterns import (
    _POSIX,
    MAX_ALTERNATIVES,
    MAX_BRACES,
    _in_order,
    _plain_sets,
    _posix,
    alternatives,
    brackets,
    ignoring,
    is_hard,
    name_matcher,
    path_matcher,
    turned_range,
)

pytestmark = pytest.mark.same_everywhere


def test_braces() -> None:
    assert alternatives("{a,b}/{c,d}") == ["a/c", "a/d", "b/c", "b/d"]
    assert alternatives(r"\{a\}{b,c}") == ["{a}b", "{a}c"]
    assert alternatives(r"\{a\}{b,c}", keep_escapes=True) == [r"\{a\}b", r"\{a\}c"]
    assert alternatives(r"\a*") == ["a*"]
    assert alternatives(r"\a*", keep_escapes=True) == [r"\a*"]
    assert len(alternatives(f"{{1..{MAX_ALTERNATIVES}}}") or ()) == MAX_ALTERNATIVES
    assert alternatives(f"{{1..{MAX_ALTERNATIVES + 1}}}") is None
    assert alternatives("{" * MAX_BRACES + "}") is not None
    assert alternatives("{" * (MAX_BRACES + 1) + "}") is None
    assert alternatives("{," * (MAX_BRACES + 1)) == ["{," * (MAX_BRACES + 1)]


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


@pytest.mark.parametrize("part", ["*", "*.ts", "a*", ".a*", "a*b", "a", ".a", "A.b", "-a*", "a*-", "..", "*..", "*.a"])
@pytest.mark.parametrize(("dot", "ignore_case"), [*product((False, True), repeat=2)])
def test_simple_names_are_read_as_the_library_reads_them(part: str, *, dot: bool, ignore_case: bool) -> None:
    flags = (fnmatch.IGNORECASE if ignore_case else fnmatch.CASE) | (fnmatch.DOTMATCH if dot else 0)
    matches = name_matcher(part, dot=dot, ignore_case=ignore_case)
    assert matches
    letters = ("", "a", "b", "é", ".", "A", "ts", "-", "\n")
    for name in {"".join(each) for each in product(letters, repeat=3)} - {""}:
        assert matches(name) == fnmatch.fnmatch(name, part, flags=flags), name


def test_paths_that_lack_what_a_pattern_names_are_told_at_once() -> None:
    names = ("a", "B.ts", ".c", "é")
    paths = ["/".join(each) for count in (1, 2, 3) for each in product(names, repeat=count)]
    parts = ("a", "**", "*.ts", "B*", "?", "[a-b]*")
    patterns = ["/".join(each) for count in (1, 2, 3) for each in product(parts, repeat=count)]
    for pattern, dot, ignore_case in product(patterns, (False, True), (False, True)):
        matches = path_matcher(pattern, dot=dot, ignore_case=ignore_case)
        flags = glob.GLOBSTAR | glob.FORCEUNIX | (glob.DOTGLOB if dot else 0)
        flags |= glob.IGNORECASE if ignore_case else glob.CASE
        library = glob.compile(pattern, flags=flags)
        assert [each for each in paths if matches(each)] == [each for each in paths if library.match(each)], pattern


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
        (r"[\]b]", [(0, 5)]),
        (r"[\]]", [(0, 4)]),
        (r"\a[b]", [(2, 5)]),
        (r"a\[[]b][c]", [(3, 7), (7, 10)]),
        ("[a]]", [(0, 3)]),
        ("[a][b][c]", [(0, 3), (3, 6), (6, 9)]),
        ("[a", []),
        ("]", []),
        ("[]", []),
    ],
)
def test_classes(pattern: str, found: list[tuple[int, int]]) -> None:
    assert brackets(pattern) == found


@pytest.mark.parametrize(
    ("pattern", "turned"),
    [
        ("[a-z]", None),
        ("[a-a]", None),
        ("x[!z-a]", "z-a"),
        ("[^z-a]", "z-a"),
        ("[^-Z]", None),
        ("[z-a]x[b-a]", "z-a"),
        ("[a-z9-0]", "9-0"),
        ("[]z-a]", "z-a"),
        ("z-a", None),
    ],
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
        (("a*c/**/x",), ("ac/x", "acxc/y/x"), ("acd/y/x",)),
        (("a*b/c*d/e",), ("axbb/cxdd/e",), ("axb/d/e",)),
        (("[z-a]x", "y"), ("y",), ("x", "zx")),
        (("[[:digit:]]x",), ("1x",), ("ax",)),
        (("[[:nothing:]]",), (), ("n", "1")),
        (("a/**", "!a/b"), ("a/c", "a/c/", "a/c/d"), ("a/", "a/b")),
        (("**/a/**  ",), ("x/a/b",), ("x/a/", "x/")),
    ],
)
def test_lines_of_gitignore(lines: tuple[str, ...], ignored: tuple[str, ...], others: tuple[str, ...]) -> None:
    spec = ignoring(lines, posix_classes=True)
    assert [path for path in (*ignored, *others) if spec.match_file(path)] == [*ignored]


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("[a-z]", "[a-z]"),
        ("[z-aq]x[b-a]y", "[q]x[\0]y"),
        ("x[c-ab]y[!d-cb]z", "x[b]y[!b]z"),
        ("[a-a9-0]", "[a-a]"),
        ("[!z-a]", "?"),
        ("[!!z-a]", "[!!]"),
    ],
)
def test_a_range_in_the_wrong_order_is_left_out(pattern: str, kept: str) -> None:
    assert _in_order(pattern) == kept


@pytest.mark.parametrize(
    ("regex", "plain"),
    [
        ("a[b]c", "a[b]c"),
        ("[[a]", r"[\[a]"),
        ("[a[b]c[d]", r"[a\[b]c[d]"),
        ("[a]b[c[]", r"[a]b[c\[]"),
        ("[^[a]x", r"[^\[a]x"),
        ("[]a[]x&&", r"[]a\[]x&&"),
        ("[^]a[]x&&", r"[^]a\[]x&&"),
        (r"\[[[a]", r"\[[\[a]"),
        (r"[\[[a]", r"[\[\[a]"),
        ("[a--b]", r"[a-\-b]"),
        ("[--a]", r"[-\-a]"),
        ("[^&&a]", r"[^&\&a]"),
        ("[a&&b]x&&y", r"[a&\&b]x&&y"),
        ("[a~~b]", r"[a~\~b]"),
        ("[a||b]|", r"[a|\|b]|"),
        ("[aab&&]", r"[aab&\&]"),
    ],
)
def test_what_later_versions_of_python_would_read_as_a_set_is_escaped(regex: str, plain: str) -> None:
    assert _plain_sets(regex) == plain


@pytest.mark.parametrize(
    ("line", "read"),
    [("[[:alpha:][:digit:]]", "[A-Za-z0-9]"), ("[[:no:]]", ""), ("a*", "a*"), ("[[:xdigit:]]b", "[0-9A-Fa-f]b")],
)
def test_names_of_classes(line: str, read: str) -> None:
    assert _posix(line) == read


def test_all_names_of_classes_in_one_line() -> None:
    assert _posix("".join(f"[[:{name}:]]" for name in _POSIX)) == "".join(f"[{letters}]" for letters in _POSIX.values())


@pytest.mark.parametrize("line", ["", "# a comment", "[", "a[", "/"])
def test_a_line_that_ignores_nothing(line: str) -> None:
    assert not any(map(ignoring([line]).match_file, ("a", "[", "# a comment")))


PIECES = ("*", "**", "a", "*b", "a*b", "a*b*c", "b**c", "[ab]*c", "?b")
PATHS = tuple("/".join(path) for size in (1, 2, 3, 4) for path in product(("a", "b", "abc", "xab"), repeat=size))


@pytest.mark.parametrize("first", PIECES)
def test_reading_wild_cards_in_one_way_changes_no_match(first: str) -> None:
    lines = [form.format("/".join((first, *rest))) for rest in (*product(PIECES, repeat=1), ()) for form in FORMS]
    lines += [f"{first}/**/{middle}/**/{last}" for middle, last in product(PIECES, repeat=2)]
    for line in lines:
        ours, library = ignoring([line]), GitIgnoreSpec.from_lines([line])
        assert list(ours.match_files(PATHS)) == list(library.match_files(PATHS)), line


FORMS = ("{}", "/{}", "{}/", "{}/a/", "**/{}")


def test_a_line_that_git_refuses_has_no_effect() -> None:
    spec = ignoring(["a\\", "!", "b"])
    assert [spec.match_file(name) for name in ("a", "b")] == [False, True]
