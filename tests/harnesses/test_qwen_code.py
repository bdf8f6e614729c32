"""Qwen Code: what becomes of settings that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("name", "text", "ends"),
    [
        ("~/.qwen/settings.json", "{}", False),
        ("~/.qwen/settings.json", "{", True),
        ("~/.qwen/settings.json", "[]", True),
        (".qwen/settings.json", "{", False),
        (".qwen/settings.json", "[]", True),
    ],
)
def test_only_broken_json_of_the_folder_does_not_end_it(tmp_path: Path, name: str, text: str, *, ends: bool) -> None:
    prompt = preview(tmp_path, "qwen-code", {name: text})
    assert (prompt.stopped is not None) is ends
