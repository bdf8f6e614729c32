"""Droid: which options of its command line change the tools and its own text."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Prompt, Turn
from tests.harnesses.shown import Files, preview, segments

pytestmark = pytest.mark.same_everywhere


def _tools(prompt: Prompt) -> list[str]:
    return [each.name for each in prompt.tools or ()]


def test_the_command_line_chooses_tools(tmp_path: Path) -> None:
    """As verify saw it: without the tool for skills, these are not listed."""
    files: Files = {".agents/skills/a/SKILL.md": "---\nname: a\ndescription: MARK-a\n---\nx\n"}
    only = preview(tmp_path, "droid", files, args=("--only-tools", "Read,Grep"))
    assert (_tools(only), "MARK-a" in str(only)) == (["Grep", "Read"], False)
    more = preview(tmp_path / "b", "droid", files, args=("--only-tools", "Read", "--add-tools", "Skill"))
    assert (_tools(more), "MARK-a" in str(more)) == (["Read", "Skill"], False)
    less = preview(tmp_path / "c", "droid", files, args=("--remove-tools", "Execute"))
    assert "Execute" not in _tools(less)
    assert {*_tools(less), "Execute"} == {*_tools(preview(tmp_path / "d", "droid", files))}


def test_the_mode_for_specifications(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "droid", {}, args=("--use-spec",), version="0.215.0")
    assert {each.name: each.size for each in prompt.tools or ()}["ExitSpecMode"] == 1508
    assert "spec mode" in [each.title.partition(" of ")[0] for each in segments(prompt)]


def test_a_line_more_stands_before_what_is_appended(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "droid", {}, args=("--append-system-prompt", "x"), version="0.215.0")
    first = prompt.messages[0].segments[0].elided
    assert first is not None
    assert first.size_offline == 4084 + len("\n")


def test_what_is_named_has_a_part_that_says_so(tmp_path: Path) -> None:
    files: Files = {"docs/a.md": "MARK-a\n", "pkg/b.md": ""}
    prompt = preview(tmp_path, "droid", files, turns=(Turn("see @docs/a.md and @pkg"),))
    texts = [each.text.replace(str(tmp_path / "folder"), "~") for each in prompt.messages if each.index == 1]
    places = [each for each in texts if "tagged" in each or "Contents of" in each]
    assert [each.splitlines()[1:2] for each in places] == [
        ["User tagged file: ~/docs/a.md"],
        ["Contents of ~/docs/a.md (lines 1\u20132 of 2):"],
        ["User tagged directory: ~/pkg"],
        ["Contents of directory ~/pkg (⟪entries of ~/pkg of Droid: not reproduced⟫"],
    ]
