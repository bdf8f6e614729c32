"""What prompts say of a repository is what git says in it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from promptls.git import start_each
from promptls.git.state import Known, _known, state
from tests.folder import lay_out
from tests.repository import commit, git

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from promptls.git import Git


@pytest.mark.parametrize(
    ("configured", "user"),
    [
        ("[user]\nname = first\n[user]\nname = Zoë of two\n", "Zoë of two"),
        ('[user]\nname = "two\\nlines"\n', "two\nlines"),
        ('[user "name"]\nname = other\n[filter "user.name"]\nclean = cat\n[user]\nname = own\n', "own"),
    ],
    ids=["last", "lines", "subsections"],
)
def test_the_user_is_the_one_that_git_names(tmp_path: Path, configured: str, user: str) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    commit(folder)
    with (folder / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write(configured)
    said = state(str(folder))
    assert said is not None
    assert (said.user, said.status) == (user, "")


def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what git is asked from now on."""
    asked: list[str] = []

    def start(root: str, each: Mapping[str, Sequence[str]]) -> dict[str, Git | None]:
        asked.extend(each)
        return start_each(root, each)

    monkeypatch.setattr("promptls.git.start_each", start)
    return asked


# What is run in a repository, after ``git init -b main``.
MADE = {
    "empty": [],
    "empty, another branch": ["symbolic-ref HEAD refs/heads/a/b"],
    "a commit": ["commit --allow-empty -m one"],
    "a commit on another branch": ["commit --allow-empty -m one", "symbolic-ref HEAD refs/heads/other"],
    "packed": ["commit --allow-empty -m one", "pack-refs --all"],
    "packed, another branch": ["commit --allow-empty -m one", "pack-refs --all", "symbolic-ref HEAD refs/heads/other"],
    "detached": ["commit --allow-empty -m one", "checkout --detach"],
    "a tag of that name": ["commit --allow-empty -m one", "tag main"],
    "a remote of that name": ["commit --allow-empty -m one", "update-ref refs/remotes/main/HEAD HEAD"],
    "a ref of that name": ["commit --allow-empty -m one", "update-ref refs/main HEAD"],
    "a ref beside HEAD of that name": [
        "commit --allow-empty -m one",
        "update-ref --no-deref MAIN HEAD",
        "branch -m MAIN",
    ],
    "a tag of that name, and no commit": [
        *("commit --allow-empty -m one", "tag other", "symbolic-ref HEAD refs/heads/other"),
    ],
    "a name with a dot": ["symbolic-ref HEAD refs/heads/v1.2"],
    "a name with a dash": ["commit --allow-empty -m one", "checkout -b fix/the-price"],
    "a branch below that name": [
        "symbolic-ref HEAD refs/heads/new/a",
        "commit --allow-empty -m one",
        "symbolic-ref HEAD refs/heads/new",
    ],
    "origin has main": ["commit --allow-empty -m one", "update-ref refs/remotes/origin/main HEAD"],
    "origin has main, and nothing is here": [
        "commit --allow-empty -m one",
        "update-ref refs/remotes/origin/main HEAD",
        "symbolic-ref HEAD refs/heads/other",
    ],
    "origin says trunk": ["symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/trunk"],
    "origin is packed": [
        "commit --allow-empty -m one",
        "update-ref refs/remotes/origin/master HEAD",
        "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/master",
        "pack-refs --all",
    ],
    "a worktree": ["commit --allow-empty -m one", "worktree add -b side here"],
    "a directory that looks like one": ["commit --allow-empty -m one", "init --bare --template= here/.git"],
    "blanks before the branch": ["commit --allow-empty -m one"],
}


@pytest.mark.parametrize("made", MADE)
def test_what_is_not_asked_is_what_git_would_not_know(
    tmp_path: Path, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    git(folder, "init", "-b", "main")
    for line in MADE[made]:
        git(folder, *line.split())
    if made == "a directory that looks like one":
        shutil.rmtree(folder / "here/.git/objects")
    if made == "blanks before the branch":
        (folder / ".git/HEAD").write_text("ref:   refs/heads/main\n", encoding="utf-8")
    place = folder / "here" if (folder / "here").exists() else folder
    told = state(str(place))
    asked = questions(monkeypatch)
    monkeypatch.setattr("promptls.git.state._known", lambda *_: Known())
    assert state(str(place)) == told
    assert told is not None
    assert asked == ["status", "branch", "log", "main"]


def test_a_repository_without_a_commit_is_asked_for_one_thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    git(folder, "init", "-b", "main")
    asked = questions(monkeypatch)
    told = state(str(folder))
    assert told is not None
    assert (told.branch, told.log, told.main, told.usual, told.status) == ("main", "", "", "", "?? a.txt")
    assert asked == ["status"]


@pytest.mark.parametrize("name", ["tags/main", "main", "remotes/main"])
def test_a_branch_whose_name_something_else_has_is_asked_for(tmp_path: Path, name: str) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    git(folder, "init", "-b", "main")
    assert _known(str(folder), {}).branch == "main"
    (folder / ".git/refs" / name).mkdir(parents=True)
    assert _known(str(folder), {}).branch is None


@pytest.mark.parametrize("elsewhere", ["reftable", "commondir", "packed-refs"])
def test_where_branches_may_be_elsewhere_all_is_asked(tmp_path: Path, elsewhere: str) -> None:
    folder = lay_out(tmp_path / "project", {"a.txt": "1\n"}, git=False)
    git(folder, "init", "-b", "main")
    assert _known(str(folder), {}) == Known(has_commit=False, has_origin=False, branch="main")
    assert _known(str(folder), {"extensions.refstorage": "reftable"}) == Known()
    (folder / ".git" / elsewhere).touch()
    assert _known(str(folder), {}) == Known()
