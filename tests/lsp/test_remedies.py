"""On the first line of a file that a program goes without: a change that brings it, which was tried in memory."""

from __future__ import annotations

from pathlib import Path

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened
from tests.lsp.test_actions import ALL, actions

START = {"line": 0, "character": 0}


async def test_a_file_that_another_hides_is_imported(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "Run make.\n", "CLAUDE.md": "Be short.\n"})
    await client.start(ALL, folders=[str(folder)], options={"harnesses": ["claude-code", "codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    found = [each for each in await actions(client, document, START) if each["kind"] == "refactor.rewrite"]
    assert [each["title"] for each in found] == [
        "Write @AGENTS.md into CLAUDE.md, for Claude Code",
        "Make one instruction file of CLAUDE.md, AGENTS.md …",
    ]
    [change] = found[0]["edit"]["documentChanges"]
    assert change["textDocument"]["uri"] == uri_of(f"{folder}/CLAUDE.md")
    assert change["edits"][0]["newText"] == "\n@AGENTS.md\n"
    assert [each["kind"] for each in await actions(client, document, {"line": 1, "character": 0})] == []


async def test_nothing_is_offered_where_the_file_arrives(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "Run make.\n", "CLAUDE.md": "@AGENTS.md\n"})
    await client.start(ALL, folders=[str(folder)], options={"harnesses": ["claude-code", "codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    offered = [each for each in await actions(client, document, START) if not each["kind"].startswith("source.")]
    # What it says beside CLAUDE.md may be said twice; that it arrives needs no action.
    assert [each["title"] for each in offered] == ["Drop from AGENTS.md what other files say or no coding agent gets …"]
