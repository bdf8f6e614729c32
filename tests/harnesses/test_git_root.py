"""Where a repository begins, as ``git rev-parse --show-toplevel`` says of the same folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.kit.inline_imports import nearest_marked
from promptls.kit.paths import git_root
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
HEAD = "ref: refs/heads/main\n"
OUTER = {".git/HEAD": HEAD, ".git/objects/info/packs": "", ".git/refs/heads/main": ""}


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({"in/a.md": ""}, ""),
        # A directory of that name that is no repository is skipped.
        ({"in/.git/config": ""}, ""),
        ({"in/.git/HEAD": HEAD}, ""),
        ({"in/.git/objects/info/packs": ""}, ""),
        ({"in/.git/HEAD/x": "", "in/.git/objects/info/packs": ""}, ""),
        ({"in/.git/HEAD": HEAD, "in/.git/objects/info/packs": "", "in/.git/refs/heads/main": ""}, "in"),
        # A file names the repository, and must name one.
        ({"in/.git": "gitdir: ../.git\n"}, "in"),
        ({"in/.git": "gitdir: ../.git"}, "in"),
        ({"in/.git": "gitdir: nowhere\n"}, None),
        ({"in/.git": "other: ../.git\n"}, None),
        ({"in/.git": ""}, None),
    ],
)
def test_where_a_repository_begins(tmp_path: Path, files: dict[str, str], root: str | None) -> None:
    top = lay_out(tmp_path / "top", {**OUTER, **files}, git=False)
    found = git_root(Host(home=str(tmp_path), env={}), str(top / "in"))
    assert found == (None if root is None else str(top / root))


@pytest.mark.parametrize(
    ("markers", "nearest"),
    [
        (["mark"], "in"),
        (["top.txt"], ""),
        (["top.txt", "mark"], "in"),
        (["in/mark"], ""),
        (["../top.txt"], None),
        (["{top}/top.txt"], None),
        (["{top}/top.txt", "top.txt"], ""),
        (["nosuch"], None),
        ([], None),
    ],
)
def test_the_nearest_directory_with_a_marker(tmp_path: Path, markers: list[str], nearest: str | None) -> None:
    """A marker that leads elsewhere counts for nothing."""
    top = lay_out(tmp_path / "top", {"top.txt": "", "in/mark": "", "in/deep/a.md": ""}, git=False)
    named = [each.replace("{top}", str(top)) for each in markers]
    found = nearest_marked(Host(home=str(tmp_path), env={}), str(top / "in" / "deep"), named)
    assert found == (None if nearest is None else str(top / nearest))


def test_nothing_above_is_a_repository(tmp_path: Path) -> None:
    top = lay_out(tmp_path / "top", {"a.md": ""}, git=False)
    assert git_root(Host(home=str(tmp_path), env={}), str(top)) is None
