"""Which harnesses matter at a place: files of their own, AGENTS.md, and what the settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.habits import Habits, Own
from promptls.core.host import Host
from promptls.core.settings import Settings
from promptls.sessions.detect import choose, concerned, detect, in_use, is_undecided, versions
from promptls.workspace.settings_file import find
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
BY_AGENTS = list(harnesses.read_agents())


def names(folder: Path, place: str = ".", settings: Settings = Settings()) -> list[str]:  # noqa: B008 - it never changes
    host = Host(home=f"{folder}/home", env={})
    return [each.name for each in in_use(host, str((folder / place).resolve()), str(folder), settings)]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["README.md"], []),
        (["AGENTS.md"], BY_AGENTS),
        (["CLAUDE.md", "AGENTS.md"], ["claude-code", *(each for each in BY_AGENTS if each != "claude-code")]),
        (["opencode.json", "AGENTS.md"], ["opencode"]),
        (["etcode.json", "AGENTS.md"], ["etcode"]),
        ([".codex/config.toml", "AGENTS.md", "CLAUDE.md"], ["claude-code", "codex"]),
        (["GEMINI.md"], ["gemini-cli"]),
        (["a/AGENTS.md"], []),
    ],
)
def test_agents_md_counts_for_all_that_read_it(tmp_path: Path, files: list[str], expected: list[str]) -> None:
    assert names(lay_out(tmp_path, dict.fromkeys(files, ""))) == expected


def test_the_nearest_agents_md_is_the_evidence(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "", "a/AGENTS.md": "", "a/b/c.py": ""})
    host = Host(home=f"{folder}/home", env={})
    found = in_use(host, f"{folder}/a/b", str(folder))
    assert {each.evidence for each in found} == {(f"{folder}/a/AGENTS.md",)}
    assert detect(host, f"{folder}/a/b", str(folder)) == []
    assert is_undecided(found, Settings())


def test_what_is_chosen_is_all_that_matters(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "", "CLAUDE.md": "", ".cursor/rules/a.mdc": ""})
    settings = Settings(harnesses=("codex@0.169.0", "cursor", "nosuch"))
    assert names(folder, settings=settings) == ["cursor", "codex"]
    found = in_use(Host(home=f"{folder}/home", env={}), str(folder), str(folder), settings)
    assert versions(found, settings) == ["cursor", "codex@0.169.0"]
    assert choose(found, settings) == "cursor"
    assert not is_undecided(found, settings)


def test_what_is_shown_is_in_use_and_leaves_agents_md_to_nobody_else(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "", "CLAUDE.md": ""})
    assert names(folder, settings=Settings(harness="gemini-cli")) == ["claude-code", "gemini-cli"]


def test_other_files_than_agents_md_matter_to_those_with_files_of_their_own(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "", "CLAUDE.md": "", "notes.md": ""})
    host = Host(home=f"{folder}/home", env={})
    found = in_use(host, str(folder), str(folder))
    assert [each.name for each in concerned(found, f"{folder}/CLAUDE.md", host)] == ["claude-code"]
    assert concerned(found, f"{folder}/AGENTS.md", host) == found
    (folder / "RULES.md").symlink_to("AGENTS.md")
    assert concerned(found, f"{folder}/RULES.md", host) == found


def test_what_the_user_has_chosen_is_no_setting_of_the_folder(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path,
        {"project/a.py": "", "home/.config/promptls/promptls.toml": 'harnesses = ["codex"]\nmodel = "not read here"\n'},
    )
    project = str(folder / "project")

    def settings() -> Settings:
        return find(Host(home=f"{folder}/home", env={}), project, project).settings

    # It counts as a habit: what a team shares does not hang on it (tests/harnesses/test_habits.py).
    assert settings() == Settings()
    (folder / "project/promptls.toml").write_text('harnesses = ["cursor"]\n', encoding="utf-8")
    assert settings() == Settings(harnesses=("cursor",))


def test_what_stands_near_a_file_does_not_change_the_program_that_is_shown(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "", "sdk/CLAUDE.md": "", "sdk/a.py": ""})
    host = Host(home=f"{folder}/home", env={})
    habits = Habits((Own("opencode", home=("x",)), Own("claude-code", home=("x",))))
    for directory in (folder, folder / "sdk"):
        found = in_use(host, str(directory), str(folder), habits=habits, start=str(folder))
        assert [each.name for each in found] == ["opencode", "claude-code"]
