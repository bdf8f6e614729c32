"""``promptls`` alone, with a file and with a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from tests.folder import lay_out
from tests.limits import at_most
from tests.newest import newest
from tests.repository import commit

Run = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "Use tabs.\n" * 8000,
            "CLAUDE.md": "See docs.\n" * 8,
            ".codex/config.toml": "",
            "api/AGENTS.md": "api rules\n",
            "api/CLAUDE.md": "api rules\n",
            "api/app.py": "print()\n",
        },
    )
    commit(folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command that must succeed and say nothing else; returns what it writes."""

    def run(*args: str) -> str:
        with at_most(10):
            code = main(list(args))
        out, err = capsysbinary.readouterr()
        assert (code, err) == (0, b"")
        return out.decode("utf-8")

    return run


def cells(found: dict[str, Any]) -> dict[str, list[Any]]:
    return {row["names"][0]: [cell and (cell["at"], cell["cut"]) for cell in row["cells"]] for row in found["rows"]}


def test_alone_it_shows_files_by_harness_problems_and_what_to_do_next(run: Run, folder: Path) -> None:
    shown = run()
    lines = shown.splitlines()
    assert lines[0].startswith(f"Claude Code {newest('claude-code')} (newest known) · started in . · print · ")
    assert lines[1] == f"also Codex {newest('codex')}"
    assert lines[2].split() == ["started", "in", "project", "claude-code", "codex"]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    assert rows["AGENTS.md"][0] == "-"
    assert rows["AGENTS.md"][1].endswith("!")
    assert rows["CLAUDE.md"][1] == "-"
    assert rows["api/CLAUDE.md"][1] == "-"
    assert rows["api/CLAUDE.md"][0].endswith("*")
    assert "! cut by a limit" in shown
    assert " warning cut: codex " in shown
    assert "promptls preview --harness claude-code" in shown
    assert "promptls check" in shown
    assert str(folder) not in shown


def test_it_is_about_a_start_where_one_stands(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "api")
    here = json.loads(run("--format", "json"))
    assert (here["root"], here["repository"]) == (str(folder / "api"), str(folder))
    assert json.loads(run(".", "--format", "json"))["root"] == str(folder / "api")
    assert json.loads(run("preview", "--format", "json"))["session"]["cwd"] == str(folder / "api")
    assert "promptls ..   " in run()
    assert json.loads(run("..", "--format", "json"))["root"] == str(folder)


@pytest.mark.usefixtures("folder")
def test_a_file_in_hand(run: Run) -> None:
    found = json.loads(run("api/app.py", "--format", "json"))
    files = {name: row for name, row in cells(found).items() if name.endswith(".md")}
    assert {name.rpartition("project/")[2]: row for name, row in files.items()} == {
        "AGENTS.md": [None, ("start", True)],
        "CLAUDE.md": [("start", False), None],
        "api/CLAUDE.md": [("read", False), None],
    }
    totals = [sum(row["cells"][at]["tokens"] or 0 for row in found["rows"] if row["cells"][at]) for at in range(2)]
    assert totals == [column["tokens"] for column in found["columns"]]
    assert "\napi/app.py  " in run("api/app.py")


def test_a_file_that_git_knows_and_that_is_gone_shows_no_harness(run: Run, folder: Path) -> None:
    (folder / "GEMINI.md").write_text("Be brief.\n")
    commit(folder)
    assert "gemini-cli" in run()
    (folder / "GEMINI.md").unlink()
    assert "gemini-cli" not in run()
    assert "gemini-cli" not in run("map")


@pytest.mark.usefixtures("folder")
def test_only_the_harness_that_is_asked_for(run: Run) -> None:
    for args in ((), ("api/app.py",)):
        found = json.loads(run(*args, "--harness", "opencode", "--format", "json"))
        assert [each["harness"] for each in found["columns"]] == ["opencode"]


@pytest.mark.usefixtures("folder")
def test_the_problems_are_those_of_a_check(run: Run, check: Callable[..., dict[str, Any]]) -> None:
    found = json.loads(run("--format", "json"))
    checked = check()["problems"]
    assert found["problems"] == len(checked)
    assert {each["code"] for each in found["worst"]} <= {each["code"] for each in checked}


def test_what_does_not_fit_side_by_side_follows_below(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        f"{'long' * 20}/{number:02}/AGENTS.md": "x" for number in range(30)
    }
    folder = lay_out(tmp_path / "wide", {**files, "AGENTS.md": "root\n", ".git/HEAD": ""})
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    shown = run()
    assert "…" in shown
    assert " more files" in shown
    assert shown.count("started in wide") > 1
    assert "\npromptls harnesses --use opencode,claude-code\n    choose " in shown
    assert max(map(len, shown.split("\n\n")[0].splitlines()[:22])) <= 80


