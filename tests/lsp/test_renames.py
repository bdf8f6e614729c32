from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import inside, text_of

ALL: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"workspaceEdit": {"documentChanges": True}, "fileOperations": {"willRename": True}},
}


async def renamed(client: Client, old: Path, new: Path) -> dict[str, list[tuple[str, str]]]:
    """What was to be replaced by what, by file name."""
    files = [{"oldUri": uri_of(str(old)), "newUri": uri_of(str(new))}]
    result = await client.request("workspace/willRenameFiles", {"files": files})
    changes: dict[str, list[tuple[str, str]]] = {}
    for change in result["documentChanges"] if result else []:
        path = Path(change["textDocument"]["uri"].removeprefix("file://"))
        text = text_of(path)
        changes[path.name] = [(inside(text, edit["range"]), edit["newText"]) for edit in change["edits"]]
    return changes


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "opencode.json": '{"instructions": ["docs/style.md", "docs/*.md", "rest/x.md"]}',
            "AGENTS.md": "𝒳 [style](docs/style.md#top) and [other](a.md)\n",
            "GEMINI.md": "see @docs/style.md\n",
            "docs/style.md": "style\n",
            "rest/x.md": "x\n",
        },
    )


async def test_names_follow_a_renamed_file(client: Client, linked: Path) -> None:
    result = await client.start(ALL, folders=[str(linked)])
    assert result["capabilities"]["workspace"]["fileOperations"]["willRename"]["filters"]
    assert await renamed(client, linked / "docs/style.md", linked / "docs/taste.md") == {
        "opencode.json": [("docs/style.md", "docs/taste.md")],
        "AGENTS.md": [("docs/style.md#top", "docs/taste.md#top")],
        "GEMINI.md": [("docs/style.md", "docs/taste.md")],
    }


async def test_names_follow_a_renamed_folder(client: Client, linked: Path) -> None:
    await client.start(ALL, folders=[str(linked)])
    assert await renamed(client, linked / "docs", linked / "guide") == {
        "opencode.json": [("docs/style.md", "guide/style.md"), ("docs/*.md", "guide/*.md")],
        "AGENTS.md": [("docs/style.md#top", "guide/style.md#top")],
        "GEMINI.md": [("docs/style.md", "guide/style.md")],
    }


async def test_a_rename_that_concerns_nobody(client: Client, linked: Path) -> None:
    await client.start(ALL, folders=[str(linked)])
    files = [{"oldUri": uri_of(f"{linked}/src"), "newUri": uri_of(f"{linked}/lib")}]
    assert await client.request("workspace/willRenameFiles", {"files": files}) is None
