"""On the first line of a file: commands that find out what the preview of it does not know."""

from __future__ import annotations

import json
from pathlib import Path

from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened
from tests.lsp.test_actions import ALL, actions

START = {"line": 0, "character": 0}
KIND = "source.findOut"
SERVER = json.dumps({"mcp": {"docs": {"type": "local", "command": ["docs-server"]}}})


async def test_a_command_that_finds_out_is_named_and_shown(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "Run make.\n", "opencode.json": SERVER})
    await client.start(ALL, folders=[str(folder)], options={"harnesses": ["opencode"]})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    found = await actions(client, document, START, [KIND])
    assert {each["kind"] for each in found} == {KIND}
    [own, servers] = [each["title"] for each in found]
    assert own.startswith("To know texts of opencode itself: promptls capture --save --harness=opencode ")
    assert servers.startswith("To know what MCP servers offer opencode: promptls servers ")
    [command] = [each["command"] for each in found if "servers" in each["title"]]
    assert command["arguments"][0]["kind"] == "servers"
    result = await client.request(
        "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
    )
    assert result["text"].startswith("promptls servers ")
    shown = await client.next("window/showMessage")
    assert shown["message"] == f"Run this in a terminal: {result['text']}"
    assert await actions(client, document, {"line": 1, "character": 0}, [KIND]) == []


async def test_an_argument_that_is_no_command_shows_nothing(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", {"AGENTS.md": "Run make.\n"})
    await client.start(ALL, folders=[str(folder)], options={"harnesses": ["opencode"]})
    for argument in ({"command": "rm"}, {"command": [1]}, {}, 3, None):
        result = await client.request(
            "workspace/executeCommand", {"command": "promptls.findOut", "arguments": [argument]}
        )
        assert result == {"text": ""}


async def test_an_extension_has_the_command_itself(client: Client) -> None:
    result = await client.start({**ALL, "workspace": {**ALL["workspace"], "textDocumentContent": {}}})
    commands = (result["capabilities"].get("executeCommandProvider") or {}).get("commands", [])
    assert "promptls.findOut" not in commands
