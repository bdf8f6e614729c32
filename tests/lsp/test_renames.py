from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import inside, text_of

ALL: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"workspaceEdit": {"documentChanges": True}, "fileOperations": {"willRename": True}},
}


async def renamed(client: Client, *ends: Path) -> dict[str, list[tuple[str, str]]]:
    """What was to be replaced by what, by path; ``ends``: each old path, followed by the new one."""
    pairs = zip(ends[::2], ends[1::2], strict=True)
    files = [{"oldUri": uri_of(str(old)), "newUri": uri_of(str(new))} for old, new in pairs]
    result = await client.request("workspace/willRenameFiles", {"files": files})
    changes: dict[str, list[tuple[str, str]]] = {}
    for change in result["documentChanges"] if result else []:
        path = Path(unquote(change["textDocument"]["uri"].removeprefix("file://")))
        text = text_of(path)
        changes[str(path).removeprefix(f"{client.server.context.folders[0].path}/")] = [
            (inside(text, edit["range"]), edit["newText"]) for edit in change["edits"]
        ]
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


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "opencode.json": '{"instructions": ["packages/api/style.md"]}',
            "AGENTS.md": "[api](packages/api/AGENTS.md)\n",
            "GEMINI.md": "root\n",
            "docs/style.md": "style\n",
            "packages/api/AGENTS.md": "[up](../../docs/style.md) [side](style.md#a) [here](./style.md)\n",
            "packages/api/GEMINI.md": "@../../docs/style.md\n@./style.md\n",
            "packages/api/style.md": "api style\n",
        },
    )


async def test_what_a_moved_file_names_is_found_from_its_new_place(client: Client, nested: Path) -> None:
    await client.start(ALL, folders=[str(nested)])
    assert await renamed(client, nested / "packages/api/AGENTS.md", nested / "lib/AGENTS.md") == {
        "AGENTS.md": [("packages/api/AGENTS.md", "lib/AGENTS.md")],
        "packages/api/AGENTS.md": [
            ("../../docs/style.md", "../docs/style.md"),
            ("style.md#a", "../packages/api/style.md#a"),
            ("./style.md", "../packages/api/style.md"),
        ],
    }


async def test_what_a_moved_folder_names_outside_of_it_is_found(client: Client, nested: Path) -> None:
    await client.start(ALL, folders=[str(nested)])
    found = await renamed(client, nested / "packages/api", nested / "api")
    assert found["packages/api/GEMINI.md"] == [("../../docs/style.md", "../docs/style.md")]
    assert found["opencode.json"] == [("packages/api/style.md", "api/style.md")]


async def test_both_ends_move_together(client: Client, nested: Path) -> None:
    await client.start(ALL, folders=[str(nested)])
    old, new = nested / "packages/api", nested / "lib/deep/api"
    found = await renamed(
        client, old / "GEMINI.md", new / "GEMINI.md", old / "style.md", new / "style.md", nested / "docs", nested / "d"
    )
    assert found["packages/api/GEMINI.md"] == [("../../docs/style.md", "../../../d/style.md")]
    assert found["opencode.json"] == [("packages/api/style.md", "lib/deep/api/style.md")]
