from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from promptls.lsp.features import lens
from promptls.lsp.server import PromptServer
from promptls.lsp.uris import path_of, uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import at, opened, text_of

REFRESHED: dict[str, Any] = {"workspace": {"codeLens": {"refreshSupport": True}, "textDocumentContent": {}}}
MODEL = {"model": "some/model"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "# One\n\nroot rules\n\n```\n# none\n```\n## Two 𝒳\ntext\n# Three\n",
            "opencode.json": "{}",
            "api/AGENTS.md": "api rules\n",
            "api/app.py": "print()\n",
            "notes.md": "notes\n",
        },
    )


async def titles(client: Client, document: dict[str, Any]) -> list[str]:
    lenses = await client.request("textDocument/codeLens", document)
    uri = document["textDocument"]["uri"]
    assert all(lens["command"]["command"] == "promptls.preview" for lens in lenses)
    assert all(lens["command"]["arguments"] == [uri] for lens in lenses)
    for command in (each["command"] for each in lenses):
        assert (command.get("tooltip") is not None) == (" tokens of " in command["title"])
    return [lens["command"]["title"] for lens in lenses]


def tokens_of(title: str, before: str) -> int:
    """The tokens of a file in the line above it, which begins like this."""
    assert title.startswith(f"{before}~")
    return int(title.removeprefix(f"{before}~").partition(" tokens of ")[0])


async def test_what_a_file_costs_and_when(client: Client, folder: Path) -> None:
    await client.start(REFRESHED, folders=[str(folder)], options=MODEL)
    [verdict, root] = await titles(client, await opened(client, folder / "AGENTS.md", "markdown"))
    assert verdict == "opencode: yes, at the start."
    # With the line around it that names the folder.
    assert tokens_of(root, "opencode · start · ") > 22
    [verdict, nested] = await titles(client, await opened(client, folder / "api/AGENTS.md", "markdown"))
    assert verdict == "opencode: yes, on reading a file in api/."
    assert tokens_of(nested, "opencode · read when you open api/** (1 file) · ") > 3
    assert await titles(client, await opened(client, folder / "notes.md", "markdown")) == []


async def test_a_lower_bound_leads_to_what_finds_out_the_rest(client: Client, folder: Path) -> None:
    server = '{"mcp": {"docs": {"type": "local", "command": ["docs"]}}}'
    lay_out(folder, {"opencode.json": server}, git=False)
    await client.start(REFRESHED, folders=[str(folder)], options=MODEL)
    found = await client.request("textDocument/codeLens", await opened(client, folder / "AGENTS.md", "markdown"))
    [servers] = [each["command"] for each in found if each["command"]["command"] == "promptls.findOut"]
    assert servers["title"] == "Not known: what MCP servers offer opencode · find out"
    assert servers["tooltip"].startswith("promptls servers ")
    assert servers["arguments"][0]["kind"] == "servers"


async def test_what_a_skill_costs(client: Client, folder: Path) -> None:
    release = "---\nname: release\ndescription: How to make a release\n---\nTag it.\n"
    broken = "Tag it.\n"
    lay_out(folder / ".opencode/skills", {"release/SKILL.md": release, "broken/SKILL.md": broken}, git=False)
    await client.start(REFRESHED, folders=[str(folder)], options=MODEL)
    [_, listed] = await titles(client, await opened(client, folder / ".opencode/skills/release/SKILL.md", "markdown"))
    assert listed.startswith("opencode · listed as a skill · ~")
    [_, unlisted] = await titles(client, await opened(client, folder / ".opencode/skills/broken/SKILL.md", "markdown"))
    assert unlisted == "opencode · does not offer it as a skill"


async def test_how_much_is_over_a_limit(client: Client, folder: Path) -> None:
    text = "A line of thirty-two characters\n" * 1025
    lay_out(folder, {"AGENTS.md": text, ".codex/config.toml": ""}, git=False)
    await client.start(REFRESHED, folders=[str(folder)], options={"harnesses": ["codex"]})
    [verdict, lens] = await titles(client, await opened(client, folder / "AGENTS.md", "markdown"))
    assert verdict.startswith("Codex: in part, at the start: 32,768 of 32,800 bytes are kept: ")
    assert lens.endswith(" · 32 bytes over the limit, from line 1,025")


async def test_the_client_asks_again_only_where_a_lens_changed(client: Client, folder: Path) -> None:
    await client.start(REFRESHED, folders=[str(folder)], options=MODEL)
    document = await opened(client, folder / "AGENTS.md", "markdown")
    before = tokens_of((await titles(client, document))[1], "opencode · start · ")
    await client.change(document["textDocument"]["uri"], "root rules, and more of them\n" * 20)
    client.answer(await client.next("workspace/codeLens/refresh"), None)
    assert tokens_of((await titles(client, document))[1], "opencode · start · ") > before