def test_without_a_harness_it_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path / "plain", {"a.py": "1\n", ".git/HEAD": ""})
    monkeypatch.chdir(folder)
    assert run().startswith("No coding agent is set up here")


def test_outside_of_a_repository_the_help_is_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run() == run("help") == run("--help") == run("-h")


def test_the_next_commands_can_be_typed_as_they_are(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": "root\n",
        "CLAUDE.md": "@AGENTS.md\n",
        "my docs/CLAUDE.md": "See @gone.md\n",
        "my docs/a.py": "1\n",
        ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nrule\n",
    }
    monkeypatch.chdir(lay_out(tmp_path / "project", files))
    steps = [line for line in run().splitlines() if line.startswith("promptls ")]
    commands = [" ".join(line.partition("   ")[0].split()) for line in steps]
    assert commands == [
        "promptls preview --harness claude-code",
        "promptls explain 'my docs/CLAUDE.md'",
        "promptls capture --save --harness=claude-code",
        "promptls map",
        "promptls check",
        "promptls harnesses --use claude-code,cursor",
    ]


def test_the_next_commands_keep_a_version_that_was_asked_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {"AGENTS.md": "See @gone.md\n", "api/AGENTS.md": ""}
    monkeypatch.chdir(lay_out(tmp_path / "project", files))
    steps = [line for line in run("--harness", "codex@0.166.0").splitlines() if line.startswith("promptls ")]
    commands = [" ".join(line.partition("   ")[0].split()) for line in steps]
    assert commands[:2] == [
        "promptls preview --harness codex@0.166.0",
        "promptls explain api/AGENTS.md --harness codex@0.166.0",
    ]
    assert commands[-1] == "promptls check --harness codex@0.166.0"


def test_without_problems_the_file_of_most_is_asked_about(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        "AGENTS.md": "root\n",
        "CLAUDE.md": "@AGENTS.md\n",
        ".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n{'rule ' * 200}\n",
    }
    monkeypatch.chdir(lay_out(tmp_path / "project", files))
    shown = run("--harness", "claude", "--harness", "cursor")
    assert "promptls explain AGENTS.md " in shown
    assert "promptls map" not in shown


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("columns", "shown"), [(60, 60), (80, 80), (10, 60), (0, 100)])
@pytest.mark.parametrize("command", ["", "map", "find"])
def test_tables_are_as_wide_as_the_terminal(
    columns: int, shown: int, command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((columns, 30)))
    check_width(run, command, shown)
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    monkeypatch.setenv("COLUMNS", str(columns))
    check_width(run, command, shown)


def check_width(run: Run, command: str, shown: int) -> None:
    lines = run(*({"": [], "find": ["find", "rules"]}.get(command, [command]))).split("\n\n")[0].splitlines()
    assert max(len(line) for line in lines if not line.startswith(("tokens", "+ ", "Not shown"))) <= shown


