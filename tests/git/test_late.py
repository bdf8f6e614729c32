"""A git that never answers: it is waited for once, and everything goes on without it."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import pytest

from promptls import git
from promptls.errors import UsageError
from promptls.git.listing import Listing, changed_since
from promptls.git.state import state
from tests.folder import lay_out

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program is a script")


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which each start of a git that hangs is a line."""
    starts, program = tmp_path / "starts", tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >>{quote(str(starts))}\nexec sleep 1000\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(git, "LIMIT", 0.5)
    return starts


def test_one_limit_for_all_answers(tmp_path: Path, starts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(lay_out(tmp_path / "project", {"AGENTS.md": "rules\n"}))
    with Listing(folder) as listing:
        assert listing.files() == [f"{folder}/AGENTS.md"]
        assert listing.note == f"git does not answer, so the files of {folder} are listed without git."
    asked = len(starts.read_text(encoding="utf-8").splitlines())
    with Listing(folder) as listing:
        assert listing.files() == [f"{folder}/AGENTS.md"]
        assert listing.note is not None
    assert state(folder) is None
    with pytest.raises(
        UsageError, match=r"git does not answer, so HEAD cannot be compared; check everything without --changed\."
    ):
        changed_since(folder, "HEAD")
    assert len(starts.read_text(encoding="utf-8").splitlines()) == asked
    # Later it is asked again.
    monkeypatch.setattr(git, "REST", 0.0)
    assert git.obstacle(folder) is None
