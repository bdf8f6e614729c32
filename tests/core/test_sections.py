"""Sections that move to files of their own: which section, which name, which directories, which edits."""

from __future__ import annotations

import pytest

from promptls.core.model import Edit, Range
from promptls.core.sections import applied, directories, extracted, file_name, moved, renamed, section_at

pytestmark = pytest.mark.same_everywhere
TEXT = "# One\n\na\n\n## Two\n\n[b](docs/b.md)\n\n# Three\nc"


@pytest.mark.parametrize(("line", "title"), [(0, "One"), (4, "Two"), (8, "Three"), (1, None), (9, None)])
def test_the_heading_of_a_line(line: int, title: str | None) -> None:
    heading = section_at(TEXT, line)
    assert (heading and heading.title) == title


@pytest.mark.parametrize(
    ("title", "taken", "name"),
    [
        ("How to Test!", (), "how-to-test.md"),
        ("a_b", (), "a-b.md"),
        ("…", (), "section.md"),
        ("Two", ("two.md",), "two-2.md"),
        ("Two", ("two.md", "two-2.md"), "two-3.md"),
    ],
)
def test_a_name_that_nobody_has(title: str, taken: tuple[str, ...], name: str) -> None:
    assert file_name(title, taken.__contains__) == name


def test_directories_that_a_section_names() -> None:
    text = "`api` and lib/core, not `docs`, @web/x or https://a.example/web/; `../up`, `.`, `api/` again, ./tools/"
    there = {"/w/api", "/w/lib/core", "/w/web", "/w/tools", "/up", "/w"}
    assert directories(text, "/w", there.__contains__) == ["/w/api", "/w/lib/core", "/w/tools"]
    assert directories("`api`", "/", {"/api"}.__contains__) == ["/api"]


def test_a_section_becomes_a_file() -> None:
    two = section_at(TEXT, 4)
    assert two
    new, old = extracted("/w/A.md", TEXT, two, "/w/two.md", "@two.md")
    assert new == Edit("/w/two.md", Range(), "## Two\n\n[b](docs/b.md)\n")
    assert applied(TEXT, iter([old])) == "# One\n\na\n\n@two.md\n\n# Three\nc"
    three = section_at(TEXT, 8)
    assert three
    assert extracted("/w/A.md", TEXT, three, "/w/three.md", "@three.md")[1].text == "@three.md\n"


@pytest.mark.parametrize(
    ("before", "after"), [("", "# S\n"), (" \n", " \n# S\n"), ("x\n", "x\n\n# S\n"), ("x", "x\n\n# S\n")]
)
def test_a_section_goes_to_the_end_of_a_file(before: str, after: str) -> None:
    three = section_at(TEXT, 8)
    assert three
    new, old = moved("/w/A.md", TEXT, three, "# S\n\n", "/w/b/A.md", before)
    assert applied(before, iter([new])) == after
    assert applied(TEXT, iter([old])) == TEXT[: three.start]


def test_names_of_files_go_along() -> None:
    two = section_at(TEXT, 4)
    assert two
    at = TEXT.index("docs/b.md")
    before = {(0, 5): "/w/One", (at, at + 9): "/w/docs/b.md", (at, at + 4): "/w/docs"}
    assert renamed("/w/A.md", TEXT, two, "/w/api/A.md", before) == "## Two\n\n[b](../docs/b.md)\n\n"


def test_a_name_may_end_a_section() -> None:
    text = "# One\n\na.md"
    one = section_at(text, 0)
    assert one
    assert renamed("/w/A.md", text, one, "/w/api/A.md", {(7, 11): "/w/a.md"}) == "# One\n\n../a.md"


def test_edits_are_made_in_the_order_of_the_text() -> None:
    edits = [Edit("x", Range(1, 0, 1, 1), "B"), Edit("x", Range(0, 0, 0, 1), "A")]
    assert applied("a1\nb2", iter(edits)) == "A1\nB2"
