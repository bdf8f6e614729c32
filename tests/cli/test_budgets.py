"""Budgets of the user's own text: in the settings, in a check, in a map, and in what a change did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from tests.cli.conftest import Check, reported
from tests.folder import lay_out
from tests.repository import commit

RULE = "Use the client that is generated from the schema, and never write one by hand.\n"
SETTINGS = 'harnesses = ["codex", "claude-code"]\n[budgets."packages/api"]\nown = {most}\n'
FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": RULE * 9,
    "CLAUDE.md": "@AGENTS.md\n",
    "packages/api/AGENTS.md": RULE,
    "packages/api/CLAUDE.md": RULE * 2,
    "packages/api/a.py": "1\n",
    ".github/CODEOWNERS": "* @all\n/packages/api/ @org/api\n",
}


def said(capsysbinary: pytest.CaptureFixture[bytes], *argv: str) -> str:
    assert main(list(argv)) == 0
    return capsysbinary.readouterr().out.decode()


def one(budgets: list[dict[str, Any]]) -> dict[str, Any]:
    assert len(budgets) == 1
    return budgets[0]


def test_the_program_that_gets_most_counts(tmp_path: Path, check: Check) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": SETTINGS.format(most=30)})
    found = check(folder)
    assert [code for _, _, code in reported(found)] == ["own-budget"]
    problem = found["problems"][0]
    assert problem["path"] == "packages/api/CLAUDE.md"
    assert "@org/api" in problem["message"]
    budget = one(found["budgets"])
    assert budget["path"] == "packages/api"
    assert (budget["over"], budget["owners"], budget["by"]["harness"]) == (True, ["@org/api"], "claude-code")
    assert 30 < budget["tokens"] < 100


@pytest.mark.parametrize(
    ("harness", "path", "key"),
    [
        ("claude-code", ".claude/rules/api.md", "paths"),
        ("cursor", ".cursor/rules/api.mdc", "globs"),
        ("copilot-vscode", ".github/instructions/api.instructions.md", "applyTo"),
    ],
)
def test_a_rule_counts_for_the_directory_that_it_is_for(
    tmp_path: Path, check: Check, harness: str, path: str, key: str
) -> None:
    """It is kept at the root, and the directory has no file of its own."""
    budgets = "".join(f'[budgets."{each}"]\nown = 9\n' for each in ("packages/api", "packages", "packages/web"))
    files: dict[str, str | bytes | dict[str, object]] = {
        "promptls.toml": f'harnesses = ["{harness}"]\n{budgets}',
        path: f"---\n{key}: packages/api/**\n---\n{RULE}",
        path.replace("api.", "all."): f'---\n{key}: "**/*.ts"\n---\n{RULE}',
        "packages/api/a.ts": "1\n",
        "packages/web/a.ts": "1\n",
    }
    found = check(lay_out(tmp_path, files))
    assert {each["path"]: each["over"] for each in found["budgets"]} == {
        "packages/api": True,
        "packages": True,
        "packages/web": False,
    }
    assert {each["path"] for each in found["problems"] if each["code"] == "own-budget"} == {path}


def test_the_file_in_the_directory_is_named(tmp_path: Path, check: Check) -> None:
    """A session that reads a file in every directory gets most: the file that brought the text is named."""
    of_opencode: dict[str, str | bytes | dict[str, object]] = {
        "promptls.toml": 'harnesses = ["opencode"]\n[budgets.packages]\nown = 9\n',
        "AGENTS.md": RULE * 9,
        **{f"{each}/AGENTS.md": f"For {each}: {RULE}" for each in ("apps", "packages/api", "packages/web")},
        **{f"{each}/a.py": "1\n" for each in ("apps", "packages/api", "packages/web")},
    }
    problems = check(lay_out(tmp_path, of_opencode))["problems"]
    message = next(each["message"] for each in problems if each["code"] == "own-budget")
    assert f"that reads {tmp_path}/packages/api/a.py and 2 others gets" in message


def test_the_root_is_called_by_words(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    settings = 'harnesses = ["codex"]\n[budgets."."]\nlists = 9\n'
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": settings})
    assert "\nwhole folder (lists): 0 of 9, @all\n" in said(capsysbinary, "map", str(folder))


def test_a_server_that_nobody_has_asked_is_not_nothing(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Only a start in the directory has it; a start at the root has as many tokens of servers, and knows them all."""
    settings = 'harnesses = ["claude-code"]\n[budgets."packages/api"]\nservers = 9\n'
    server: dict[str, object] = {"mcpServers": {"one": {"command": "one"}}}
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": settings, "packages/api/.mcp.json": server})
    assert "\npackages/api (servers): at least 0 of 9, @org/api\n" in said(capsysbinary, "map", str(folder))


