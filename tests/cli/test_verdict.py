"""What opens an explanation: whether each program gets the file, and a change after which it does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from promptls.cli import main
from promptls.workspace.request import Sources, look_at
from promptls.workspace.verdicts import explained
from tests.cli.conftest import below_session
from tests.folder import lay_out

CODEX = {".codex/config.toml": ""}
NESTED = {"AGENTS.md": "Run make.\n", "sdk/AGENTS.md": "Use pnpm.\n", "sdk/a.ts": "1\n"}
# Files, what is explained, and what is said first.
SAID: list[tuple[Mapping[str, str], str, list[str]]] = [
    (
        {**CODEX, **NESTED},
        "sdk/AGENTS.md",
        ["Codex: no. You start at the root; start in sdk/, or move it to AGENTS.md."],
    ),
    (
        {**CODEX, **NESTED},
        "sdk/AGENTS.md:1",
        ["Codex: no. You start at the root; start in sdk/, or move it to AGENTS.md."],
    ),
    ({**CODEX, **NESTED}, "AGENTS.md", ["Codex: yes, at the start."]),
    (
        {"CLAUDE.md": "Be short.\n", "sdk/CLAUDE.md": "Use pnpm.\n", "sdk/a.ts": "1\n"},
        "sdk/CLAUDE.md",
        ["Claude Code: yes, on reading a file in sdk/; after a compaction gone until a file near it is read."],
    ),
    (
        {**CODEX, "AGENTS.md": "Run make.\n", "CLAUDE.md": "Be short.\n", ".claude/settings.json": "{}"},
        "AGENTS.md",
        [
            "Claude Code: no. It takes CLAUDE.md instead; you can write @AGENTS.md into CLAUDE.md.",
            "Codex: yes, at the start.",
        ],
    ),
    (
        {"AGENTS.md": "Run make.\n", "CLAUDE.md": "@agents.md\n", ".claude/settings.json": "{}"},
        "AGENTS.md",
        ["Claude Code: no. It takes CLAUDE.md instead; you can write @AGENTS.md for @agents.md in CLAUDE.md."],
    ),
    (
        {**CODEX, ".gemini/settings.json": "{}", "notes.txt": "Notes.\n"},
        "notes.txt",
        ["Codex, Gemini CLI: no. They do not look for a file of this name here."],
    ),
    (
        {".clinerules/a.md": "Be kind.\n", "sdk/.clinerules/b.md": "Use pnpm.\n"},
        "sdk/.clinerules/b.md",
        ["Cline: no. You start at the root; start in sdk/, or move it to .clinerules/b.md."],
    ),
    (
        {".claude/settings.json": '{"model": "opus"}'},
        ".claude/settings.json",
        ["Claude Code: yes, used as configuration; its text is not sent."],
    ),
    (
        {".gemini/settings.json": "{}"},
        ".gemini/settings.json",
        ["Gemini CLI: yes, used as configuration, once you trust the folder; its text is not sent."],
    ),
]


@pytest.mark.parametrize(("files", "asked", "said"), SAID)
def test_one_line_for_each_program(
    files: Mapping[str, str],
    asked: str,
    said: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(lay_out(tmp_path, {**files}))
    assert main(["explain", asked]) == 0
    lines = below_session(capsys.readouterr().out)
    begin = 2 if ":" in asked else 1
    assert lines[begin : begin + len(said)] == said
    assert main(["explain", asked, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["verdicts"]
    assert len(found) >= len(said)
    assert found[0]["answer"] == ("yes" if ": yes" in said[0] else "no")


def test_nothing_is_written_into_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Run make.\n", "CONTRIBUTING.md": "Be welcome.\n", ".claude/a.json": "{}"})
    (folder / "CLAUDE.md").symlink_to("CONTRIBUTING.md")
    monkeypatch.chdir(folder)
    assert main(["explain", "AGENTS.md"]) == 0
    assert "Claude Code: no. It takes CLAUDE.md instead.\n" in capsys.readouterr().out


def test_a_change_that_costs_another_program_a_line_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Codex sends 32,768 bytes of the root's file and the nested ones together: more text there cuts what is last."""
    files = {
        **CODEX,
        "AGENTS.md": "A line of the root.\n" * 1638,
        "sdk/AGENTS.md": "Use pnpm.\n" * 3,
        "sdk/a.ts": "1\n",
    }
    monkeypatch.chdir(lay_out(tmp_path, {**files}))
    assert main(["explain", "sdk/AGENTS.md"]) == 0
    assert "Codex: no. You start at the root; start in sdk/.\n" in capsys.readouterr().out


def test_git_is_asked_for_the_start_of_the_reader_alone(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path, {"CLAUDE.md": "x\n", "sdk/CLAUDE.md": "y\n", "sdk/api/CLAUDE.md": "z\n", "sdk/a.py": "1\n"}
    )
    asked: list[str] = []
    path = f"{folder}/sdk/api/CLAUDE.md"
    here = look_at(path, str(folder), Sources(git=asked.append))
    assert explained(path, here, lambda _: [], "/").verdicts
    assert asked == [str(folder)]


def test_a_link_comes_back_as_what_it_links_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = lay_out(tmp_path / "w", {"CLAUDE.md": "Be short.\n", "sdk/AGENTS.md": "Use pnpm.\n", "sdk/a.ts": "1\n"})
    (root / "sdk/CLAUDE.md").symlink_to("AGENTS.md")
    assert main(["explain", "--harness", "claude-code", str(root / "sdk/AGENTS.md")]) == 0
    assert "; after a compaction gone until a file near it is read." in capsys.readouterr().out
