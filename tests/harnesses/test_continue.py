"""Continue: front matter of a rule that says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import preview, text_of

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize("matter", ["", "\n", "# nothing\n", "{}\n"])
def test_a_rule_with_empty_front_matter_is_sent_without_it(tmp_path: Path, matter: str) -> None:
    name = ".continue/rules/x.md"
    assert text_of(preview(tmp_path, "continue", {name: f"---\n{matter}---\nBe kind.\n"}), name) == "Be kind."
