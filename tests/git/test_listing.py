from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptls.git.listing import Listing, changed_since
from tests.folder import lay_out
from tests.repository import commit

pytestmark = pytest.mark.ordinary_too

FILES: dict[str, str | bytes | dict[str, object]] = {
    ".gitignore": "*.log\nbuild/\n/top\n",
    "a.py": "",
    "a.log": "",
    "top": "",
    "build/x": "",
    "lib/.gitignore": "!keep.log\nsecret\n",
    "lib/keep.log": "",
    "lib/other.log": "",
    "lib/secret": "",
    "lib/top": "",
    "node_modules/p/index.js": "",
    "lib/node_modules/p/index.js": "",
}
LISTED = [".gitignore", "a.py", "lib/.gitignore", "lib/keep.log", "lib/top"]


def listed(folder: Path) -> list[str]:
    return [os.path.relpath(path, folder) for path in Listing(str(folder)).files()]


@pytest.mark.parametrize("is_repository", [True, False])
def test_what_is_ignored_is_not_listed(tmp_path: Path, is_repository: bool) -> None:
    folder = lay_out(tmp_path / "é ü", FILES, git=False)
    if is_repository:
        commit(folder)
        (folder / "new\nline").write_text("")
    assert listed(folder) == sorted([*LISTED, "new\nline"] if is_repository else LISTED)


def test_without_git_the_folder_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = commit(lay_out(tmp_path, FILES, git=False))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert listed(folder) == LISTED


def test_a_folder_in_a_repository(tmp_path: Path) -> None:
    folder = commit(lay_out(tmp_path, FILES, git=False))
    assert listed(folder / "lib") == [".gitignore", "keep.log", "top"]


def test_a_loop_of_links_is_not_walked(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"a/b": ""}, git=False)
    (folder / "a" / "loop").symlink_to(folder)
    assert listed(folder) == ["a/b", "a/loop"]


def test_git_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    folder = commit(lay_out(tmp_path, {"a.py": ""}, git=False))
    trap = folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    with open(folder / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(f"[core]\n\tfsmonitor = {trap}\n\thooksPath = {folder}\n[diff]\n\texternal = {trap}\n")
    (folder / "a.py").write_text("more")
    assert listed(folder) == ["a.py", "trap.sh"]
    assert changed_since(str(folder), "HEAD") == {str(folder / "a.py"), str(trap)}
    assert not (tmp_path / "sprung").exists()
