from __future__ import annotations

import pytest

from promptls.core.changes import followed, together
from promptls.core.model import Edit, Fix, Range


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
