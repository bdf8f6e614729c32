from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {"AGENTS.md": "# 𝒳 rules of taste\n\ntext\n## Names\n", "opencode.json": "{}", "app.py": "print()\n"},
    )


async def shown(client: Client, folder: Path) -> tuple[dict[str, Any], list[str]]:
    result = await client.request("prompt/preview", {"textDocument": {"uri": uri_of(f"{folder}/app.py")}})
    return {"textDocument": {"uri": result["uri"]}}, result["text"].splitlines()


async def test_messages_and_segments_of_a_preview(client: Client, folder: Path) -> None:
    await client.start({"workspace": {"textDocumentContent": {}}}, folders=[str(folder)])
    document, lines = await shown(client, folder)
    symbols = await client.request("textDocument/documentSymbol", document)
    messages = [line.removeprefix("## ") for line in lines if line.startswith("## ") and line[3].isdigit()]
    assert [symbol["name"] for symbol in symbols][: len(messages)] == messages
    segments = [child["name"] for symbol in symbols for child in symbol.get("children", ())]
    assert [line.removeprefix("### ") for line in lines if line.startswith("### ")] == segments
    for symbol in symbols:
        assert lines[symbol["selectionRange"]["start"]["line"]].endswith(symbol["name"])


async def test_folding_of_a_preview(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    document, lines = await shown(client, folder)
    folds = await client.request("textDocument/foldingRange", document)
    folded = {number for fold in folds for number in range(fold["startLine"] + 1, fold["endLine"] + 1)}
    first = next(number for number, line in enumerate(lines) if line.startswith("## "))
    left = [line for number, line in enumerate(lines) if number not in folded]
    assert left[:first] == lines[:first]
    assert all(line.startswith("##") for line in left[first:] if line)
    # A message that has a text of the user's keeps the heading of each of its parts.
    messages = [line for line in lines if line.startswith("## ") and line != "## Names"]
    assert [line for line in left if line.startswith("## ")] == messages
    assert [line for line in left[first:] if line.startswith("### AGENTS.md · instructions")]


async def test_what_is_the_programs_own_can_be_folded_by_itself(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    params = {"textDocument": {"uri": uri_of(f"{folder}/app.py")}, "harness": "claude-code"}
    (folder / "CLAUDE.md").write_text("Answer in one paragraph.\n")
    result = await client.request("prompt/preview", params)
    document, lines = {"textDocument": {"uri": result["uri"]}}, result["text"].splitlines()
    folds = await client.request("textDocument/foldingRange", document)
    own = [fold for fold in folds if fold.get("kind") == "imports"]
    folded = {number for fold in own for number in range(fold["startLine"] + 1, fold["endLine"] + 1)}
    left = [line for number, line in enumerate(lines) if number not in folded]
    assert "Answer in one paragraph." in left
    assert not [line for line in left if "billing line" in line], "a message of the program's alone is one line"
    assert [line for line in left if line.startswith("## Tools")]
    assert lines[result["ownLine"]].startswith("### CLAUDE.md")
    assert all(not fold["startLine"] <= result["ownLine"] < fold["endLine"] for fold in own)


async def test_other_documents_are_left_to_others(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    document = await opened(client, folder / "AGENTS.md", "markdown")
    assert await client.request("textDocument/documentSymbol", document) is None
    assert await client.request("textDocument/foldingRange", document) is None


@pytest.mark.parametrize("editor", ["emacs-28", "neovim-0.7", "neovim", "emacs"])
async def test_headings_of_files_that_are_in_a_prompt(client: Client, folder: Path, editor: str) -> None:
    await client.start(**recorded(editor), folders=[str(folder)])
    assert await client.request("workspace/symbol", {"query": ""}) == []
    await shown(client, folder)
    found = await client.request("workspace/symbol", {"query": "rlst"})
    assert [(each["name"], each["location"]["range"]["start"]["line"]) for each in found] == [("𝒳 rules of taste", 0)]
    assert [each["name"] for each in await client.request("workspace/symbol", {"query": ""})] == [
        "𝒳 rules of taste",
        "Names",
    ]
