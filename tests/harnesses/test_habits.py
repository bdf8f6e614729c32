"""What the machine knows of its user: by lookups of PATH, homes and records, and nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.habits import Habits, Recent, Records
from promptls.core.host import Host
from promptls.core.model import Session
from promptls.core.settings import Settings
from promptls.sessions.detect import Detected
from promptls.sessions.habits import habits_of
from promptls.sessions.session_facts import session_facts
from tests.folder import lay_out

FOLDER = "/work/project"


def host_of(tmp_path: Path, *recent: Recent, **env: str) -> Host:
    """A host of the home in ``tmp_path`` with the directories ``bin`` and ``bin2`` on PATH."""
    path = f"{tmp_path / 'bin'}:{tmp_path / 'bin2'}"
    return Host(home=str(tmp_path / "home"), env={"PATH": path, **env}, records=lambda _folder: Records(recent))


def names(habits: Habits) -> list[str]:
    return list(habits.names())


def test_the_most_usual_user_has_only_a_file_in_the_home_directory(tmp_path: Path) -> None:
    lay_out(tmp_path, {"home/.claude/CLAUDE.md": "Use tabs."})
    found = habits_of(host_of(tmp_path), FOLDER)
    assert names(found) == ["claude-code"]
    assert found.own[0].home == (str(tmp_path / "home/.claude/CLAUDE.md"),)
    assert (found.own[0].is_gone, found.is_clear) == (True, True)


def test_skills_that_another_tool_has_installed_show_no_user(tmp_path: Path) -> None:
    lay_out(tmp_path, {"home/.claude/skills/x/SKILL.md": "x", "home/.codex/skills/x/SKILL.md": "x"})
    assert habits_of(host_of(tmp_path), FOLDER).own == ()


def test_the_environment_moves_homes(tmp_path: Path) -> None:
    lay_out(tmp_path, {"c/CLAUDE.md": "x", "x/opencode/opencode.json": "{}", "g/.gemini/GEMINI.md": "x"})
    env = {"CLAUDE_CONFIG_DIR": "c", "XDG_CONFIG_HOME": "x", "GEMINI_CLI_HOME": "g"}
    found = habits_of(host_of(tmp_path, **{name: str(tmp_path / at) for name, at in env.items()}), FOLDER)
    assert set(names(found)) == {"claude-code", "opencode", "gemini-cli"}


def test_the_last_one_used_here_comes_before_what_is_installed(tmp_path: Path) -> None:
    lay_out(tmp_path, {"bin/opencode": "x", "home/.codex/sessions/x": "", "home/.claude/projects/x": ""})
    recent = [
        Recent("codex", FOLDER, "2026-11-20T00:00:00Z"),
        Recent("claude-code", FOLDER, "2026-11-22T00:00:00Z", "2.1.330", model="opus"),
    ]
    found = habits_of(host_of(tmp_path, *recent), FOLDER)
    assert names(found) == ["claude-code", "codex", "opencode"]
    assert found.is_clear
    assert found.own[0].recent == recent[1]


def test_without_a_home_nobody_asks_for_records(tmp_path: Path) -> None:
    def fail(folder: str) -> Records:
        raise AssertionError(folder)

    host = Host(home=str(tmp_path), env={}, records=fail)
    assert habits_of(host, FOLDER) == Habits()


def test_the_first_command_on_path_is_the_one_that_starts(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "a/package.json": {"name": "@openai/codex", "version": "0.169.0"},
            "b/package.json": {"name": "@openai/codex", "version": "0.150.0"},
            "a/codex": "x",
            "b/codex": "x",
        },
    )
    for number, of in (("", "a"), ("2", "b")):
        (tmp_path / f"bin{number}").mkdir()
        (tmp_path / f"bin{number}/codex").symlink_to(tmp_path / of / "codex")
    own = habits_of(host_of(tmp_path), FOLDER).own[0]
    assert (own.version, own.command, own.others) == (
        "0.169.0",
        str(tmp_path / "bin/codex"),
        (str(tmp_path / "bin2/codex"),),
    )


@pytest.mark.parametrize(
    ("target", "version"),
    [
        ("share/claude/versions/2.1.330", "2.1.330"),
        ("Caskroom/claude/2.1.330/claude", "2.1.330"),
        ("versions/node/v22.1.0/bin/claude", ""),
        ("shims/claude", ""),
    ],
)
def test_a_version_is_read_of_the_place_where_an_installer_puts_it(tmp_path: Path, target: str, version: str) -> None:
    lay_out(tmp_path, {target: "x"})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/claude").symlink_to(tmp_path / target)
    own = habits_of(host_of(tmp_path), FOLDER).own[0]
    assert (own.harness, own.version) == ("claude-code", version)


def test_a_link_that_an_uninstalled_program_has_left_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/codex").symlink_to(tmp_path / "gone/codex")
    assert habits_of(host_of(tmp_path), FOLDER).own == ()


@pytest.mark.parametrize("ci", ["true", "1"])
def test_nothing_is_looked_for_where_ci_is_set(tmp_path: Path, ci: str) -> None:
    lay_out(tmp_path, {"home/.claude/CLAUDE.md": "x"})
    host = host_of(tmp_path, CI=ci)
    assert habits_of(host, FOLDER).own == ()
    assert not host.looked_at()


def test_what_the_user_has_said_counts_for_all_that_is_found(tmp_path: Path) -> None:
    lay_out(tmp_path, {"home/.claude/CLAUDE.md": "x", "bin/codex": "x"})
    found = habits_of(host_of(tmp_path), FOLDER, ["gemini@0.61.0", "codex"])
    assert names(found) == ["gemini-cli", "codex"]
    assert found.own[0].chosen == "gemini-cli@0.61.0"
    assert names(habits_of(host_of(tmp_path), FOLDER, ["codex"], is_on=False)) == ["codex"]


def test_a_folder_does_not_say_what_is_installed(tmp_path: Path) -> None:
    lay_out(tmp_path, {"bin/codex": "x"})
    assert habits_of(host_of(tmp_path), str(tmp_path / "bin")).own == ()
    # A home directory that is a repository is the user's all the same.
    lay_out(tmp_path, {"home/bin/codex": "x"}, git=False)
    host = Host(home=str(tmp_path / "home"), env={"PATH": str(tmp_path / "home/bin")})
    assert names(habits_of(host, str(tmp_path))) == ["codex"]
    assert names(habits_of(host, str(tmp_path / "home/bin"))) == []


def test_an_answer_holds_until_something_of_the_user_changes(tmp_path: Path) -> None:
    lay_out(tmp_path, {"home/.codex/sessions/x": ""})
    kept: list[Recent] = []
    host = Host(home=str(tmp_path / "home"), env={}, records=lambda _folder: Records(tuple(kept)))
    habits_of(host, FOLDER)
    buffers = host._buffers
    assert host.is_current(buffers)
    kept.append(Recent("codex", FOLDER))
    assert not host.is_current(buffers)
    kept.clear()
    lay_out(tmp_path, {"home/.claude/CLAUDE.md": "x"}, git=False)
    assert not host.is_current(buffers)


def test_one_that_was_used_last_and_is_not_there_any_more_is_assumed(tmp_path: Path) -> None:
    lay_out(tmp_path, {"bin/opencode": "x", "home/.codex/sessions/x": ""})
    found = habits_of(host_of(tmp_path, Recent("codex", FOLDER, "2026-11-20T00:00:00Z")), FOLDER)
    assert names(found) == ["codex", "opencode"]
    prompt = harnesses.preview(Session("codex", FOLDER), host_of(tmp_path))
    told = session_facts(prompt, Settings(), [Detected("codex", (), is_own=True)], found)
    assert told.assumed == "assumed, as you used it here last, though it is not on your PATH"
