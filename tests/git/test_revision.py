from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from promptls.core import files
from promptls.core.files import Contents, DirectoryEntry
from promptls.core.host import Buffers, Host
from promptls.errors import UsageError
from promptls.git import revision as texts
from promptls.git.revision import Revision, read_ahead, revision
from tests.folder import lay_out
from tests.repository import commit, git

FILES: dict[str, str | bytes | dict[str, object]] = {
    ".gitignore": "*.local.md\n/build/\n",
    "AGENTS.md": "old rules\n",
    "kept.md": "kept\n",
    "gone/AGENTS.md": "gone rules\n",
    "lib/old name\né.md": b"\xff old\n",
    "lib/deep/app.py": "",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a commit, and everything that can happen to a file since."""
    folder = commit(lay_out(tmp_path / "shop", FILES, git=False))
    (folder / "AGENTS.md").write_text("new rules\n")
    shutil.rmtree(folder / "gone")
    (folder / "lib/old name\né.md").rename(folder / "lib/new name.md")
    lay_out(
        folder, {"new/AGENTS.md": "new\n", "staged.md": "", "me.local.md": "mine\n", "build/x.md": "built\n"}, git=False
    )
    git(folder, "add", "staged.md")
    return folder


def head(path: Path, name: str = "HEAD") -> Revision:
    return revision(str(path), name)


def text(past: Revision, path: Path) -> bytes | str:
    """The text at ``path``, or why there is none; the two ways to ask agree."""
    contents, info = past.read(str(path)), past.stat_of(str(path))
    assert files.kind_of(info) == (contents.state if contents.state != "missing" else None)
    return contents.data if contents.state == "file" else contents.state


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AGENTS.md", b"old rules\n"),
        ("kept.md", b"kept\n"),
        ("gone/AGENTS.md", b"gone rules\n"),
        ("gone", "directory"),
        ("lib/old name\né.md", b"\xff old\n"),
        ("lib/new name.md", "missing"),
        ("new/AGENTS.md", "missing"),
        ("new", "missing"),
        ("staged.md", "missing"),
        ("me.local.md", b"mine\n"),
        ("build/x.md", b"built\n"),
        ("build", "directory"),
        (".git", "directory"),
        ("AGENTS.md/x", "missing"),
        ("nowhere", "missing"),
        ("", "directory"),
    ],
)
def test_what_stood_at_a_path(folder: Path, name: str, expected: bytes | str) -> None:
    assert text(head(folder), folder / name) == expected


def test_outside_of_the_repository_all_is_as_it_is(folder: Path) -> None:
    (folder.parent / "AGENTS.md").write_text("above\n")
    past = head(folder)
    assert text(past, folder.parent / "AGENTS.md") == b"above\n"
    assert "AGENTS.md" in {each.name for each in past.entries(str(folder.parent))}
    assert not past.holds(str(folder.parent))
    assert not past.holds(f"{folder}s")
    assert past.holds(str(folder))


def test_the_entries_of_a_directory(folder: Path) -> None:
    def named(name: str) -> dict[str, bool]:
        return {each.name: each.is_directory for each in head(folder).entries(str(folder / name))}

    assert named("") == {
        **dict.fromkeys((".gitignore", "AGENTS.md", "kept.md", "me.local.md"), False),
        **dict.fromkeys(("gone", "lib", "build", ".git"), True),
    }
    assert named("lib") == {"old name\né.md": False, "deep": True}
    assert named("gone") == {"AGENTS.md": False}
    assert named("new") == {}


def test_a_file_of_a_directory_that_is_gone(folder: Path) -> None:
    assert text(head(folder / "gone/deeper/x.py"), folder / "gone/AGENTS.md") == b"gone rules\n"


def test_another_commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "second")
    assert text(head(folder), folder / "AGENTS.md") == b"new rules\n"
    assert text(head(folder, "HEAD~1"), folder / "AGENTS.md") == b"old rules\n"
    assert head(folder) != head(folder, "HEAD~1")
    assert head(folder) == head(folder / "lib", "HEAD")


def test_links_are_those_of_the_commit(tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "shop", {"AGENTS.md": "rules\n", "shared/a.md": "a\n", "out.md": ""}, git=False)
    (tmp_path / "elsewhere.md").write_text("elsewhere\n")
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    (folder / "rules").symlink_to("shared")
    (folder / "above.md").symlink_to("../elsewhere.md")
    (folder / "loop").symlink_to("loop")
    (folder / "broken").symlink_to("nowhere")
    commit(folder)
    for name in ("CLAUDE.md", "rules", "above.md"):
        (folder / name).unlink()
    (folder / "CLAUDE.md").write_text("a file now\n")
    (folder / "AGENTS.md").write_text("other rules\n")
    past = head(folder)
    assert text(past, folder / "CLAUDE.md") == b"rules\n"
    assert past.realpath(str(folder / "CLAUDE.md")) == str(folder / "AGENTS.md")
    assert text(past, folder / "rules/a.md") == b"a\n"
    assert text(past, folder / "rules") == "directory"
    assert past.realpath(str(folder / "rules/a.md")) == str(folder / "shared/a.md")
    assert past.entries(str(folder / "rules")) == (DirectoryEntry("a.md", is_directory=False, is_link=False),)
    assert text(past, folder / "above.md") == b"elsewhere\n"
    assert past.stat_of(str(folder / "loop")) is None
    assert past.stat_of(str(folder / "broken")) is None
    assert DirectoryEntry("rules", is_directory=False, is_link=True) in past.entries(str(folder))


def test_two_files_with_one_text_are_two(tmp_path: Path) -> None:
    top = lay_out(tmp_path / "p", {"a/x.md": "one\n", "b/x.md": "one\n"}, git=False)
    (top / "c").symlink_to("a")
    host = Host(home=str(tmp_path), env={}, disk=head(commit(top)))
    places = [host.place(f"{top}/{each}") for each in ("a/x.md", "b/x.md", "c/x.md", "a", "b")]
    assert places[0] == places[2]
    assert len(set(places)) == 4
    assert host.is_same(f"{top}/a/x.md", f"{top}/c/x.md")
    assert not host.is_same(f"{top}/a/x.md", f"{top}/b/x.md")


def test_a_repository_named_by_a_link(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    past = head(link / "lib/deep")
    assert text(past, link / "AGENTS.md") == b"old rules\n"
    assert text(past, folder / "AGENTS.md") == b"old rules\n"
    assert past.realpath(str(link / "gone/AGENTS.md")) == str(folder / "gone/AGENTS.md")


def test_a_repository_inside_of_another(folder: Path) -> None:
    inner = commit(lay_out(folder / "vendor/inner", {"AGENTS.md": "inner\n"}, git=False))
    (inner / "AGENTS.md").write_text("inner, changed\n")
    assert text(head(folder), inner / "AGENTS.md") == b"inner, changed\n"
    assert text(head(inner), inner / "AGENTS.md") == b"inner\n"
    assert text(head(inner), folder / "AGENTS.md") == b"new rules\n"
    git(folder, "add", "vendor/inner")  # as a submodule is
    git(folder, "commit", "-q", "-m", "inner")
    assert text(head(folder), inner / "AGENTS.md") == b"inner, changed\n"
    assert [each.is_directory for each in head(folder).entries(str(folder / "vendor"))] == [True]


def refusal(path: Path, name: str = "HEAD") -> str:
    with pytest.raises(UsageError) as caught:
        revision(str(path), name)
    assert re.fullmatch(r"[^\n]+\.", str(caught.value))
    return str(caught.value)


def test_no_repository(tmp_path: Path) -> None:
    assert (
        refusal(tmp_path)
        == f"{tmp_path} is not in a git repository, so there is no HEAD; choose a file in a repository."
    )


def test_no_commit_yet(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert refusal(tmp_path) == f"The git repository {tmp_path} has no commits yet; commit something first."


@pytest.mark.parametrize("name", ["nowhere", "--all", "HEAD:AGENTS.md", ""])
def test_no_such_revision(folder: Path, name: str) -> None:
    assert refusal(folder, name) == f"git has no revision {name} in {folder}; pass a commit, branch or tag."


def test_no_git(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder / "nowhere"))
    assert refusal(folder) == "git is not installed, so HEAD cannot be read; install git."


def test_a_text_that_git_has_lost_is_unreadable(folder: Path) -> None:
    past = head(folder)
    assert past.entries(str(folder / "lib"))
    shutil.rmtree(folder / ".git/objects")
    (folder / ".git/objects").mkdir()
    assert past.read(str(folder / "AGENTS.md")) == Contents("unreadable")


def test_a_commit_that_git_has_lost_is_refused(folder: Path) -> None:
    past = Revision((str(folder), str(folder)), str(folder / ".git"), "0" * 40)
    with pytest.raises(UsageError, match=r"^Objects of 000000000000 are missing in .*; run “git fetch” first\.$"):
        past.read(str(folder / "AGENTS.md"))


def test_git_runs_nothing_of_the_repository(folder: Path) -> None:
    trap = folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {folder}/sprung\ncat\n")
    trap.chmod(0o755)
    with open(folder / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(
            f"[core]\n\tfsmonitor = {trap}\n\thooksPath = {folder}\n[diff]\n\texternal = {trap}\n"
            f'[filter "trap"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n'
        )
    lay_out(folder, {".git/info/attributes": "* filter=trap diff=trap\n"}, git=False)
    past = head(folder)
    assert text(past, folder / "AGENTS.md") == b"old rules\n"
    assert text(past, folder / "trap.sh") == "missing"
    assert past.entries(str(folder))
    assert not (folder / "sprung").exists()


def test_a_large_file_is_cut_as_on_the_disk(tmp_path: Path) -> None:
    folder = commit(lay_out(tmp_path, {"large.md": "x" * (files.LARGE + 1)}, git=False))
    assert head(folder).read(str(folder / "large.md")) == files.read(str(folder / "large.md"))


def test_a_host_with_it_is_current_while_nothing_else_changes(folder: Path) -> None:
    host = Host(home="/", env={}, disk=head(folder))
    for name in ("AGENTS.md", "gone/AGENTS.md", "me.local.md", "nowhere"):
        host.read(str(folder / name))
    host.entries(str(folder))
    (folder / "AGENTS.md").write_text("newer rules\n")
    assert host.is_current(Buffers())
    (folder / "me.local.md").write_text("mine, changed\n")
    assert not host.is_current(Buffers())


def looks(past: Revision, top: Path) -> dict[str, Any]:
    """Everything below ``top`` as a disk shows it."""
    found: dict[str, Any] = {}
    for each in sorted(past.entries(str(top)), key=lambda each: each.name):
        path = top / each.name
        if each.name == ".git":
            continue
        found[each.name] = looks(past, path) if each.is_directory else past.read(str(path)).data
    return found


def test_it_shows_what_a_clone_has(folder: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(folder), str(tmp_path / "clone"))
    clone = tmp_path / "clone"
    expected = {
        os.path.relpath(os.path.join(place, name), clone): Path(place, name).read_bytes()
        for place, _, names in os.walk(clone)
        if ".git" not in Path(place).relative_to(clone).parts
        for name in names
    }
    found: dict[str, bytes] = {}

    def flatten(tree: dict[str, Any], at: str) -> None:
        for name, value in tree.items():
            if isinstance(value, dict):
                flatten(value, f"{at}{name}/")
            else:
                found[f"{at}{name}"] = value

    flatten(looks(head(folder), folder), "")
    assert found == {**expected, "me.local.md": b"mine\n", "build/x.md": b"built\n"}


@pytest.mark.parametrize("first", ["", "0" * 40, "HEAD"])
def test_texts_that_are_read_ahead_are_the_same(folder: Path, first: str) -> None:
    """What is missing, or no text, changes no answer."""
    at, top = revision(str(folder)), str(folder)
    names = [at._tree.blobs[name][1] for name in FILES]
    texts._contents.cache_clear()
    read_ahead(top, [*([at.commit if first == "HEAD" else first] if first else []), *names])
    for name, data in FILES.items():
        assert at.read(str(folder / name)).data == (data.encode() if isinstance(data, str) else data)
