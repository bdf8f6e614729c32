"""``promptls map``: what each harness gets in each directory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptls.cli import main
from promptls.cli import map as map_command
from tests.folder import lay_out
from tests.limits import at_most
from tests.newest import newest

Run = Callable[..., str]
USED = ("etcode", "openclaw", "gemini", "opencode", "claude", "codex", "copilot", "copilot-vscode", "cursor")
LONG = "long" * 20
FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Use tabs.\n" * 3000,
    "CLAUDE.md": "See docs.\n" * 8,
    ".codex/config.toml": "",
    ".claude/rules/web.md": '---\npaths: ["web/**/*.css"]\n---\nNo colours.\n',
    "api/AGENTS.md": "api rules\n" * 6000,
    "api/CLAUDE.md": "api rules\n",
    "api/.hidden/a.py": "1\n",
    "api/z.py": "1\n",
    "api/deep/CLAUDE.md": "deep rules\n",
    "api/deep/a.py": "1\n",
    "docs/a.py": "1\n",
    "web/src/a.css": "a {}\n",
    ".git/HEAD": "",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(tmp_path / "project", FILES)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command that must succeed and say nothing else; returns what it writes."""

    def run(*args: str) -> str:
        with at_most(10):
            code = main(["map", *args])
        out, err = capsysbinary.readouterr()
        assert (code, err) == (0, b"")
        return out.decode("utf-8")

    return run


def places(found: dict[str, Any], harness: str) -> dict[str, dict[str, list[str]]]:
    """By directory: the names of what is there at a start, on a read, and only at a start."""
    root, at = found["root"], found["harnesses"].index(harness)
    return {
        directory["path"].removeprefix(root) or ".": {
            key: [size["name"].removeprefix(f"{root}/") for size in directory["places"][at][key]]
            for key in ("at_start", "on_read", "only_at_start")
        }
        for directory in found["directories"]
    }


@pytest.mark.usefixtures("folder")
def test_what_a_start_and_a_read_bring_in_each_directory(run: Run) -> None:
    found = json.loads(run("--format", "json"))
    assert found["harnesses"] == ["claude-code", "codex"]
    claude, codex = (places(found, each) for each in found["harnesses"])
    assert list(claude) == [".", "/api", "/api/deep", "/web"], "docs brings nothing"
    assert claude["/api"]["on_read"] == ["api/CLAUDE.md"], "no deeper file is read, and none of a program's"
    assert sorted(claude["/api/deep"]["on_read"]) == ["api/CLAUDE.md", "api/deep/CLAUDE.md"]
    assert claude["/web"]["on_read"] == [".claude/rules/web.md"]
    assert claude["."]["at_start"] == ["CLAUDE.md"]
    assert codex["/api"] == {
        "at_start": ["AGENTS.md", "api/AGENTS.md"],
        "on_read": [],
        "only_at_start": ["api/AGENTS.md"],
    }


def test_a_rule_for_files_outside_of_the_folder_brings_no_directory(run: Run, folder: Path) -> None:
    lay_out(folder.parent / "other", {"CLAUDE.md": "other\n", "a.py": "1\n"}, git=False)
    (folder / ".claude/rules/other.md").write_text('---\npaths: ["../other/**", "gone/**"]\n---\nx\n', encoding="utf-8")
    assert list(places(json.loads(run("--format", "json")), "claude-code")) == [".", "/api", "/api/deep", "/web"]


@pytest.mark.usefixtures("folder")
def test_as_text(run: Run) -> None:
    shown = run()
    session, also, *lines = shown.splitlines()
    assert session.startswith(f"Claude Code {newest('claude-code')} (newest known) · started in . · print")
    assert also == f"also Codex {newest('codex')}"
    assert lines[0].split() == ["started", "in", "project", "claude-code", "codex"]
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:5]}
    assert list(rows) == [".", "api", "api/deep", "web"]
    assert rows["."][1].rstrip("^!").replace(",", "").isdigit()
    assert rows["api"][2].endswith("!"), "over the limit of bytes"
    assert "Only a start there, or below, brings:" in shown
    assert "  api/AGENTS.md  codex" in shown
    assert re.search(r"bytes over the limit of [\d,]+ for project files, in api", shown)
    assert "promptls preview --cwd api --harness claude-code" in shown
    assert max(map(len, lines)) <= 110


def test_a_folder_and_a_harness_that_are_asked_for(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(run("api", "--harness", "opencode", "--format", "json"))
    assert (found["root"], found["harnesses"]) == (str(folder / "api"), ["opencode"])
    monkeypatch.chdir(folder / "api")
    assert json.loads(run("--format", "json"))["root"] == str(folder), "the repository by default"


@pytest.mark.usefixtures("folder")
def test_on_a_narrow_terminal_no_harness_drops_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = [word for name in USED for word in ("--harness", name)]
    shown = run(*asked).splitlines()
    heads = [line.split()[3:] for line in shown if line.startswith("started in project")]
    assert [name for each in heads for name in each] == json.loads(run(*asked, "--format", "json"))["harnesses"]
    assert len(heads) > 1
    assert max(map(len, shown)) <= 80


def test_much_is_shortened(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_command, "MOST_DIRECTORIES", 2)
    monkeypatch.setattr(map_command, "MOST_STARTS", 0)
    (folder / LONG).mkdir()
    (folder / LONG / "AGENTS.md").write_text("x\n", encoding="utf-8")
    several = [word for name in USED for word in ("--harness", name)]
    shown = run(*several)
    assert "\n3 more directories" in shown
    assert " more; --format json has all." in shown
    assert shown.count("started in project") == 2, "in two blocks"
    assert max(map(len, shown.splitlines()[:4])) <= 110


def test_without_a_harness_it_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path / "plain", {"a.py": "1\n", ".git/HEAD": ""})
    monkeypatch.chdir(folder)
    assert run().startswith("No coding agent is set up here")
    assert json.loads(run("--format", "json")) == {
        "schema": "urn:promptls:schema:1:map",
        "root": str(folder),
        "harnesses": [],
        "directories": [],
        "sessions": [],
        "budgets": [],
        "rules": [],
        "faults": [],
    }


def test_what_is_not_known_names_the_command_that_finds_it_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers: dict[str, object] = {"mcpServers": {"docs": {"command": "srv"}}}
    rules: dict[str, object] = {"instructions": ["https://example.org/rules.md"]}
    files: dict[str, str | bytes | dict[str, object]]
    files = {"AGENTS.md": "x\n", "CLAUDE.md": "x\n", ".mcp.json": servers, "opencode.json": rules}
    folder = lay_out(tmp_path / "asks", {**files, ".git/HEAD": ""})
    monkeypatch.chdir(folder)
    lines = run("--harness=opencode", "--harness=claude-code").splitlines()
    steps = [line for line in lines if line.startswith("promptls ")]
    assert any(each.startswith("promptls servers --harness=claude-code --ask ") for each in steps)
    assert any(each.startswith("promptls preview --harness=opencode ") for each in steps)
    [start] = json.loads(run("--harness=opencode", "--format", "json"))["directories"]
    [place] = start["places"]
    assert place["how"] == [{"kind": "fetch", "command": ["promptls", "preview", "--harness=opencode"]}]
