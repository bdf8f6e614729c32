from __future__ import annotations

from pathlib import Path

import pytest

import promptls.harnesses  # noqa: F401 - the names are theirs
from promptls.checks.names import is_apart
from promptls.core.host import Host
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("CLAUDE.md", False),
        ("web/CLAUDE.md", False),
        (".claude/CLAUDE.md", False),
        ("web/.claude/rules/a.md", False),
        ("templates/CLAUDE.md", True),
        ("templates/web/.claude/rules/a.md", True),
        (".tool/web/AGENTS.md", True),
        ("skills/pdf/AGENTS.md", True),
        ("skills/pdf/forms/notes.md", True),
        ("skills/AGENTS.md", False),
        ("templates/notes.md", True),
    ],
)
# What the folder itself is called, or what it lies in, does not matter.
@pytest.mark.parametrize("root", ["template/app", "app-template", ".tool"])
def test_what_is_part_of_a_skill_or_template(tmp_path: Path, root: str, path: str, *, expected: bool) -> None:
    folder = lay_out(tmp_path / root, {"skills/pdf/SKILL.md": "---\nname: pdf\n---\n"})
    host = Host(home="/h", env={})
    assert is_apart(f"{folder}/{path}", host, str(folder)) is expected
    assert is_apart(f"{folder}/{path}", host, f"{folder}/") is expected
