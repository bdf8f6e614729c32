"""Mistral Vibe: which folder it asks about where nobody has decided yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, outcome, preview

pytestmark = pytest.mark.same_everywhere


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


@pytest.mark.parametrize(
    ("text", "is_known"),
    [("x" * 64_000, True), ("x" * 64_001, False), ("x\n" * 2000, True), ("x\n" * 2001, False), ("", True)],
    ids=["bytes", "too many bytes", "lines", "too many lines", "empty"],
)
def test_a_file_that_is_read_whole(tmp_path: Path, text: str, *, is_known: bool) -> None:
    prompt = preview(tmp_path, "mistral-vibe", {"a.txt": text}, reads=("a.txt",))
    (answer,) = [each for each in prompt.messages if each.role == "tool"]
    assert (answer.segments[0].elided is None) is is_known
