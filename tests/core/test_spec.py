"""What is known of a harness: its configurations, and the files that it imports."""

from __future__ import annotations

import pytest

from promptls.core.spec import ConfigFile, Imports, ending

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/a/b.MD", ".md"), ("a.md", ".md"), ("/a/.md", ""), ("/a.b/c", ""), ("/a/b.c.txt", ".txt"), ("", "")],
)
def test_the_ending_of_a_name(path: str, expected: str) -> None:
    assert ending(path) == expected


@pytest.mark.parametrize(
    ("name", "is_imported"), [("/a/b.md", True), ("/a/b.TXT", True), ("/a/b", True), ("/a/b.py", False)]
)
def test_files_that_are_imported(name: str, is_imported: bool) -> None:
    assert Imports(frozenset((".md", ".txt"))).takes(name) is is_imported
    assert Imports().takes(name)


def test_the_names_of_a_configuration() -> None:
    own = ConfigFile(("a.json",))
    assert [own.holds(each) for each in ("/w/a.json", "/w/b.json", "a.json")] == [True, False, True]
    assert ConfigFile(("a.json",), has_other_names=True).holds("/w/b.json")
