"""Who leaves out what a folder has as long as nobody trusts it: without a word on disk, the session decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, outcome, preview


@pytest.mark.parametrize(
    ("harness", "file", "without"),
    [
        ("pi", ".pi/SYSTEM.md", "excluded"),
        ("codex", ".codex/config.toml", "excluded"),
        ("qwen-code", "QWEN.md", "loaded"),
        ("claude-code", "CLAUDE.md", "loaded"),
    ],
)
def test_a_session_says_whether_its_folder_is_trusted(tmp_path: Path, harness: str, file: str, without: str) -> None:
    files: Files = {file: "model = 'x'\n"}
    assert outcome(preview(tmp_path / "yes", harness, files, is_trusted=True), f"folder/{file}") == "loaded"
    assert outcome(preview(tmp_path / "no", harness, files, is_trusted=False), f"folder/{file}") == without
