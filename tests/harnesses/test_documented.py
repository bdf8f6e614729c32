"""Programs without a preview, and folders .agents: what is said of a file."""

from __future__ import annotations

import pytest

from promptls.harnesses.agents_folder import in_agents
from promptls.harnesses.documented import PROGRAMS, said_of

pytestmark = pytest.mark.same_everywhere
TOP, HOME = "/w/shop", "/home/me"


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/w/shop/AGENTS.md", ["amp", "junie", "kiro", "roo-code", "warp", "windsurf", "zed"]),
        ("/w/shop/api/AGENTS.md", ["amp", "warp", "windsurf"]),
        ("/w/shop/CLAUDE.md", ["amp", "zed"]),
        ("/w/shop/.roo/rules/a/b.md", ["roo-code"]),
        ("/w/shop/.roo/rules-code/b.md", ["roo-code"]),
        ("/w/shop/api/.windsurf/rules/x.md", ["windsurf"]),
        ("/w/shop/.kiro/steering/x.md", ["kiro"]),
        ("/w/shop/.rules", ["zed"]),
        ("/home/me/.kiro/steering/x.md", ["kiro"]),
        ("/home/me/.config/AGENTS.md", ["amp"]),
        ("/home/me/AGENTS.md", []),
        ("/w/shop/README.md", []),
    ],
)
def test_who_reads_a_file_by_documentation(path: str, names: list[str]) -> None:
    assert [each.program.name for each in said_of(path, TOP, HOME)] == names


def test_a_nested_file_is_told_by_its_own_row() -> None:
    said = {each.program.name: each.when for each in said_of("/w/shop/api/AGENTS.md", TOP, HOME)}
    assert said["windsurf"] == "once a file in its folder is read or edited"


def test_each_program_has_an_address_for_what_is_said() -> None:
    assert all(each.sources and all(source.startswith("https://") for source in each.sources) for each in PROGRAMS)
    assert [each.name for each in PROGRAMS] == sorted(each.name for each in PROGRAMS)


def test_who_read_a_file_of_a_folder_agents() -> None:
    skill = in_agents("/w/shop/.agents/skills/x/SKILL.md", HOME)
    assert skill is not None
    assert "codex" in skill.read_by
    assert "claude-code" in skill.not_read_by
    assert next(skill.lines()).startswith(
        "Recorded requests, started in the folder that has it: .agents/skills/*/SKILL.md is read by "
    )
    at_home = in_agents("/home/me/.agents/AGENTS.md", HOME)
    assert at_home is not None
    assert at_home.place == "~/.agents/AGENTS.md"
    assert in_agents("/w/shop/.agents/notes.txt", HOME) is None
    assert in_agents("/w/shop/AGENTS.md", HOME) is None
