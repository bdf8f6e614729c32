"""Pi: what the command line changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere


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


@pytest.mark.parametrize(
    ("args", "is_known"), [((), True), (("--tools", "read"), False), (("--no-tools",), False), (("--approve",), True)]
)
def test_the_tools_that_are_chosen_are_not_known(tmp_path: Path, args: tuple[str, ...], *, is_known: bool) -> None:
    prompt = preview(tmp_path, "pi", {}, args=args)
    assert (prompt.tools is not None) is is_known
    first = prompt.messages[0].segments[0]
    assert first.elided is not None
    assert (first.elided.size is not None) is is_known
