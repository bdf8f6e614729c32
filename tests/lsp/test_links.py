from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import at, inside, opened, text_of

CONTENT: dict[str, Any] = {"workspace": {"textDocumentContent": {}}}
# So that no diagnostics come by themselves.
PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
OFFLINE = {"urls": {"enabled": False}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "# Root\nroot rules\nsee [the style](docs/style.md#top) and [nothing](none.md)\n",
            "opencode.json": '{"instructions": [\n "docs/style.md",\n "docs/*.md", "none.md",\n "https://127.0.0.1:9/𝒳.md"]}\n',
            "docs/style.md": "style rules\n\n\nlast rule\n",
            "docs/tests.md": "test rules\n",
            "api/AGENTS.md": "api rules\n",
            "api/app.py": "print()\n",
        },
    )


async def test_entries_are_links(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    links = await client.request("textDocument/documentLink", await opened(client, folder / "opencode.json"))
    text = text_of(folder / "opencode.json")
    # Which of the hits of a pattern comes first is up to the disk.
    first = links[1]["tooltip"].partition(",")[0]
    assert links[1]["tooltip"] in ("style.md, and 1 more", "tests.md, and 1 more")
    assert [(inside(text, link["range"]), link["target"]) for link in links] == [
        ("docs/style.md", uri_of(f"{folder}/docs/style.md")),
        ("docs/*.md", uri_of(f"{folder}/docs/{first}")),
        ("https://127.0.0.1:9/𝒳.md", "https://127.0.0.1:9/𝒳.md"),
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
async def test_definition_of_an_entry_behind_astral_letters(client: Client, folder: Path, encoding: str) -> None:
    text = '{"a": "𝒳𝒳", "instructions": ["docs/𝒳.md"]}'
    (folder / "opencode.json").write_text(text, encoding="utf-8")
    (folder / "docs/𝒳.md").write_text("x\n", encoding="utf-8")
    capabilities = {
        "general": {"positionEncodings": [encoding]},
        "textDocument": {"diagnostic": {}, "definition": {"linkSupport": True}},
    }
    await client.start(capabilities, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / "opencode.json")
    params = {**document, "position": at(text, "docs/", encoding)}
    [found] = await client.request("textDocument/definition", params)
    assert found["targetUri"] == uri_of(f"{folder}/docs/𝒳.md")
    assert inside(text, found["originSelectionRange"], encoding) == "docs/𝒳.md"
    before = {**document, "position": at(text, "instructions", encoding)}
    assert await client.request("textDocument/definition", before) == []


async def test_definition_of_a_link_in_an_instruction_file(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / "AGENTS.md", "markdown")
    text = text_of(folder / "AGENTS.md")
    found = await client.request("textDocument/definition", {**document, "position": at(text, "style.md")})
    assert [each["uri"] for each in found] == [uri_of(f"{folder}/docs/style.md")]
    for word in ("none.md", "root rules"):
        assert not await client.request("textDocument/definition", {**document, "position": at(text, word)})


async def test_an_import(client: Client, folder: Path) -> None:
    lay_out(folder, {"GEMINI.md": "rules\nand @docs/style.md too\n"}, git=False)
    await client.start(PULL, folders=[str(folder)], options={"harness": "gemini-cli", **OFFLINE})
    document = await opened(client, folder / "GEMINI.md", "markdown")
    found = await client.request("textDocument/definition", {**document, "position": at("x\nand @docs", "@docs")})
    assert [each["uri"] for each in found] == [uri_of(f"{folder}/docs/style.md")]


async def test_from_the_preview_to_the_source(client: Client, folder: Path) -> None:
    await client.start(CONTENT, folders=[str(folder)], options=OFFLINE)
    shown = await client.request("prompt/preview", {"textDocument": {"uri": uri_of(f"{folder}/api/app.py")}})
    lines = shown["text"].splitlines()

    async def source(text: str) -> tuple[str, int]:
        position = {"line": lines.index(text), "character": 1}
        params = {"textDocument": {"uri": shown["uri"]}, "position": position}
        [found] = await client.request("textDocument/definition", params)
        return found["uri"].removeprefix(uri_of(str(folder)) + "/"), found["range"]["start"]["line"]

    assert await source("last rule") == ("docs/style.md", 3)
    assert await source("root rules") == ("AGENTS.md", 1)
    assert await source("api rules") == ("api/AGENTS.md", 0)
    assert await source(f"Instructions from: {folder}/docs/style.md") == ("docs/style.md", 0)
    heading = next(line for line in lines if line.startswith("### ") and "api/AGENTS.md" in line)
    assert await source(heading) == ("api/AGENTS.md", 0)
    first = {"textDocument": {"uri": shown["uri"]}, "position": {"line": 0, "character": 0}}
    assert await client.request("textDocument/definition", first) == []
    links = await client.request("textDocument/documentLink", {"textDocument": {"uri": shown["uri"]}})
    [link] = [each for each in links if each["range"]["start"]["line"] == lines.index(heading)]
    assert link["target"] == uri_of(f"{folder}/api/AGENTS.md") + "#L1"


async def test_who_names_a_file(client: Client, folder: Path) -> None:
    await client.start(CONTENT, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / "docs/style.md", "markdown")
    params = {**document, "position": {"line": 0, "character": 0}, "context": {"includeDeclaration": True}}
    found = await client.request("textDocument/references", params)
    config = text_of(folder / "opencode.json")
    files = [(each["uri"], each["range"]) for each in found if each["uri"].startswith("file:")]
    assert [(uri.rpartition("/")[2], where["start"]["line"]) for uri, where in files] == [
        ("opencode.json", 1),
        ("opencode.json", 2),
        ("AGENTS.md", 2),
    ]
    assert inside(config, files[0][1]) == '"docs/style.md"'
    assert any(each["uri"].startswith("promptls:") for each in found)


@pytest.mark.parametrize("editor", ["emacs-28", "neovim-0.7", "neovim", "emacs"])
async def test_recorded_editors_get_what_they_can_show(client: Client, folder: Path, editor: str) -> None:
    result = await client.start(**recorded(editor), folders=[str(folder)], options=OFFLINE)
    assert result["capabilities"]["definitionProvider"]
    document = await opened(client, folder / "AGENTS.md", "markdown")
    params = {**document, "position": {"line": 0, "character": 0}, "context": {"includeDeclaration": True}}
    assert await client.request("textDocument/references", params) == []
    text = text_of(folder / "AGENTS.md")
    found = await client.request("textDocument/definition", {**document, "position": at(text, "style.md")})
    assert [each["targetUri"] for each in found] == [uri_of(f"{folder}/docs/style.md")]


async def test_a_document_that_is_no_file_has_none(client: Client) -> None:
    await client.start()
    await client.open("untitled:x", "[a](b.md)")
    document = {"textDocument": {"uri": "untitled:x"}}
    position = {"position": {"line": 0, "character": 5}}
    assert await client.request("textDocument/documentLink", document) == []
    assert await client.request("textDocument/definition", {**document, **position}) == []
    context = {"context": {"includeDeclaration": True}}
    assert await client.request("textDocument/references", {**document, **position, **context}) == []


NAMES: dict[str, dict[str, str]] = {
    "claude-code": {
        ".claude/agents/any.md": "---\nname: rev\ndescription: R\nskills: [own, none]\n---\nReview.\n",
        ".claude/skills/own/SKILL.md": "---\ndescription: D\nagent: rev\n---\nText.\n",
        ".claude/settings.json": '{"agent": "rev", "model": "own"}',
    },
    "opencode": {
        ".opencode/agents/rev.md": "---\ndescription: R\nmode: subagent\n---\nReview.\n",
        ".opencode/agents/main.md": "---\ndescription: M\nmode: primary\n---\nMain.\n",
        ".opencode/commands/do.md": '---\nagent: "rev"\n---\nDo.\n',
        "opencode.json": '{"default_agent": "main", "command": {"go": {"template": "x", "agent": "rev"}}}',
    },
    "copilot-vscode": {
        ".github/agents/rev.agent.md": "---\ndescription: R\nagents: ['two']\n---\nReview.\n",
        ".github/agents/two.agent.md": "---\ndescription: T\n---\nTwo.\n",
        ".github/prompts/do.prompt.md": "---\nagent: rev\n---\nDo.\n",
    },
}
LED: dict[str, dict[str, list[tuple[str, str]]]] = {
    "claude-code": {
        ".claude/agents/any.md": [("own", ".claude/skills/own/SKILL.md")],
        ".claude/skills/own/SKILL.md": [("rev", ".claude/agents/any.md")],
        ".claude/settings.json": [("rev", ".claude/agents/any.md")],
    },
    "opencode": {
        ".opencode/commands/do.md": [("rev", ".opencode/agents/rev.md")],
        "opencode.json": [("main", ".opencode/agents/main.md"), ("rev", ".opencode/agents/rev.md")],
    },
    "copilot-vscode": {
        ".github/agents/rev.agent.md": [("two", ".github/agents/two.agent.md")],
        ".github/prompts/do.prompt.md": [("rev", ".github/agents/rev.agent.md")],
    },
}


@pytest.mark.parametrize("harness", NAMES)
async def test_a_name_of_an_agent_or_a_skill_leads_to_its_file(client: Client, tmp_path: Path, harness: str) -> None:
    folder = lay_out(tmp_path / "project", {**NAMES[harness]})
    await client.start(PULL, folders=[str(folder)], options={**OFFLINE, "harnesses": [harness]})
    for name, expected in LED[harness].items():
        text = text_of(folder / name)
        document = await opened(client, folder / name, "json" if name.endswith(".json") else "markdown")
        links = await client.request("textDocument/documentLink", document)
        led = [(inside(text, each["range"]), each["target"]) for each in links]
        assert sorted(led) == sorted((word, uri_of(f"{folder}/{path}")) for word, path in expected), name
        for each, (_, target) in zip(links, led, strict=True):
            params = {**document, "position": each["range"]["start"]}
            assert [found["uri"] for found in await client.request("textDocument/definition", params)] == [target]
