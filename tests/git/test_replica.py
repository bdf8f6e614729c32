"""A repository of ours says the same as the one that it stands for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from promptls.core.values import replace
from promptls.git.replica import build
from promptls.git.state import state
from tests.folder import lay_out
from tests.repository import commit, git

pytestmark = pytest.mark.ordinary_too


def _plain(top: Path) -> Path:
    return commit(lay_out(top, {"a/f": "text", "b/g": "text"}, git=False))


def _merged(top: Path) -> Path:
    _plain(top)
    git(top, "checkout", "-q", "-b", "side")
    for name in ("one", "two"):
        lay_out(top, {name: name}, git=False)
        commit(top)
    git(top, "checkout", "-q", "-")
    lay_out(top, {"three": "3"}, git=False)
    commit(top)
    git(top, "merge", "-q", "side", "-m", "merged")
    return top


def _changed(top: Path) -> Path:
    lay_out(top, {"gone": "x", "old": "a\nb\nc\n", ".hidden": "", ".gitignore": "ignored*\n"}, git=False)
    _plain(top)
    git(top, "mv", "old", "new")
    (top / "gone").unlink()
    lay_out(top, {"a/f": "other", "staged": "s", "d/e/new": "n", ".x/y": "", "ignored": "i", "b/h ä": "h"}, git=False)
    git(top, "add", "staged")
    lay_out(top, {"staged": "more"}, git=False)
    return top


def _in_conflict(top: Path) -> Path:
    _plain(top)
    for branch, text in (("one", "1"), ("two", "2")):
        git(top, "checkout", "-q", "-B", branch, "master" if branch == "two" else "HEAD")
        git(top, "branch", "-f", "master", "HEAD") if branch == "one" else None
        lay_out(top, {"a/f": text}, git=False)
        commit(top)
    git(top, "checkout", "-q", "one")
    with pytest.raises(Exception, match="merge"):
        git(top, "merge", "two")
    return top


def _detached(top: Path) -> Path:
    _merged(top)
    git(top, "checkout", "-q", "--detach", "HEAD~1")
    return top


def _with_origin(top: Path) -> Path:
    _plain(top)
    git(top, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    git(top, "checkout", "-q", "-b", "feature/x#1")
    return top


def _with_master_of_origin(top: Path) -> Path:
    _plain(top)
    git(top, "update-ref", "refs/remotes/origin/master", "HEAD")
    git(top, "config", "user.name", 'A "quoted" \\ name')
    return top


def _unborn(top: Path) -> Path:
    lay_out(top, {"a": "", "b/c": ""}, git=False)
    git(top, "init", "-q", "-b", "new")
    git(top, "add", "a")
    return top


def _excluding(top: Path) -> Path:
    _plain(top)
    lay_out(top, {"x.log": "", "y": "", ".git/info/exclude": "*.log\n"}, git=False)
    return top


def _shallow(top: Path) -> Path:
    """A clone of the last two commits, the older one of which has a parent that is not there."""
    whole = _plain(top.parent / "whole")
    for number in (1, 2, 3):
        git(whole, "commit", "-q", "--allow-empty", "-m", f"commit {number}")
    git(top.parent, "clone", "-q", "--depth", "2", f"file://{whole}", str(top))
    return top


SHAPES: dict[str, Callable[[Path], Path]] = {
    each.__name__.lstrip("_"): each
    for each in (
        *(_plain, _merged, _changed, _in_conflict, _detached, _with_origin, _with_master_of_origin, _unborn),
        *(_excluding, _shallow),
    )
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return lay_out(tmp_path / "home", {".config/git/ignore": "mine\n"}, git=False)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.usefixtures("home")
def test_it_says_the_same(shape: str, tmp_path: Path) -> None:
    top = SHAPES[shape](tmp_path / "w")
    lay_out(top, {"mine": "what the user never sees"}, git=False)
    said = state(str(top))
    assert said is not None
    root = _copied(top, tmp_path / "root")
    assert build(str(top), str(root), said, lambda _: True)
    assert state(f"{root}{top}") == said


@pytest.mark.usefixtures("home")
def test_it_says_the_same_of_a_worktree(tmp_path: Path) -> None:
    main = _merged(tmp_path / "main")
    top = tmp_path / "w"
    git(main, "worktree", "add", "-q", "-b", "other", str(top))
    lay_out(top, {"k": "k", "b/g": "changed"}, git=False)
    git(top, "add", "k")
    said = state(str(top))
    assert said is not None
    root = _copied(top, tmp_path / "root")
    assert build(str(top), str(root), said, lambda _: True)
    _pointed(top, root, main)
    assert state(f"{root}{top}") == said


@pytest.mark.usefixtures("home")
def test_it_says_the_same_of_a_submodule(tmp_path: Path) -> None:
    _merged(tmp_path / "lib")
    main = _plain(tmp_path / "main")
    top = main / "vendor" / "lib"
    git(main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"), "vendor/lib")
    lay_out(top, {"b/g": "changed"}, git=False)
    said = state(str(top))
    assert said is not None
    root = _copied(top, tmp_path / "root")
    assert build(str(top), str(root), said, lambda _: True)
    _pointed(top, root, main)
    assert state(f"{root}{top}") == said


@pytest.mark.usefixtures("home")
def test_nothing_of_the_configuration_and_no_hook_is_there(tmp_path: Path) -> None:
    top = _with_master_of_origin(tmp_path / "w")
    for key, value in (("core.fsmonitor", "./evil"), ("core.hooksPath", "."), ("remote.origin.url", "ext::evil")):
        git(top, "config", key, value)
    lay_out(top, {".git/hooks/post-checkout": "evil", ".gitattributes": "* filter=evil\n"}, git=False)
    root = _copied(top, tmp_path / "root")
    assert build(str(top), str(root), state(str(top)), lambda _: True)
    copied = [each for each in root.rglob("*") if each.is_file()]
    assert not [each for each in copied if b"evil" in each.read_bytes()]
    assert not [each for each in copied if each.stat().st_mode & 0o111]


@pytest.mark.usefixtures("home")
def test_a_changed_file_that_may_not_stand_in_the_copy_is_not_there(tmp_path: Path) -> None:
    top = _plain(tmp_path / "w")
    lay_out(top, {"a/f": "other", "b/g": "other"}, git=False)
    said = state(str(top))
    assert said is not None
    root = _copied(top, tmp_path / "root")
    assert build(str(top), str(root), said, lambda path: not path.endswith("/g"))
    there = state(f"{root}{top}")
    assert there == replace(said, status=" M a/f\n D b/g")


def test_where_git_says_nothing_only_a_mark_is_there(tmp_path: Path) -> None:
    top = lay_out(tmp_path / "w", {".git/HEAD": "ref: refs/heads/main\n"}, git=False)
    root = _copied(top, tmp_path / "root")
    assert not build(str(top), str(root), None, lambda _: True)
    names = {str(each.relative_to(f"{root}{top}")) for each in root.rglob("*") if each.is_relative_to(f"{root}{top}")}
    assert names == {".", ".git", ".git/HEAD", ".git/objects", ".git/refs"}


def _copied(top: Path, root: Path) -> Path:
    """A copy of a folder that has only its patterns."""
    Path(f"{root}{top}").mkdir(parents=True)
    for each in top.rglob(".gitignore"):
        place = Path(f"{root}{each}")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(each, place)
    return root


def _pointed(top: Path, root: Path, main: Path) -> None:
    """A program sees the repository at its own path; here it is below another directory, so the pointer needs that."""
    pointer = Path(f"{root}{top}/.git")
    place = pointer.read_text("utf-8").removeprefix("gitdir: ").strip()
    assert place.startswith(str(main))
    pointer.write_text(f"gitdir: {root}{place}\n", "utf-8")
