"""What a model decides in Kilo Code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("model", "changes_files"),
    [
        (None, ["edit", "write"]),
        ("anthropic/claude-sonnet-4-5", ["edit", "write"]),
        ("openai/gpt-5", ["apply_patch", "write"]),
        ("openai/gpt-4o", ["edit", "write"]),
        ("openai/o3", ["edit", "write"]),
        ("groq/openai/gpt-oss-120b", ["edit", "write"]),
    ],
)
def test_the_tools_that_change_files(tmp_path: Path, model: str | None, changes_files: list[str]) -> None:
    tools = preview(tmp_path, "kilo-code", {}, model=model).tools or ()
    assert [each.name for each in tools if each.name in {"apply_patch", "edit", "write"}] == changes_files


def test_the_definition_of_bash_names_the_directory_for_temporary_files(tmp_path: Path) -> None:
    def size(name: str, directory: str) -> int:
        tools = preview(tmp_path / name, "kilo-code", {}, env={"TMPDIR": directory}).tools or ()
        (found,) = (each.size for each in tools if each.name == "bash")
        assert found is not None
        return found

    assert size("b", "/var/me/more") == size("a", "/var/me") + len("/more")
