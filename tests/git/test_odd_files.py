"""What git opens may be no file. Promptls answers in time all the same, and says that git was not asked."""

from __future__ import annotations

import os
import select
import shutil
from pathlib import Path
from shlex import quote

import pytest

from promptls import git
from promptls.cli import main
from promptls.errors import UsageError
from promptls.git.listing import Listing, changed_since
from promptls.git.revision import revision
from tests.folder import lay_out
from tests.hostile.breaks import NO_FILE
from tests.limits import at_most
from tests.repository import commit
from tests.repository import git as plain_git

ODD = ("fifo", "socket", "link to a fifo", "link to a device")
# Seen before git is started; then those that only git comes upon.
SEEN = (
    *(".git", ".git/HEAD", ".git/config", ".git/index", ".git/info/exclude", ".git/info/attributes"),
    *(".git/refs/heads/main", ".git/packed-refs", ".git/objects/info/alternates", ".gitignore", ".gitattributes"),
)
UNSEEN = ("lib/.gitignore", "lib/.gitattributes", ".git/refs/heads/other", ".git/refs/tags/v1")
KEYS = ("core.excludesFile", "core.attributesFile", "include.path")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(git, "LIMIT", 0.25)
    monkeypatch.setattr("promptls.git.listing.WAIT", 0.05)
    files: dict[str, str | bytes | dict[str, object]] = {"AGENTS.md": "rules\n", "lib/a.py": "1\n"}
    folder = commit(lay_out(tmp_path / "shop", files, git=False))
    plain_git(folder, "branch", "-M", "main")
    return folder


def ask(folder: Path) -> Listing:
    """Ask git everything; what it cannot say is refused in one sentence."""
    with at_most(10), Listing(str(folder)) as listing:
        assert {f"{folder}/AGENTS.md", f"{folder}/lib/a.py"} <= set(listing.files())
        for question in (changed_since, revision):
            try:
                question(str(folder), "HEAD")
            except UsageError as error:
                assert "\n" not in str(error)  # noqa: PT017 - it may be answered as well
    return listing


def replace(path: Path, what: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    NO_FILE[what](path)


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", SEEN)
def test_git_is_not_asked_where_it_would_wait(folder: Path, name: str, what: str) -> None:
    replace(folder / name, what)
    listing = ask(folder)
    assert listing.note is not None
    assert listing.note.startswith(f"{folder}/{name} is not a regular file, so ")


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", UNSEEN)
def test_git_is_stopped_where_it_waits(folder: Path, name: str, what: str) -> None:
    replace(folder / name, what)
    ask(folder)


@pytest.mark.parametrize("key", KEYS)
def test_a_file_that_the_configuration_names(folder: Path, key: str) -> None:
    plain_git(folder, "config", key, str(folder / "pipe"))
    os.mkfifo(folder / "pipe")
    ask(folder)


def test_a_deep_gitignore_that_is_a_fifo_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "LIMIT", 60)
    os.mkfifo(folder / "lib/.gitignore")
    assert ask_listing(folder).note == f"git does not answer, so the files of {folder} are listed without git."


def ask_listing(folder: Path) -> Listing:
    with at_most(10), Listing(str(folder)) as listing:
        assert f"{folder}/lib/a.py" in listing.files()
    return listing


def test_a_worktree_has_its_files_elsewhere(folder: Path) -> None:
    plain_git(folder, "worktree", "add", "-q", str(folder.parent / "tree"))
    replace(folder / ".git/info/exclude", "fifo")
    with at_most(10):
        listing = ask_listing(folder.parent / "tree")
    assert listing.note is not None
    assert "info/exclude is not a regular file" in listing.note


def test_the_command_line_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / ".gitignore")
    with at_most(10):
        assert main(["check", str(folder), "--no-network"]) == 0
    says = f"{folder}/.gitignore is not a regular file, so the files of {folder} are listed without git."
    assert capsys.readouterr().err.startswith(f"promptls: {says}\n")


def test_no_revision_is_compared_with(folder: Path) -> None:
    replace(folder / ".git/info/exclude", "fifo")
    with pytest.raises(UsageError) as caught:
        changed_since(str(folder), "HEAD")
    says = f"{folder}/.git/info/exclude is not a regular file, so HEAD cannot be compared; "
    assert str(caught.value) == says + "check everything without --changed."


def test_an_answer_is_bounded(folder: Path) -> None:
    asked = git.start(str(folder), "cat-file", "-p", "HEAD^{tree}")
    assert asked is not None
    assert asked.answer(10) is None
    assert asked.is_cut


def test_what_git_started_ends_with_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = folder.parent / "pipe"
    os.mkfifo(pipe)
    reported = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = folder.parent / "bin/git"
    waits = f"#!/bin/sh\n(echo up; exec sleep 60) > {quote(str(pipe))} &\nwait\n"
    lay_out(folder.parent, {"bin/git": waits}, git=False)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    asked = git.start(str(folder), "ls-files")
    assert asked is not None
    assert select.select([reported], [], [], 10)[0]
    assert os.read(reported, 10) == b"up\n"
    asked.stop()
    assert select.select([reported], [], [], 10)[0], "it has ended, and so its end of the pipe is closed"
    assert os.read(reported, 10) == b""
    os.close(reported)


@pytest.mark.parametrize("path", [".", "", "bin", "{folder}/bin", "{folder.parent}/link"])
def test_a_git_of_the_folder_is_not_run(folder: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(folder, {"bin/git": "#!/bin/sh\ntouch sprung\n", "git": "#!/bin/sh\ntouch sprung\n"}, git=False)
    for each in ("bin/git", "git"):
        (folder / each).chmod(0o755)
    monkeypatch.setattr(git, "LIMIT", 10)
    (folder.parent / "link").symlink_to(folder / "bin")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{path.format(folder=folder)}:{os.environ['PATH']}")
    with at_most(10), Listing(str(folder / "lib")) as listing:
        assert listing.tracked() == [f"{folder}/lib/a.py"]
    monkeypatch.setenv("PATH", f"{folder}/bin")
    assert Listing(str(folder / "lib")).note is not None
    monkeypatch.setenv("PATH", "")
    assert Listing(str(folder / "lib")).note is None, "without git nobody expects its list"
    assert not any("sprung" in names for _, _, names in os.walk(folder))
