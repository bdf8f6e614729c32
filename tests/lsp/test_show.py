"""What opens the prompt, the map and the verdict in a client without an extension: actions on the first line."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import opened
from tests.lsp.test_actions import ALL, actions

START = {"line": 0, "character": 0}
KIND = "source.promptls"
SHOWS = {**ALL, "window": {"showDocument": {"support": True}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "shop", {"AGENTS.md": "Run make.\n", "api/a.py": "1\n"})


async def run(client: Client, command: dict[str, Any]) -> Any:
    params = {"command": command["command"], "arguments": command["arguments"]}
    return await client.request("workspace/executeCommand", params)


async def test_each_view_is_an_action_of_the_first_line(client: Client, folder: Path) -> None:
    await client.start(SHOWS, folders=[str(folder)], options={"harnesses": ["codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    found = await actions(client, document, START, [KIND])
    assert {each["kind"] for each in found} == {KIND}
    assert [each["command"]["arguments"][0] for each in found] == ["preview", "map", "verdict"]
    assert await actions(client, document, {"line": 1, "character": 0}, [KIND]) == []


def text_at(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


async def test_what_shows_comes_before_what_finds_out(client: Client, folder: Path) -> None:
    await client.start(SHOWS, folders=[str(folder)], options={"harnesses": ["codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    kinds = [each["kind"] for each in await actions(client, document, START)]
    assert KIND in kinds
    assert "source.findOut" in kinds[kinds.index(KIND) + 3 :]


@pytest.mark.parametrize(("what", "ending", "has"), [("preview", ".md", "run make."), ("map", ".html", "<!doctype")])
async def test_a_view_is_opened_as_a_document(client: Client, folder: Path, what: str, ending: str, has: str) -> None:
    await client.start(SHOWS, folders=[str(folder)], options={"harnesses": ["codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    said = await run(client, {"command": "promptls.show", "arguments": [what, document["textDocument"]["uri"]]})
    asked = await client.next("window/showDocument")
    client.answer(asked, {"success": True})
    # LSP4IJ opens nothing in its editor without it.
    assert asked["params"].get("external") or asked["params"]["selection"] == {"start": START, "end": START}
    path = unquote(urlsplit(asked["params"]["uri"]).path)
    assert path.endswith(ending)
    assert text_at(path) == said["text"]
    assert has in said["text"].lower()


async def test_the_verdict_is_told(client: Client, folder: Path) -> None:
    await client.start(SHOWS, folders=[str(folder)], options={"harnesses": ["codex", "claude-code"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    said = await run(client, {"command": "promptls.show", "arguments": ["verdict", document["textDocument"]["uri"]]})
    shown = await client.next("window/showMessage")
    assert shown["message"] == said["text"]
    assert [each.partition(":")[0] for each in said["text"].splitlines()] == ["Codex", "Claude Code"]


async def test_each_file_has_a_preview_of_its_own(client: Client, folder: Path) -> None:
    """An editor that has one open may show that again, instead of reading the file."""
    (folder / "api" / "AGENTS.md").write_text("Run cargo.\n", "utf-8")
    await client.start(SHOWS, folders=[str(folder)], options={"harnesses": ["codex"]})
    asked = []
    for name in ("AGENTS.md", "api/AGENTS.md"):
        document = await opened(client, folder / name, "markdown")
        await run(client, {"command": "promptls.show", "arguments": ["preview", document["textDocument"]["uri"]]})
        asked.append((await client.next("window/showDocument"))["params"]["uri"])
    assert asked[0] != asked[1]


async def test_a_client_that_cannot_open_it_is_told_where_it_is(client: Client, folder: Path) -> None:
    await client.start(SHOWS, folders=[str(folder)], options={"harnesses": ["codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    await run(client, {"command": "promptls.show", "arguments": ["preview", document["textDocument"]["uri"]]})
    client.answer(await client.next("window/showDocument"), {"success": False})
    shown = await client.next("window/showMessage")
    assert "Run make." in text_at(shown["message"].removeprefix("Open "))


async def test_a_client_that_opens_no_document_is_told_where_it_is(client: Client, folder: Path) -> None:
    await client.start(ALL, folders=[str(folder)], options={"harnesses": ["codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    await run(client, {"command": "promptls.show", "arguments": ["preview", document["textDocument"]["uri"]]})
    shown = await client.next("window/showMessage")
    assert "Run make." in text_at(shown["message"].removeprefix("Open "))


@pytest.mark.parametrize("editor", ["helix", "neovim", "emacs", "zed", "lsp4ij"])
async def test_editors_open_each_view(client: Client, folder: Path, editor: str) -> None:
    """As each editor begins: it gets the actions, and what they run is shown or told."""
    await client.start(**recorded(editor), folders=[str(folder)], options={"harnesses": ["codex"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    found = [each for each in await actions(client, document, START) if each.get("kind") == KIND]
    assert len(found) == 3
    said = await run(client, found[0]["command"])
    if recorded(editor)["capabilities"]["window"].get("showDocument", {}).get("support"):
        asked = await client.next("window/showDocument")
        client.answer(asked, {"success": True})
    else:
        await client.next("window/showMessage")
    assert "Run make." in said["text"]


async def test_an_extension_has_its_own(client: Client, folder: Path) -> None:
    capabilities = {**SHOWS, "workspace": {**ALL["workspace"], "textDocumentContent": {}}}
    await client.start(capabilities, folders=[str(folder)])
    document = await opened(client, folder / "AGENTS.md", "markdown")
    assert await actions(client, document, START, [KIND]) == []
