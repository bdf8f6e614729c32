from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.harnesses.explain import Explanation, explain
from tests.folder import lay_out


def told(folder: Path, file: str) -> dict[str, Explanation]:
    found = explain(str(folder / file), lambda: Host(home=str(folder / "home"), env={}), str(folder))
    return {each.harness: each for each in found}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root",
            "CLAUDE.md": "claude",
            "api/AGENTS.md": "api",
            "api/app.py": "x",
            "docs/style.md": "style",
            "etcode.json": {"instructions": ["docs/style.md"]},
        },
    )


def test_loaded_at_start(folder: Path) -> None:
    [use] = told(folder, "AGENTS.md")["opencode"].uses
    assert (use.cwd, use.at, use.role) == (str(folder), "start", "system")


def test_loaded_from_its_own_directory_and_on_read(folder: Path) -> None:
    uses = told(folder, "api/AGENTS.md")["opencode"].uses
    assert [(use.cwd, use.at, use.role) for use in uses] == [
        (str(folder / "api"), "start", "system"),
        (str(folder), "read", "tool"),
    ]


def test_hidden_by_another_file(folder: Path) -> None:
    explained = told(folder, "CLAUDE.md")["opencode"]
    assert explained.uses == ()
    assert (explained.outcome, explained.other) == ("shadowed", str(folder / "AGENTS.md"))
    assert "AGENTS.md exists from here to the worktree root" in explained.why


def test_never_looked_for(folder: Path) -> None:
    explained = told(folder, "CLAUDE.md")["etcode"]
    assert explained.uses == ()
    assert explained.why == "etcode does not look for a file of this name in this place"


def test_named_by_a_configuration(folder: Path) -> None:
    assert [use.at for use in told(folder, "docs/style.md")["etcode"].uses] == ["start"]
    assert told(folder, "docs/style.md")["opencode"].uses == ()


def test_the_harnesses_of_the_workspace_come_first(folder: Path) -> None:
    found = list(told(folder, "AGENTS.md").values())
    assert [each.harness for each in found if each.is_found] == ["etcode", "claude-code"]
    assert [each.is_found for each in found[:3]] == [True, True, False]


def test_what_a_change_of_the_file_costs(folder: Path) -> None:
    (folder / "AGENTS.md").write_text("x" * 400, encoding="utf-8")
    [root] = told(folder, "AGENTS.md")["etcode"].uses
    [style] = told(folder, "docs/style.md")["etcode"].uses
    assert root.of == style.of
    assert style.invalidates < 100 <= root.invalidates < root.of
