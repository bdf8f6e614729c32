"""``promptls harnesses --use``, and what ``check`` does with AGENTS.md alone."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from promptls.cli import main
from promptls.workspace.choice import with_choice
from tests.cli.conftest import Check, below_session, reported
from tests.folder import lay_out

PACKAGE = '{"name": "@anthropic-ai/claude-code", "version": "2.1.200"}'
LONG = "# Rules\n\n" + "".join(f"- Rule {number}: name things once, and test what you say.\n" for number in range(800))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'harnesses = ["codex"]\n'),
        ("[rules]\ncut = 'off'\n", "harnesses = [\"codex\"]\n[rules]\ncut = 'off'\n"),
        ('exclude = ["a"] # b\r\n', 'harnesses = ["codex"]\r\nexclude = ["a"] # b\r\n'),
        ('a = 1\nharnesses = [\n  "x", # y\n]\nb = 2\n', 'a = 1\nharnesses = ["codex"]\nb = 2\n'),
        ("\ufeffa = 1\n", '\ufeffharnesses = ["codex"]\na = 1\n'),
    ],
)
def test_the_choice_is_written_and_the_rest_stays(before: str, after: str) -> None:
    assert with_choice(before, ["codex"]) == after
    assert with_choice(after, ["codex"]) == after
    if "harnesses" not in before:
        assert with_choice(after, None) == before
    assert with_choice(before, None) == before.replace('harnesses = [\n  "x", # y\n]\n', "")


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[project]\nname = 'x'\n",
        "[tool.promptls]\nagent = 'x'\n[tool.other]\ny = 1\n",
        "[tool.promptls]",
        "[tool.promptls.rules]\ncut = 'off'\n",
        "[tool.promptls]\nharnesses = ['a']\n",
    ],
)
def test_the_choice_in_pyproject(before: str) -> None:
    after = with_choice(before, ["codex", "cursor"], is_shared=True)
    own = tomllib.loads(after)
    assert own["tool"]["promptls"].pop("harnesses") == ["codex", "cursor"]
    was = tomllib.loads(before)
    was.setdefault("tool", {}).setdefault("promptls", {}).pop("harnesses", None)
    assert own == was


def test_what_is_no_toml_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"promptls.toml": "harnesses = [\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["harnesses", "--use", "codex"]) == 2
    assert "is not valid TOML" in capsys.readouterr().err
    assert (folder / "promptls.toml").read_text(encoding="utf-8") == "harnesses = [\n"


def test_a_choice_of_the_repository_and_one_of_the_user(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "rules\n", "api/a.py": ""})
    monkeypatch.chdir(folder / "api")

    def used() -> list[str]:
        assert main(["harnesses", "--format", "json"]) == 0
        known = json.loads(capsys.readouterr().out)
        return [each["name"] for each in known["harnesses"] if each["found"]]

    assert "cursor" in used()
    assert main(["harnesses", "--use", "codex, opencode", "--user"]) == 0
    assert (home / ".config/promptls/promptls.toml").read_text(
        encoding="utf-8"
    ) == 'harnesses = ["codex", "opencode"]\n'
    assert "for all your folders" in capsys.readouterr().out
    assert set(used()) == {"opencode", "codex"}
    assert main(["harnesses", "--use", "learn-claude-code"]) == 0
    assert (folder / "promptls.toml").exists()
    capsys.readouterr()
    assert set(used()) == {"opencode", "codex", "learn-claude-code"}
    assert main(["harnesses", "--use", ""]) == 0
    capsys.readouterr()
    assert set(used()) == {"opencode", "codex"}


@pytest.mark.parametrize(
    ("args", "says"),
    [(["--use", "nosuch"], "nosuch"), (["--use", "codex@9"], "9"), (["--user"], "--user needs --use")],
)
def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], says: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert main(["harnesses", *args]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "promptls.toml").exists()


def test_rare_ones_are_listed_when_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(lay_out(tmp_path, {"AGENTS.md": ""}))
        main(["harnesses"])
        brief = capsys.readouterr().out
        main(["harnesses", "--all"])
    assert "agent-core  " not in brief
    assert len(brief.splitlines()) < 10
    assert "opencode  opencode · set up here: AGENTS.md · promptls shows 1.18.33 (captured)" in brief
    assert "aider" in brief.splitlines()[-1]
    assert "“promptls harnesses --all” says what each loads." in brief.splitlines()[-1]
    assert "agent-core  " in capsys.readouterr().out


@pytest.mark.parametrize("beside", [{}, {"CLAUDE.md": "x"}, {".cursor/rules/a.mdc": ""}])
def test_a_cut_by_codex_is_reported_for_agents_md_alone(tmp_path: Path, check: Check, beside: dict[str, str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": LONG, **beside})
    assert ("AGENTS.md", 623, "cut") in reported(check(folder))
    lay_out(folder, {"promptls.toml": 'harnesses = ["opencode"]\n'}, git=False)
    assert "cut" not in {code for _, _, code in reported(check(folder))}


def test_what_agents_md_counts_for_says_nothing_of_other_files(tmp_path: Path, check: Check) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "See @CLAUDE.md\n", "CLAUDE.md": "See AGENTS.md.\n"})
    assert [path for path, _, _ in reported(check(folder)) if path != "AGENTS.md"] == []


def test_check_says_how_to_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n"})
    main(["check", str(folder), "--no-network"])
    found = capsys.readouterr()
    # Not on standard output, which editors and scripts read.
    assert found.out == ""
    [_, line] = below_session(found.err)
    assert line.startswith("promptls: AGENTS.md is read by opencode, claude-code, codex, ")
    assert "“promptls harnesses --use opencode,claude-code”" in line
    lay_out(folder, {"promptls.toml": 'harnesses = ["codex"]\n'}, git=False)
    main(["check", str(folder), "--no-network"])
    assert "AGENTS.md is read by" not in capsys.readouterr().err


def test_the_version_that_is_shown_is_that_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CI")
    package = "home/npm/lib/node_modules/@anthropic-ai/claude-code"
    lay_out(tmp_path, {f"{package}/package.json": PACKAGE, f"{package}/cli.js": "", "project/a.py": ""})
    (tmp_path / "home/bin").mkdir()
    (tmp_path / "home/bin/claude").symlink_to(tmp_path / package / "cli.js")
    (tmp_path / package / "cli.js").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path}/home/bin:/usr/bin")
    monkeypatch.chdir(tmp_path / "project")
    assert main(["harnesses"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("claude-code  Claude Code · 2.1.200 installed · promptls shows 2.1.197 (captured)\n")
