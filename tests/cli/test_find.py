from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from promptls.cli import main
from tests.folder import lay_out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = lay_out(
        tmp_path,
        {
            "AGENTS.md": "# Rules\n\nUse tabs.\n<!-- a note -->\n",
            "CLAUDE.md": "@AGENTS.md\n",
            ".claude/rules/ts.md": "---\npaths: src/**\n---\nTypes everywhere.\n",
            ".github/copilot-instructions.md": "Use tabs.\n",
            ".codex/config.toml": "",
            "src/a.ts": "1\n",
            "docs/old.md": "Use tabs.\nAncient words.\n",
        },
    )
    monkeypatch.chdir(folder)
    return folder


def shown(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> list[str]:
    assert main(["find", *args]) == code
    session, *rest = capsys.readouterr().out.splitlines()
    assert " · started in " in session
    lines = rest[1:] if rest[0].startswith("also ") else rest
    return [re.sub(" {2,}", " | ", line) for line in lines]


@pytest.mark.usefixtures("folder")
def test_where_a_text_stands(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "Use tabs", "--harness", "codex", "--harness", "copilot-cli")
    assert lines[0] == "“Use tabs” is in 3 lines of 3 files:"
    assert sorted(lines[1:4]) == [
        " | .github/copilot-instructions.md:1 | Use tabs.",
        " | AGENTS.md:3 | Use tabs.",
        " | docs/old.md:1 | Use tabs.",
    ]
    assert re.match(r"codex \| at start \| message \d+ \(user\), line \d+ · AGENTS.md", lines[5])
    assert "copilot-cli gets the same line 3 times in one prompt." in lines
    assert lines[-1] == "No coding agent in use loads docs/old.md."


@pytest.mark.usefixtures("folder")
def test_a_text_that_is_in_no_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "a note", "--harness", "claude-code", code=1)
    assert lines[3:] == ["claude-code | never | HTML comments are removed"]
    lines = shown(capsys, "Ancient words", "--harness", "claude-code", code=1)
    assert lines[3:] == [
        "claude-code | never | it loads none of these files",
        "",
        "No coding agent in use loads docs/old.md.",
    ]


@pytest.mark.usefixtures("folder")
def test_on_reading_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    row = shown(capsys, "Types everywhere", "--harness", "claude-code")[3]
    assert re.fullmatch(r"claude-code \| on read \| message \d+ \(user\), line \d+, when src/a.ts is read", row)
    of_file = shown(capsys, "Types everywhere", "src/a.ts", "--harness", "claude-code")[3]
    assert of_file == row.removesuffix(", when src/a.ts is read")
    assert shown(capsys, "Types everywhere", "docs/old.md", "--harness", "claude-code", code=1)[3].startswith(
        "claude-code | never | no file was read that its paths mean"
    )


def test_a_text_that_nothing_has(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none, meant, _ = shown(capsys, "use tbas", code=1)
    assert none == f"“use tbas” is in no instruction file, and in no prompt, of {folder}."
    assert re.fullmatch(r"Did you mean \S+:\d: Use tabs\.", meant)
    [_, unknown] = shown(capsys, "zebra crossing", code=1)
    assert unknown.startswith("Not known: texts of Claude Code itself, so it is not searched.")


def test_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "Use tabs", str(folder), "--harness", "codex", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    at = [each["names"] for each in found["sources"]].index([f"{folder}/AGENTS.md"])
    assert found["sources"][at]["range"]["start"] == {"line": 2, "character": 0}
    [prompt] = found["prompts"]
    [place] = prompt["places"]
    assert (prompt["harness"], place["source"], place["at"], place["role"]) == ("codex", at, "start", "user")
    assert main(["preview", str(folder), "--harness", "codex", "--format", "json"]) == 0
    text = json.loads(capsys.readouterr().out)["messages"][place["message"]]["text"]
    assert text.split("\n")[place["line"]] == "Use tabs."


def test_an_empty_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", " "]) == 2
    assert capsys.readouterr().err == "promptls: The text to look for is empty; name a few words of it.\n"


def test_a_secret_is_not_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "AGENTS.md").write_text("token = sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\n")
    assert "abcdefghijkl" not in "".join(shown(capsys, "token =", "--harness", "codex"))
    main(["find", "token =", "--harness", "codex", "--format", "json"])
    assert "abcdefghijkl" not in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_of_one_session_nothing_is_said_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "Ancient words", "src/a.ts", "--harness", "claude-code", code=1)[3:] == [
        "claude-code | not here | another start, or another file that is read, may bring it",
        "",
        "No coding agent in use loads docs/old.md with this file.",
    ]


def test_what_is_not_known_is_not_searched_and_has_its_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = '{"mcpServers": {"docs": {"command": "docs-server"}}}'
    folder = lay_out(tmp_path / "shop", {"CLAUDE.md": "Use tabs.\n", ".mcp.json": server})
    main(["find", "tabs", str(folder)])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Not known: what MCP servers offer Claude Code, so it is not searched. To know it: ")
    main(["find", "spaces", str(folder), "--format=json"])
    assert [each["kind"] for each in json.loads(capsys.readouterr().out)["how"]] == ["servers", "capture"]