def test_each_program_may_have_its_own(tmp_path: Path, check: Check) -> None:
    settings = SETTINGS.format(most='{codex = 30, claude-code = 20, gemini-cli = 1}\nowner = ["@me", "@you"]')
    found = check(lay_out(tmp_path, {**FILES, "promptls.toml": settings}))
    budgets = {each["harness"]: (each["tokens"], each["over"]) for each in found["budgets"]}
    assert budgets["gemini-cli"] == (None, False)  # it is not in use: that is not 0
    assert not budgets["codex"][1]
    assert budgets["claude-code"][1]
    assert {tuple(each["owners"]) for each in found["budgets"]} == {("@me", "@you")}


@pytest.mark.parametrize(("most", "code"), [(30, 1), (300, 0)])
def test_a_check_fails_on_a_budget(
    tmp_path: Path, check: Check, capsysbinary: pytest.CaptureFixture[bytes], most: int, code: int
) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": SETTINGS.format(most=most)})
    assert check(folder)["code"] == 0
    assert main(["check", str(folder), "--no-network", "--fail-on", "budget"]) == code
    capsysbinary.readouterr()


def test_a_map_has_a_line(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": SETTINGS.format(most=2000)})
    assert "packages/api: 61 of 2,000, @org/api" in said(capsysbinary, "map", str(folder))
    found = json.loads(said(capsysbinary, "map", str(folder), "--format", "json"))
    assert one(found["budgets"])["budget"] == 2000


def test_a_change_says_what_it_uses(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": SETTINGS.format(most=2000)})
    commit(folder)
    (folder / "packages/api/CLAUDE.md").write_text(RULE * 3, encoding="utf-8")
    argv = ("diff", "--folder", str(folder), "--format")
    assert "packages/api: 92 of 2,000, +31, @org/api\n" in said(capsysbinary, *argv, "text")
    assert "- `packages/api`: 92 of 2,000, +31, `@org/api`\n" in said(capsysbinary, *argv, "markdown")
    found = one(json.loads(said(capsysbinary, *argv, "json"))["budgets"])
    assert (found["tokens"], found["budget"], found["before"]) == (92, 2000, {"tokens": 61, "budget": 2000})


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ('harnesses = ["codex", "claude-code"]', "packages/api: 61 of 2,000, ±0, @org/api: this budget is gone"),
        (SETTINGS.format(most=30), "packages/api: 61 of 30 (was 2,000), ±0, 31 over, @org/api"),
        (
            SETTINGS.format(most=2000) + "files = 40",
            "packages/api (files): 61 of 40, ±0, 21 over, @org/api: a new budget",
        ),
        (
            SETTINGS.format(most=2000).replace("api", "gone"),
            "packages/gone: 0 of 2,000, ±0, there is no such directory, @all: a new budget",
        ),
    ],
)
def test_a_change_of_a_budget_is_said(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], now: str, says: str
) -> None:
    folder = lay_out(tmp_path, {**FILES, "promptls.toml": SETTINGS.format(most=2000)})
    commit(folder)
    (folder / "promptls.toml").write_text(now, encoding="utf-8")
    assert says in said(capsysbinary, "diff", "--folder", str(folder))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[budgets.gone]\nown = 1", "There is no directory “gone”, so its budget limits nothing; fix or remove it."),
        ('[budgets."."]\nonw = 1', "promptls has no key “onw” in [budgets..]; write “own”."),
        ("[budgets]\ntoken = 1", "promptls has no key “token” in [budgets]; write “tokens”."),
        (
            '[budgets."."]\nown = {codx = 1}',
            "promptls does not support the harness “codx”; write “codex”.",
        ),
        (
            '[budgets."."]\nown = "x"',
            "This has to be a whole number, but it is a text; promptls ignores it. Fix or remove it.",
        ),
        ('[budgets."."]\nlists = 0', "This has to be at least 1; promptls ignores it. Fix or remove it."),
    ],
)
def test_what_is_wrong_is_told_where_it_is_written(tmp_path: Path, check: Check, text: str, says: str) -> None:
    found = check(lay_out(tmp_path, {"AGENTS.md": RULE, ".codex/config.toml": "", "promptls.toml": text}))
    assert [each["message"] for each in found["problems"] if each["path"] == "promptls.toml"] == [says]


def test_a_wrong_budget_leaves_the_others(tmp_path: Path, check: Check) -> None:
    text = '[budgets]\ntokens = 1\n[budgets."."]\nown = "x"\nfiles = 1\n'
    found = check(lay_out(tmp_path, {"AGENTS.md": RULE, ".codex/config.toml": "", "promptls.toml": text}))
    assert {code for _, _, code in reported(found)} == {"config-type", "token-budget", "own-budget"}
