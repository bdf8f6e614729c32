"""The order in which the hits of a pattern come."""

import pytest

from promptls.core.host import Host
from promptls.kit.globs import match
from tests.disk import Link, MemoryDisk

pytestmark = pytest.mark.same_everywhere
FILES = ("/w/d/one.md", "/w/d/x/three.md", "/w/d/two.md", "/w/d/y/four.md")


def _paths(pattern: str, *, backwards: bool) -> list[str]:
    disk = MemoryDisk()
    for path in FILES:
        disk.add(path, b"text\n")
    host = Host(home="/home/me", env={}, disk=disk)
    return [path.removeprefix("/w/d/") for path in match(host, pattern, "/w", dot=False, backwards=backwards).paths]


@pytest.mark.parametrize("pattern", ["**/*.md", "**/*/*.md"])
@pytest.mark.parametrize(("depth", "number", "is_cut"), [(100, 1, False), (101, 0, True)])
def test_how_deep_a_pattern_is_followed(pattern: str, depth: int, number: int, *, is_cut: bool) -> None:
    """A limit of promptls."""
    disk = MemoryDisk()
    disk.add(f"/w/{'d/' * depth}a.md", b"")
    found = match(Host(home="/home/me", env={}, disk=disk), pattern, "/w", dot=False)
    assert (len(found.paths), found.is_cut) == (number, is_cut)


@pytest.mark.parametrize("part", ["d/", "?/"])
@pytest.mark.parametrize(("depth", "number", "is_cut"), [(99, 1, False), (100, 0, True)])
def test_how_many_parts_of_a_pattern_are_followed(part: str, depth: int, number: int, *, is_cut: bool) -> None:
    disk = MemoryDisk()
    disk.add(f"/w/{'d/' * depth}a.md", b"")
    found = match(Host(home="/home/me", env={}, disk=disk), f"{part * depth}*.md", "/w", dot=False)
    assert (len(found.paths), found.is_cut) == (number, is_cut)


def test_hits_come_in_the_order_of_the_disk() -> None:
    assert _paths("d/**/*.md", backwards=False) == ["one.md", "two.md", "x/three.md", "y/four.md"]


def test_two_stars_at_the_end_are_every_file_below() -> None:
    assert _paths("d/**", backwards=False) == ["one.md", "two.md", "x/three.md", "y/four.md"]
    assert len(_paths("**", backwards=False)) == 4


def test_backwards_each_directory_is_walked_from_its_end() -> None:
    assert _paths("d/**/*.md", backwards=True) == ["two.md", "one.md", "y/four.md", "x/three.md"]
    assert _paths("d/*.md", backwards=True) == ["two.md", "one.md"]


def test_a_pattern_may_lead_upwards() -> None:
    assert _paths("d/x/../*.md", backwards=False) == ["one.md", "two.md"]


def test_the_directory_of_a_link_is_searched_itself_and_no_deeper() -> None:
    disk = MemoryDisk()
    for path in ("/w/o/a.md", "/w/o/in/b.md"):
        disk.add(path, b"text\n")
    disk.add("/w/d/link", Link("/w/o"))
    host = Host(home="/home/me", env={}, disk=disk)
    assert match(host, "d/**/*.md", "/w", dot=False).paths == ["/w/d/link/a.md"]
    # Only where something precedes the stars.
    assert sorted(match(host, "**/*.md", "/w", dot=False).paths) == ["/w/o/a.md", "/w/o/in/b.md"]
