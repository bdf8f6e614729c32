from __future__ import annotations

import pytest

from promptls.core.changes import followed, moved_along, rewritten, safe_fix, together
from promptls.core.model import Edit, Fix, Problem, Range

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("entry", "target", "old", "new", "written"),
    [
        ("docs/a.md", "/p/docs/a.md", "/p/docs/a.md", "/p/docs/b.md", "docs/b.md"),
        ("docs/a.md", "/p/docs/a.md", "/p/docs", "/p/guide", "guide/a.md"),
        ("docs/a.md", "/p/docs/a.md", "/p/doc", "/p/guide", None),
        ("docs/a.md", "/p/docs/a.md", "/p/docs/a.md", "/q/a.md", "../q/a.md"),
        ("./docs/a.md", "/p/docs/a.md", "/p/docs/a.md", "/p/a.md", "./a.md"),
        ("docs/../a.md", "/p/a.md", "/p/a.md", "/p/b.md", "b.md"),
        ("../a.md", "/p/a.md", "/p/a.md", "/p/x/b.md", "../x/b.md"),
        ("../a.md", "/p/a.md", "/p/a.md", "/q/b.md", None),
        ("/p/a.md", "/p/a.md", "/p/a.md", "/p/𝒳.md", "/p/𝒳.md"),
        ("~/a.md", "/home/me/a.md", "/home/me/a.md", "/home/me/x/a.md", "~/x/a.md"),
        ("~/a.md", "/home/me/a.md", "/home/me/a.md", "/p/a.md", "/p/a.md"),
        ("docs/*.md", "/p/docs/a.md", "/p/docs", "/p/guide", "guide/*.md"),
        ("docs/x/*.md", "/p/docs/x/a.md", "/p/docs", "/p/guide", "guide/x/*.md"),
        ("/p/docs/*.md", "/p/docs/a.md", "/p/docs", "/p/guide", "/p/guide/*.md"),
        ("docs/*.md", "/p/docs/a.md", "/p/docs/a.md", "/p/docs/b.md", None),
        ("**/*.md", "/p/docs/a.md", "/p/docs", "/p/guide", None),
    ],
)
def test_names_follow_a_file(entry: str, target: str, old: str, new: str, written: str | None) -> None:
    assert followed(entry, target, old, new) == written


def test_fixes_that_collide_are_not_taken_together() -> None:
    first = Fix("a", (Edit("/a", Range(0, 0, 0, 5), "x"),))
    beside = Fix("b", (Edit("/a", Range(0, 5, 0, 6), "y"),))
    across = Fix("c", (Edit("/b", Range(), "z"), Edit("/a", Range(0, 4, 1, 0), "w")))
    moved = Fix("d", (Edit("/a", rename="/c"),))
    elsewhere = Fix("e", (Edit("/b", Range(), "v"),))
    assert together([first, first, beside, across, moved, elsewhere]) == [
        *first.edits,
        *beside.edits,
        *elsewhere.edits,
    ]


@pytest.mark.parametrize(
    ("entry", "target", "new_target", "written"),
    [
        ("x.md", "/p/x.md", "/p/x.md", "../x.md"),
        ("./x.md", "/p/x.md", "/p/x.md", "../x.md"),
        ("./x.md", "/p/x.md", "/p/a/x.md", None),
        ("./x.md", "/p/x.md", "/p/a/y.md", "./y.md"),
        ("x.md", "/p/y.md", "/p/y.md", None),
        ("/p/x.md", "/p/x.md", "/p/y.md", None),
        ("~/x.md", "/p/~/x.md", "/p/y.md", None),
        ("*.md", "/p/*.md", "/p/y.md", None),
    ],
)
def test_names_in_a_file_that_goes_elsewhere(entry: str, target: str, new_target: str, written: str | None) -> None:
    assert moved_along(entry, target, "/p/A.md", "/p/a/A.md", new_target) == written


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        (Range(0, 1, 0, 3), Range(0, 3, 0, 4), True),
        (Range(0, 1, 0, 3), Range(0, 0, 0, 1), True),
        (Range(0, 1, 0, 3), Range(0, 2, 0, 4), False),
        (Range(0, 1, 0, 3), Range(0, 0, 0, 2), False),
        (Range(0, 1, 0, 3), Range(0, 1, 0, 3), False),
        (Range(0, 1, 0, 1), Range(0, 1, 0, 1), False),
        (Range(0, 1, 0, 1), Range(0, 0, 0, 2), False),
        (Range(0, 0, 9, 0), Range(3, 0, 3, 1), False),
    ],
)
def test_edits_that_touch_go_together(one: Range, two: Range, both: bool) -> None:
    fixes = [Fix("a", (Edit("/a", one, "x"),)), Fix("b", (Edit("/a", two, "y"),))]
    assert (len(together(fixes)) == 2) is both
    assert (len(together(reversed(fixes))) == 2) is both


def test_a_renamed_file_is_not_edited_as_well() -> None:
    edited, moved = Fix("a", (Edit("/a", Range(), "x"),)), Fix("b", (Edit("/a", rename="/b"),))
    assert together([moved, edited]) == [*moved.edits]
    assert together([edited, moved]) == [*edited.edits]


def test_edits_are_made_from_the_end() -> None:
    edits = [Edit("/a", Range(0, 0, 0, 1), "X"), Edit("/a", Range(1, 1, 1, 2), ""), Edit("/a", Range(0, 1, 0, 1), "+")]
    assert rewritten("a\nbcd", edits) == "X+\nbd"


def test_only_a_safe_fix_is_made_unasked() -> None:
    doubtful, safe = Fix("a", ()), Fix("b", (), is_safe=True)
    assert safe_fix(Problem("/a", Range(), "c", "error", "m", fixes=(doubtful, safe))) == safe
    assert safe_fix(Problem("/a", Range(), "c", "error", "m", fixes=(doubtful,))) is None
