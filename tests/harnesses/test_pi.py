"""Pi: what the command line adds to its system prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ((), "of the file"),
        (("",), "of the file"),
        (("one",), "one"),
        (("", "two"), "two"),
        (("one", "", "two"), "one\n\ntwo"),
        (("blank.md", "two"), "two"),
    ],
)
def test_an_empty_text_adds_nothing(tmp_path: Path, given: tuple[str, ...], added: str) -> None:
    files: Files = {"~/.pi/agent/APPEND_SYSTEM.md": "of the file", "blank.md": ""}
    args = tuple(each for text in given for each in ("--append-system-prompt", text))
    (system,) = [each.text for each in preview(tmp_path, "pi", files, args=args).messages if each.role == "system"]
    assert f"<addendum>\n{added}\n</addendum>" in system