def test_problems_in_the_same_words_are_one_row(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {f"{name}/AGENTS.md": f"{name}\n" for name in "abcd"}
    monkeypatch.chdir(lay_out(tmp_path / "project", {**files, "CLAUDE.md": "See @gone.md\n"}))
    found = json.loads(run("--harness", "claude", "--format", "json"))
    assert [(each["code"], each["alike"]) for each in found["worst"]] == [("import-missing", 0), ("shadowed", 3)]
    shown = run("--harness", "claude")
    assert "\n5 problems:\n" in shown
    assert "  a/AGENTS.md:1 warning shadowed (4 times): " in shown
    assert "b/AGENTS.md:1" not in shown


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of somebody whose machine may be looked at."""
    home = tmp_path / "home"
    monkeypatch.delenv("CI")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def test_a_file_of_the_home_directory_alone_is_a_setup(
    run: Run, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(mine, {".claude/CLAUDE.md": "Use tabs.\n"}, git=False)
    folder = lay_out(tmp_path / "project", {"a.py": "1\n", "sub/AGENTS.md": "rules\n"})
    bare = lay_out(tmp_path / "bare", {"b.py": "1\n"}, git=False)
    for at, args in ((folder, ()), (folder, ("a.py",)), (folder / "sub", ()), (bare, ()), (bare, ("../project/a.py",))):
        monkeypatch.chdir(at)
        found = json.loads(run(*args, "--format", "json"))
        assert [each["harness"] for each in found["columns"]] == ["claude-code"]
        assert ("start", False) in cells(found)[str(mine / ".claude/CLAUDE.md")]
    monkeypatch.chdir(folder)
    assert run().startswith(f"Claude Code {newest('claude-code')} (newest known) · started in . · interactive · ")
    assert "~/.claude/CLAUDE.md stands" not in run()
    assert "program: Claude Code, as ~/.claude/CLAUDE.md is there" in run("--verbose")
    assert json.loads(run("--no-habits", "--format", "json"))["columns"][0]["harness"] == "opencode"
    monkeypatch.setenv("CI", "1")
    assert run().startswith(f"opencode {newest('opencode')} (newest known)")


def test_a_file_of_the_home_directory_is_looked_at_from_where_one_stands(
    run: Run, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(mine, {".claude/CLAUDE.md": "Use tabs.\n", ".copilot/config.json": "{}"}, git=False)
    monkeypatch.chdir(lay_out(tmp_path / "project", {"a.py": "1\n"}))
    path = str(mine / ".claude/CLAUDE.md")
    session, *_, name, claude, copilot, _ = run("explain", path).splitlines()
    assert session.startswith(f"Claude Code {newest('claude-code')} (newest known) · started in . · interactive")
    assert [name, claude, copilot] == [
        "~/.claude/CLAUDE.md",
        "Claude Code: yes, at the start.",
        "GitHub Copilot CLI: no. Copilot CLI does not read it in the home directory.",
    ]
    assert "started in ." in run(path).partition("\n")[0]


def test_records_that_cannot_be_read_are_named_in_every_view(
    run: Run, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(mine, {".local/share/opencode/opencode.db": "of a version to come" * 30, ".config/opencode": {}}, git=False)
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "x\n"}))
    said = "~/.local/share/opencode/opencode.db cannot be read as the records of a known version"
    for args in ((), ("explain", "AGENTS.md"), ("find", "x"), ("preview",), ("map", "--mine")):
        assert said in " ".join(run(*args).partition("\n\n")[0].split()), args
    session = json.loads(run("--format", "json"))["sessions"][0]
    assert [each["source"] for each in session["facts"] if each["kind"] == "records"] == [
        "as they say how you last started it"
    ]


def test_the_program_that_is_shown_does_not_change_with_the_file(
    run: Run, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(mine, {".codex/config.toml": "", ".claude/settings.json": "{}"}, git=False)
    files: dict[str, str | bytes | dict[str, object]] = {
        "CLAUDE.md": "x",
        "a/.codex/config.toml": "",
        "a/b.py": "1",
        "c.py": "1",
    }
    monkeypatch.chdir(lay_out(tmp_path / "project", files))
    shown = [
        json.loads(run("preview", each, "--format", "json"))["harness"]["name"] for each in ("a/b.py", "c.py", ".")
    ]
    assert shown == ["claude-code"] * 3
    assert "assumed, as you have Codex too" in run("preview", "c.py")


def test_a_check_answers_the_same_for_everybody(
    run: Run, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    lay_out(mine, {".claude/CLAUDE.md": "Use tabs.\n"}, git=False)
    monkeypatch.chdir(lay_out(tmp_path / "project", {".codex/config.toml": "", "AGENTS.md": "x"}))
    assert [each["harness"] for each in json.loads(run("--format", "json"))["columns"]] == ["claude-code", "codex"]
    assert json.loads(run("map", "--format", "json"))["harnesses"] == ["codex"]
    assert main(["map"]) == 0
    said = capsysbinary.readouterr().err.decode()
    assert said == "promptls: Not mapped for Claude Code, which only you have; add --mine to map it for them.\n"
    commit(tmp_path / "project")
    assert main(["diff"]) == 0
    said = capsysbinary.readouterr().err.decode()
    assert said == "promptls: Not compared for Claude Code, which only you have; add --mine to compare for them.\n"
    assert json.loads(run("map", "--mine", "--format", "json"))["harnesses"] == ["claude-code", "codex"]


def test_a_file_that_the_program_does_not_load_names_those_that_do(
    run: Run, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(mine, {".claude/settings.json": "{}"}, git=False)
    files: dict[str, str | bytes | dict[str, object]] = {"GEMINI.md": "x\n", "CLAUDE.md": "y\n", "a/AGENTS.md": "z\n"}
    monkeypatch.chdir(lay_out(tmp_path / "project", files))
    says = "Claude Code does not load this file; Gemini CLI does. “promptls explain” says why."
    assert says in run("GEMINI.md")
    assert "does not load" not in run("CLAUDE.md") + run("a/AGENTS.md")


def test_a_file_elsewhere_is_looked_at_with_the_programs_of_its_own_place(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path / "other", {"GEMINI.md": "x\n", "a.py": "1\n"})
    lay_out(tmp_path, {"b.py": "1\n"}, git=False)
    monkeypatch.chdir(lay_out(tmp_path / "project", {"CLAUDE.md": "y\n", ".codex/config.toml": ""}))

    def shown(path: str) -> list[str]:
        return [each["harness"] for each in json.loads(run(path, "--format", "json"))["columns"]]

    assert shown("../other/a.py") == ["gemini-cli"]
    # In no repository: it is read by a session that is started here.
    assert shown("../b.py") == ["claude-code", "codex"]


@pytest.mark.usefixtures("mine")
def test_where_nothing_is_known_of_the_user_it_says_what_it_assumed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"CLAUDE.md": "y\n"}))
    assert json.loads(run("--format", "json"))["sessions"][0]["assumed"] == "assumed, as the folder has CLAUDE.md"
    monkeypatch.chdir(lay_out(tmp_path / "other", {"AGENTS.md": "y\n"}))
    says = "assumed, as nothing here says which program you use"
    assert json.loads(run("--format", "json"))["sessions"][0]["assumed"] == says


def test_what_several_files_have_for_one_cause_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {f"{name}/AGENTS.md": f"{name}\n" for name in "abcd"}
    monkeypatch.chdir(lay_out(tmp_path / "project", {**files, "CLAUDE.md": "rules\n", "pnpm/AGENTS.md": "x\n"}))
    assert main(["check", "--harness", "claude"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("shadowed [claude-code]") == 1
    assert "    The same is so of b/AGENTS.md, c/AGENTS.md, d/AGENTS.md, pnpm/AGENTS.md.\n" in shown
    assert "5 warnings in 5 files" in shown


def test_those_that_a_program_with_its_own_agents_md_takes_the_place_of_are_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lay_out(tmp_path / "project", {"AGENTS.md": "x\n", ".opencode/opencode.json": "{}", "a.py": ""}))
    for args in ((), ("a.py",)):
        assert [each["harness"] for each in json.loads(run(*args, "--format", "json"))["columns"]] == ["opencode"]
        assert "Not shown: Claude Code, Codex," in run(*args)
    assert "Not shown" not in run("--harness", "opencode")
    (tmp_path / "project/AGENTS.md").unlink()
    assert "Not shown" not in run()


def test_skills_that_are_hidden_in_one_program_only(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = "---\nname: {}\ndescription: Do it.\ndisable-model-invocation: true\n---\nSo.\n"
    files = {f".claude/skills/{each}/SKILL.md": skill.format(each) for each in "ab"}
    folder = lay_out(tmp_path / "skills", {**files, ".codex/config.toml": ""})
    (folder / ".agents").mkdir()
    (folder / ".agents/skills").symlink_to("../.claude/skills")
    monkeypatch.chdir(commit(folder))
    said = "2 skills are hidden in Claude Code, but listed in Codex."
    assert said in run().splitlines()
    # The answer that was kept says so, too.
    assert said in run().splitlines()


def test_fields_of_skills_that_count_in_one_program_only(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = "---\nname: {}\ndescription: Do it.\ncontext: fork\n---\nSo.\n"
    files = {f".claude/skills/{each}/SKILL.md": skill.format(each) for each in "ab"}
    folder = lay_out(tmp_path / "skills", {**files, ".opencode/opencode.json": "{}"})
    monkeypatch.chdir(commit(folder))
    said = "“context” of 2 skills has an effect in Claude Code, but not in opencode."
    assert said in run("--harness", "claude-code", "--harness", "opencode").splitlines()


def test_a_link_is_named_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.\n"})
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    monkeypatch.chdir(folder)
    assert main(["--harness", "claude-code"]) == 0
    assert "\nAGENTS.md, CLAUDE.md " in capsys.readouterr().out


def test_problems_of_a_start_that_a_check_does_not_expect_are_left_to_its_preview(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lay_out(tmp_path, {".agents/AGENTS.md": "Keep the names of all functions short and telling.\n" * 3})
    (folder / "AGENTS.md").symlink_to(".agents/AGENTS.md")
    monkeypatch.chdir(folder)
    asked = ("--harness", "codex")
    assert "duplicate-text" in run("preview", "--cwd", ".agents", *asked, "--format", "json")
    assert "\nNo problems were found for sessions that start outside .agents. “promptls" in run(".agents", *asked)
    assert "\nNo problems were found.\n" in run(*asked)
