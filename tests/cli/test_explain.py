from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.cli import main
from promptls.core import specs
from promptls.git.listing import Listing
from promptls.workspace.folder_check import check_folder
from tests.cli.conftest import below_session
from tests.folder import lay_out


def explained(capsys: pytest.CaptureFixture[str], path: Path, harness: str) -> dict[str, Any]:
    assert main(["explain", str(path), "--harness", harness, "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["harnesses"]
    found_one: dict[str, Any] = found
    return found_one


def test_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", "api/AGENTS.md": "api\n", "api/a.py": "x", "opencode.json": {}})
    monkeypatch.chdir(folder)
    main(["explain", "api/AGENTS.md", "--harness", "opencode"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines if line.startswith("    loaded")] == [
        "loaded at start, as instructions in the system message, if started in api",
        "loaded when a file next to or below it is read, as instructions in the tool message, if started in .",
    ]


def test_a_program_that_is_set_up_here_is_not_among_those_that_are_not_in_use(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", ".continue/rules/a.md": "rule\n"})
    (home / ".claude/projects").mkdir(parents=True)
    # No other program is the reader's, whatever is installed.
    monkeypatch.setenv("PATH", str(home))
    monkeypatch.delenv("CI")
    monkeypatch.chdir(folder)
    main(["explain", ".continue/rules/a.md"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(
        r"--all shows why, where and when, also of Continue, set up here, and \d+ that are not in use here\.", last
    )


def test_a_rule_without_patterns_is_not_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {".cursor/rules/a.mdc": "---\nalwaysApply: false\n---\nRule.\n"})
    found = explained(capsys, folder / ".cursor/rules/a.mdc", "cursor")
    assert found["loaded"] == []
    assert found["why"].endswith("it is sent only if the user names it with @")


def test_one_server_that_is_started_makes_the_file_one_that_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"a": {}, "b": {"command": "x"}}
    folder = lay_out(tmp_path, {"CLAUDE.md": "x\n", ".mcp.json": json.dumps({"mcpServers": wrong})})
    assert explained(capsys, folder / ".mcp.json", "claude-code")["outcome"] == "loaded"


def test_several_files_are_explained_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", "api/AGENTS.md": "api\n", "opencode.json": {}})
    monkeypatch.chdir(folder)
    files = [f"{folder}/AGENTS.md", f"{folder}/api/AGENTS.md"]

    def out(*args: str) -> str:
        assert main(["explain", *args, "--harness", "opencode"]) == 0
        return capsys.readouterr().out

    assert out(*files) == "\n".join(map(out, files))
    both = json.loads(out(*files, "--format", "json"))["files"]
    assert both == [json.loads(out(each, "--format", "json")) for each in files]


def test_rule_and_reason_are_fields_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules\n", ".cursor/commands/a.md": "x\n"})
    left_out = explained(capsys, folder / ".cursor/commands/a.md", "cursor")
    assert left_out["outcome"] == "unshown"
    assert left_out["rule"]
    assert left_out["reason"]
    assert left_out["why"] == f"{left_out['rule']}: {left_out['reason']}"
    sent = explained(capsys, folder / "AGENTS.md", "opencode")
    assert (sent["rule"], sent["reason"]) == (sent["loaded"][0]["why"], "")


@pytest.mark.parametrize("version", ["1.18.33", "1.99.0", ""])
def test_all_commands_show_the_version_that_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    """If it is not known, the nearest known one; if none is installed, the newest. A check is the same for all."""
    monkeypatch.delenv("CI")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    harness, program = harnesses.get("opencode"), specs.detection("opencode")
    (tmp_path / "bin").mkdir()
    if version:
        lay_out(
            tmp_path, {"lib/package.json": {"name": program.package, "version": version}, "lib/run": "x"}, git=False
        )
        (tmp_path / "bin" / program.command).symlink_to(tmp_path / "lib/run")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    folder = lay_out(tmp_path / "folder", {"AGENTS.md": "rules\n", "opencode.json": {}})
    main(["preview", str(folder), "--format", "json"])
    shown = json.loads(capsys.readouterr().out)["harness"]
    assert shown["version"] == harness.versions[0].name
    assert shown["verified"] == (version != "1.99.0")

    assert explained(capsys, folder / "AGENTS.md", "opencode")["harness"] == shown

    with Listing(str(folder)) as listing:
        checked = check_folder(str(folder), listing).prompts
    versions = {(each.session.version, each.verified) for each in checked if each.session.harness == "opencode"}
    assert versions == {(harness.versions[0].name, True)}


def test_a_skill_is_listed_or_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = "---\nname: release\ndescription: How to make a release\n---\nTag it.\n"
    files = {f"{each}/skills/release/SKILL.md": release for each in (".gemini", ".agents")}
    folder = lay_out(tmp_path, {"GEMINI.md": "rules\n", **files})
    monkeypatch.chdir(folder)

    def says(path: str) -> list[str]:
        main(["explain", path, "--harness", "gemini-cli"])
        return [line.strip() for line in below_session(capsys.readouterr().out)[4:]]

    listed, why, later, size, rest = says(".agents/skills/release/SKILL.md")
    command = shlex.join(("promptls", "capture", "--save", "--harness=gemini-cli", f"--cwd={folder}"))
    assert rest == f"to know the rest of its prompt: {command}"
    what = "listed as a skill at start, as tools in the system message, if started in ."
    assert listed == f"{what}, once you trust the folder"
    assert why.endswith("; its text is sent when the skill is used")
    assert later == "after a compaction: comes back"
    assert re.match(r"it is \d+ tokens; changing it invalidates ", size)
    assert says(".gemini/skills/release/SKILL.md")[0].startswith("not offered as a skill: ")
    found = explained(capsys, folder / ".gemini/skills/release/SKILL.md", "gemini-cli")
    assert (found["use"], found["outcome"]) == ("skill", "shadowed")
    assert found["other"] == f"{folder}/.agents/skills/release/SKILL.md"


def test_a_command_is_offered_before_anybody_calls_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = lay_out(tmp_path, {"GEMINI.md": "rules\n", ".gemini/commands/tag.toml": 'prompt = "Tag it."\n'})
    found = explained(capsys, folder / ".gemini/commands/tag.toml", "gemini-cli")
    assert (found["use"], found["outcome"], found["loaded"]) == ("command", "loaded", [])
    main(["explain", str(folder / ".gemini/commands/tag.toml"), "--harness", "gemini-cli"])
    shown = capsys.readouterr().out
    assert "    offered as a command once you trust the folder: " in shown
    assert shown.endswith("; its text is sent when the command is called\n")


RULES = "# Rules\n\nUse tabs.\n<!-- nobody\nsees this -->\nNever push.\n"


def rows(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    """What is shown of lines: a row for each harness and session."""
    assert main(["explain", *args]) == 0
    return [re.sub(" {2,}", " | ", line) for line in below_session(capsys.readouterr().out)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(
        tmp_path,
        {
            "AGENTS.md": RULES,
            ".claude/rules/ts.md": "---\npaths: src/**\n---\nTypes everywhere.\n",
            ".codex/config.toml": "",
            "src/a.ts": "1\n",
            "big/AGENTS.md": "line\n" * 8000,
        },
    )
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    monkeypatch.chdir(folder)
    return folder


def message_lines(folder: Path, harness: str, number: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["preview", str(folder), "--harness", harness, "--format", "json"]) == 0
    lines: list[str] = json.loads(capsys.readouterr().out)["messages"][number]["text"].split("\n")
    return lines


@pytest.mark.parametrize("harness", ["claude-code", "codex", "opencode", "copilot-cli"])
def test_the_place_of_a_line(folder: Path, capsys: pytest.CaptureFixture[str], harness: str) -> None:
    [head, text, verdict, _, row] = rows(capsys, "AGENTS.md:3", "--harness", harness)
    assert (head, text) == ("AGENTS.md:3", " | Use tabs.")
    assert ": yes, at the start, in line " in verdict
    found = re.fullmatch(rf"{harness} \| at start \| message (\d+) \(\w+\), line (\d+)(, as the target .+)?", row)
    assert found is not None
    number, line = int(found[1]), int(found[2])
    assert message_lines(folder, harness, number - 1, capsys)[line - 1] == "Use tabs."
    assert main(["explain", "AGENTS.md:3", "--harness", harness, "--format", "json"]) == 0
    [said] = json.loads(capsys.readouterr().out)["harnesses"]
    [use] = said["loaded"]
    assert (use["message"], use["lines"]) == (number - 1, [{"first": line - 1, "last": line - 1}])


def test_a_comment_is_nobodys(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(capsys, "AGENTS.md:4-5", "--harness", "claude-code")[-1] == (
        "claude-code | never | HTML comments are removed"
    )
    assert main(["explain", f"{folder}/AGENTS.md:4", "--harness", "claude-code", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["lines"] == {"first": 3, "last": 3}
    [piece] = found["harnesses"][0]["left_out"]
    assert (piece["reason"], piece["range"]["start"]["line"]) == ("comment", 3)
    assert "lines" not in found["harnesses"][0]["loaded"][0]


@pytest.mark.usefixtures("folder")
def test_lines_of_which_some_are_sent(capsys: pytest.CaptureFixture[str]) -> None:
    sent, left = rows(capsys, "AGENTS.md:3-6", "--harness", "claude-code")[-2:]
    assert re.match(r"claude-code \| at start \| message \d+ \(user\), lines \d+-\d+, as the target", sent)
    assert left == " | never | lines 4-5: HTML comments are removed"


@pytest.mark.usefixtures("folder")
def test_a_line_that_a_limit_takes_away(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "big/AGENTS.md:7000", "--harness", "codex")[-1]
    assert re.match(r"codex \| never \| beyond a limit: [\d,]+ of 40,000 bytes are kept: project_doc_max_bytes", found)


@pytest.mark.usefixtures("folder")
def test_a_line_of_a_rule_for_some_files(capsys: pytest.CaptureFixture[str]) -> None:
    rule = ".claude/rules/ts.md"
    scoped = rows(capsys, f"{rule}:4", "--harness", "claude-code")[-1]
    assert re.fullmatch(r"claude-code \| on read \| message \d+ \(user\), line \d+, for src/\*\*", scoped)
    assert rows(capsys, f"{rule}:2", "--harness", "claude-code")[-1] == (
        "claude-code | never | the front matter is removed"
    )
    assert rows(capsys, f"{rule}:4", "--harness", "codex")[-1].startswith("codex | never | Codex does not look for")


def test_a_line_that_is_sent_twice(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "CLAUDE.md").unlink()
    (folder / "CLAUDE.md").write_text("@AGENTS.md\n")
    row = rows(capsys, "AGENTS.md:1-3", "--harness", "copilot-cli")[-1]
    assert re.fullmatch(r"copilot-cli \| at start \| message 1 \(system\), lines \d+-\d+ and again lines \d+-\d+", row)


def test_a_blank_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(capsys, "AGENTS.md:2", "--harness", "codex")[-1].startswith("codex | at start | message")
    (folder / "AGENTS.md").write_text("\n\nx\n")
    assert rows(capsys, "AGENTS.md:1", "--harness", "claude-code")[-1] == ("claude-code | never | it is blank")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("spelled", ["AGENTS.md:3", "AGENTS.md:3:7", "AGENTS.md#L3", "AGENTS.md:3-3"])
def test_ways_to_name_a_line(capsys: pytest.CaptureFixture[str], spelled: str) -> None:
    assert rows(capsys, spelled, "--harness", "codex")[:2] == ["AGENTS.md:3", " | Use tabs."]


def test_a_file_may_be_named_like_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md:3").write_text("x\n")
    assert main(["explain", "AGENTS.md:3", "--harness", "codex"]) == 0
    assert below_session(capsys.readouterr().out)[0] == "AGENTS.md:3"


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("AGENTS.md:9", "AGENTS.md has 6 lines; choose one of them."),
        ("AGENTS.md:0", "AGENTS.md has 6 lines; choose one of them."),
        ("GONE.md:3", "There is no file {folder}/GONE.md; check the path."),
        ("src:1", "{folder}/src is not a file that can be read; choose a file."),
    ],
)
def test_no_such_line(folder: Path, capsys: pytest.CaptureFixture[str], argument: str, sentence: str) -> None:
    assert main(["explain", argument]) == 2
    assert capsys.readouterr().err == f"promptls: {sentence.format(folder=folder)}\n"


@pytest.mark.usefixtures("folder")
def test_harnesses_that_are_not_in_use_come_last(capsys: pytest.CaptureFixture[str]) -> None:
    found = rows(capsys, "AGENTS.md:3", "--all")
    at = found.index("Not in use here:")
    assert {line.split(" ")[0] for line in found[3 : at - 1]} >= {"claude-code", "codex"}
    assert any(line.startswith("gemini-cli | never") for line in found[at:])


def test_a_secret_is_not_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").write_text("token = sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\n")
    assert "abcdefghijkl" not in "".join(rows(capsys, "AGENTS.md:1", "--harness", "codex"))


def test_a_file_of_a_program_that_is_documented_only_is_not_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(lay_out(tmp_path, {"AGENTS.md": "rules\n", ".windsurf/rules/r.md": "rule\n"}))
    said = "By its documentation, not measured, Windsurf: as its trigger says"
    assert main(["explain", ".windsurf/rules/r.md"]) == 0
    assert said in capsys.readouterr().out
    assert main(["explain", "AGENTS.md"]) == 0
    assert "By its documentation" not in capsys.readouterr().out


def test_a_file_of_the_root_of_which_only_the_path_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = "---\nname: agent\ndescription: d\noverride: true\n---\nMine\n"
    monkeypatch.chdir(lay_out(tmp_path, {"AGENTS.md": "rules\n", ".kimi-code/agents/x.md": agent}))
    assert main(["explain", "AGENTS.md", "--harness", "kimi-code"]) == 0
    assert "on reading a file in the root, and" in capsys.readouterr().out


def test_a_file_of_which_only_the_path_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {".kimi-code/AGENTS.md": "own\n"}
    monkeypatch.chdir(
        lay_out(tmp_path, {"AGENTS.md": "rules\n", "pkg/AGENTS.md": "of pkg\n", "pkg/a.py": "x\n", **own})
    )
    said = (
        "Kimi Code: no. Only its path is sent, on reading a file in pkg/, and the model has to read it; start in pkg/."
    )
    for asked in ("pkg/AGENTS.md", "pkg/AGENTS.md:1"):
        assert main(["explain", asked, "--harness", "kimi-code"]) == 0
        out = capsys.readouterr().out
        assert said in out.replace("\n  ", " ")
        assert "loaded when a file" not in out
    assert main(["explain", "AGENTS.md", "--harness", "kimi-code"]) == 0
    out = capsys.readouterr().out
    assert "Kimi Code: yes, at the start." in out
    assert "named" not in out
    found = explained(capsys, tmp_path / "pkg/AGENTS.md", "kimi-code")
    assert (found["named"], [each["at"] for each in found["loaded"]]) == (True, ["start"])
