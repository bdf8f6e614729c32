"""Nothing that a repository names is run, whatever promptls asks git; and plain git does run it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from promptls import git
from promptls.cli import main
from promptls.core.settings import DEFAULT
from promptls.errors import UsageError
from promptls.git.listing import Listing, changed_since
from promptls.git.replica import build
from promptls.git.revision import revision
from promptls.git.state import state
from promptls.lsp.checker_process import CheckRequest, look
from tests.git.traps import REMOTES, Traps, embedded, included, partial, plain, plain_git, worktree

Shape = Callable[[Traps], Path]
# What runs where git fetches from such a place.
FETCHES = {
    "ext": "ext",
    "uploadpack": "uploadpack",
    "file": "uploadpack-file",
    "no name": "alias-of-no-name",
    "a name": "alias-none",
    "another url": "insteadOf",
    "ssh": "sshCommand",
    "git": "gitProxy",
}
SHAPES: dict[str, Shape] = {
    "plain": plain,
    "included": included,
    "worktree": worktree,
    "embedded": embedded,
    **{
        f"{remote}, without {lacks}": lambda traps, remote=remote, lacks=lacks: partial(traps, remote, lacks)  # type: ignore[misc]
        for remote in REMOTES
        for lacks in ("blob:none", "tree:0")
        if remote in FETCHES or lacks == "blob:none"
    },
}


@pytest.fixture
def traps(unquoted_path: Path, monkeypatch: pytest.MonkeyPatch) -> Traps:
    traps = Traps(unquoted_path / "traps")
    monkeypatch.setenv("HOME", str(unquoted_path / "home"))
    return traps


def run_everything(folder: Path) -> None:
    """Each command that asks git, and the server's check of a folder."""
    for command in (
        ["check", str(folder)],
        ["check", str(folder), "--changed", "HEAD"],
        ["check", str(folder), "--diff"],
        ["check", str(folder), "--fix"],
        ["preview", f"{folder}/AGENTS.md", "--rev", "HEAD"],
        ["preview", f"{folder}/gone/new.py", "--rev", "HEAD"],
    ):
        main([*command, "--no-network"])
    look(CheckRequest(str(folder), DEFAULT, True, {}, {}), lambda _: None)


def ask_everything(folder: Path) -> None:
    """Each question that promptls has for git."""
    assert Listing(str(folder)).files()
    with suppress(UsageError):
        changed_since(str(folder), "HEAD")
    with suppress(UsageError):
        past = revision(str(folder))
        for name in ("AGENTS.md", "app.py", ".gitignore", "new.py"):
            past.read(f"{folder}/{name}")
        past.entries(str(folder))
    with TemporaryDirectory() as root:
        os.makedirs(f"{root}{folder}")
        build(str(folder), root, state(str(folder)), lambda _: True)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_that_a_repository_names_is_run(traps: Traps, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = SHAPES[shape](traps)
    for name, value in traps.variables().items():
        monkeypatch.setenv(name, value)
    ask_everything(folder)
    assert traps.fired() == set()


@pytest.mark.parametrize("shape", ["plain", "embedded", "ext, without blob:none", "ext, without tree:0"])
def test_no_command_runs_it(traps: Traps, shape: str) -> None:
    run_everything(SHAPES[shape](traps))
    assert traps.fired() == set()


@pytest.mark.parametrize("shape", [each for each in SHAPES if ":" in each])
def test_an_older_git_fetches_nothing_either(traps: Traps, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(git.ENVIRONMENT, "GIT_NO_LAZY_FETCH")
    ask_everything(SHAPES[shape](traps))
    assert traps.fired() == set()


def test_an_older_git_does_not_take_a_folder_for_a_repository(traps: Traps, monkeypatch: pytest.MonkeyPatch) -> None:
    at = git.OPTIONS.index("safe.bareRepository=explicit")
    monkeypatch.setattr(git, "OPTIONS", (*git.OPTIONS[: at - 1], *git.OPTIONS[at + 1 :]))
    ask_everything(embedded(traps))
    assert traps.fired() == set()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls-files --modified", {"fsmonitor"}),
        ("update-index --force-remove app.py", {"hook-post-index-change"}),
        ("diff-index --name-only HEAD", {"clean"}),
        ("diff", {"clean"}),
        ("st", {"alias"}),
    ],
)
def test_plain_git_runs_them(traps: Traps, command: str, expected: set[str]) -> None:
    plain_git(plain(traps), *command.split())
    assert expected <= traps.fired()


@pytest.mark.parametrize(("remote", "expected"), FETCHES.items())
def test_plain_git_fetches_by_them(traps: Traps, remote: str, expected: str) -> None:
    plain_git(partial(traps, remote, "blob:none"), "cat-file", "blob", "HEAD:app.py")
    assert expected in traps.fired()
