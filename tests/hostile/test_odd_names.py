"""At every name that promptls looks at there is something that is not a file: it opens none of them, and answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptls import git, harnesses
from promptls.cli import main
from promptls.git.listing import Listing
from promptls.workspace.folder_check import check_folder
from promptls.workspace.machine import local_host
from tests.folder import lay_out
from tests.hostile.breaks import NO_FILE
from tests.limits import at_most

FILES: dict[str, str | bytes | dict[str, object]] = {"a/b.py": "1\n", "docs/x.md": "x\n"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/.config"))
    monkeypatch.setattr(git, "LIMIT", 2)
    return lay_out(tmp_path / "shop", FILES)


def names_looked_at(top: Path, folder: Path) -> set[str]:
    """Where nothing is yet, of all that the harnesses look at in the folder and in the home directory."""
    with Listing(str(folder)) as listing:
        looked = check_folder(str(folder), listing, only=harnesses.names()).host.looked_at()
    looked |= local_host().looked_at()
    return {path for path in looked if path.startswith(f"{top}/") and not os.path.lexists(path)}


def ask(folder: Path) -> None:
    with at_most(30):
        main(["check", str(folder), "--no-network", *(f"--harness={name}" for name in harnesses.names())])
        main(["check", str(folder), "--no-network", "--diff"])
        main(["explain", f"{folder}/a/b.py"])
        main(["harnesses"])
        for name in harnesses.names():
            main(["preview", f"{folder}/a/b.py", "--harness", name, "--no-network"])


@pytest.mark.parametrize("what", ["fifo", "socket", "link to a fifo", "link to a device"])
def test_it_is_not_opened(tmp_path: Path, folder: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    names = {*names_looked_at(tmp_path, folder), f"{folder}/.gitignore", f"{folder}/a/.gitignore"}
    assert {f"{folder}/{name}" for name in ("AGENTS.md", "promptls.toml", "pyproject.toml", ".mcp.json")} & names
    for path in sorted(names):
        if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
            if what == "link to a fifo" and os.path.lexists(os.path.join(os.path.dirname(path), "pipe")):
                os.symlink("pipe", path)
            else:
                NO_FILE[what](Path(path))
    ask(folder)


@pytest.mark.parametrize("name", ["info/exclude", "HEAD", "config", "index"])
def test_nor_is_a_file_of_git(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    path = folder / ".git" / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with at_most(10):
        main(["check", str(folder), "--no-network"])