async def test_a_client_with_the_extension_has_the_command_itself(client: Client) -> None:
    result = await client.start(REFRESHED)
    assert result["capabilities"]["executeCommandProvider"] == {"commands": ["promptls.trim", "promptls.unify"]}


@pytest.mark.parametrize("editor", ["emacs-28", "neovim-0.7", "neovim", "emacs"])
async def test_the_command_shows_the_preview_elsewhere(client: Client, folder: Path, editor: str) -> None:
    result = await client.start(**recorded(editor), folders=[str(folder)])
    assert result["capabilities"]["executeCommandProvider"] == {
        "commands": [
            *("promptls.trim", "promptls.unify", "promptls.preview"),
            *("promptls.previewSubagent", "promptls.findOut", "promptls.show"),
        ]
    }
    params = {"command": "promptls.preview", "arguments": [uri_of(f"{folder}/api/app.py")]}
    shown = await client.request("workspace/executeCommand", params)
    assert "api rules" in shown["text"]
    if editor == "neovim":
        request = await client.next("window/showDocument")
        path = path_of(request["params"]["uri"])
        assert path is not None
        assert text_of(Path(path)) == shown["text"]
        client.answer(request, {"success": True})


async def hints(client: Client, document: dict[str, Any], last: int = 99) -> list[Any]:
    where = {"start": {"line": 0, "character": 0}, "end": {"line": last, "character": 0}}
    found: list[Any] = await client.request("textDocument/inlayHint", {**document, "range": where})
    return [(hint["position"], hint["label"]) for hint in found]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
async def test_tokens_of_sections(client: Client, folder: Path, encoding: str) -> None:
    capabilities = {"general": {"positionEncodings": [encoding]}}
    await client.start(capabilities, folders=[str(folder)], options={**MODEL, "inlayHints": True})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    text = text_of(folder / "AGENTS.md")
    assert await hints(client, document) == [
        (at(text, "# One", encoding, end=True), "~20 tokens"),
        (at(text, "## Two 𝒳", encoding, end=True), "~8 tokens"),
        (at(text, "# Three", encoding, end=True), "~3 tokens"),
    ]
    assert len(await hints(client, document, 3)) == 1
    assert await hints(client, await opened(client, folder / "notes.md", "markdown")) == []


async def test_hints_are_off_unless_they_are_set(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    document = await opened(client, folder / "AGENTS.md", "markdown")
    assert await hints(client, document) == []


async def test_the_client_asks_again_when_they_are_set(client: Client, folder: Path) -> None:
    await client.start({"workspace": {"inlayHint": {"refreshSupport": True}}}, folders=[str(folder)])
    document = await opened(client, folder / "AGENTS.md", "markdown")
    assert await hints(client, document) == []
    await client.notify("workspace/didChangeConfiguration", {"settings": {"promptls": {"inlayHints": True}}})
    client.answer(await client.next("workspace/inlayHint/refresh"), None)
    assert len(await hints(client, document)) == 3


async def test_a_file_of_the_home_directory_is_for_every_start(client: Client, folder: Path, home: Path) -> None:
    lay_out(home / ".claude", {"CLAUDE.md": "Be brief.\n"}, git=False)
    await client.start(REFRESHED, folders=[str(folder)], options={**MODEL, "harnesses": ["claude-code", "copilot-cli"]})
    document = await opened(client, home / ".claude/CLAUDE.md", "markdown")
    found = await client.request("textDocument/hover", {**document, "position": {"line": 0, "character": 1}})
    said = found["contents"]["value"]
    assert "**Claude Code**: yes, at the start." in said
    assert f"started in `{home}" not in said
    assert "**GitHub Copilot CLI**: no. Copilot CLI does not read it in the home directory." in said


async def test_what_is_counted_while_an_answer_is_made_is_told(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [[], [types.Command("In 1 of your last 2 sessions", "promptls.preview", arguments=["x"])]]

    async def commands(server: PromptServer, _: str) -> list[types.Command]:
        found = answers[0]
        if len(answers) > 1:
            answers.pop(0)
            server.context.events.rules_counted.emit(None)
            await asyncio.sleep(0)
        return found

    await client.start(REFRESHED, folders=[str(folder)], options=MODEL)
    document = await opened(client, folder / "AGENTS.md", "markdown")
    monkeypatch.setattr(lens, "_commands", commands)
    # The other event that makes a client ask again.
    monkeypatch.setattr(client.server.context.events.previews_checked, "emit", lambda _: None)
    assert await client.request("textDocument/codeLens", document) == []
    client.answer(await client.next("workspace/codeLens/refresh"), None)
    [told] = await client.request("textDocument/codeLens", document)
    assert told["command"]["title"] == "In 1 of your last 2 sessions"
