"""Mistral Vibe: which folder it asks about where nobody has decided yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, outcome, preview


@pytest.mark.parametrize(
    ("git", "above"), [(".git/HEAD", "outside"), (".git/config", "loaded"), (".git", "loaded"), ("HEAD", "loaded")]
)
def test_it_asks_about_the_nearest_repository(tmp_path: Path, git: str, above: str) -> None:
    """One has a directory .git with a HEAD, as the folder itself has."""
    files: Files = {f"repo/{git}": "x", "AGENTS.md": "above", "repo/AGENTS.md": "x", "repo/pkg/AGENTS.md": "below"}
    prompt = preview(tmp_path, "mistral-vibe", files, cwd="repo/pkg")
    assert outcome(prompt, "folder/AGENTS.md") == above
    assert outcome(prompt, "repo/AGENTS.md") == "loaded"
    assert outcome(prompt, "pkg/AGENTS.md") == "loaded"
