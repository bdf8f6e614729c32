"""What the editor says of the files of a folder that a program does not trust yet, or never will."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened

REFRESHED: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"codeLens": {"refreshSupport": True}, "textDocumentContent": {}},
}
SKILL = "---\nname: release\ndescription: How to make a release\n---\nTag it.\n"
HOOKS = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo"}]}]}}'
SERVERS = '{"mcpServers": {"a": {"command": "x"}}}'
ROLE = 'name = "rev"\ndescription = "Reviews"\ndeveloper_instructions = "Review."\n'
FILES = {
    "gemini-cli": {
        "GEMINI.md": "rules\n",
        ".gemini/settings.json": SERVERS,
        ".gemini/skills/release/SKILL.md": SKILL,
        ".gemini/commands/do.toml": 'description = "Does"\nprompt = "Do it."\n',
    },
    "codex": {
        ".codex/config.toml": 'model = "gpt-5"\n[mcp_servers.a]\ncommand = "x"\n',
        ".codex/agents/rev.toml": ROLE,
    },
    "copilot-cli": {
        ".mcp.json": SERVERS,
        ".github/hooks/h.json": '{"hooks": {"sessionStart": [{"type": "command", "bash": "echo"}]}}',
    },
}
# Of the same folders, what counts in any.
ANYWHERE = {
    "codex": {"AGENTS.md": "rules\n", ".codex/skills/release/SKILL.md": SKILL},
    "copilot-cli": {"AGENTS.md": "rules\n", ".github/skills/release/SKILL.md": SKILL},
}
ONCE = "once you trust the folder"
TITLES = {"gemini-cli": "Gemini CLI", "codex": "Codex", "copilot-cli": "GitHub Copilot CLI"}


@pytest.mark.parametrize("harness", FILES)
async def test_each_view_says_what_waits_for_trust(client: Client, tmp_path: Path, harness: str) -> None:
    folder = await _start(client, tmp_path, harness)
    for name in FILES[harness]:
        lens, hover = await _views(client, folder / name)
        file, _, unknown = lens.partition("Not known: ")
        assert (file.count(ONCE), hover.count(ONCE)) == (2, 1), (name, lens, hover)
        assert f"what MCP servers offer {TITLES[harness]} {ONCE}" in unknown
    for name in ANYWHERE.get(harness, ()):
        lens, hover = await _views(client, folder / name)
        assert "" not in (lens, hover)
        assert ONCE not in lens.partition("Not known: ")[0] + hover, (name, lens, hover)


@pytest.mark.parametrize("harness", FILES)
async def test_nothing_waits_in_a_folder_that_is_trusted(
    client: Client, tmp_path: Path, home: Path, harness: str
) -> None:
    folder = str(tmp_path / "project")
    records: dict[str, str | bytes | dict[str, object]] = {
        ".gemini/trustedFolders.json": {folder: "TRUST_FOLDER"},
        ".codex/config.toml": f'[projects.{json.dumps(folder)}]\ntrust_level = "trusted"\n',
        ".copilot/config.json": {"trusted_folders": [folder]},
    }
    lay_out(home, records, git=False)
    await _start(client, tmp_path, harness)
    for name in FILES[harness]:
        lens, hover = await _views(client, tmp_path / "project" / name)
        assert "" not in (lens, hover)
        assert ONCE not in lens + hover, (name, lens, hover)


async def test_a_program_that_sends_nothing_loads_nothing(client: Client, tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "project"
    lay_out(home, {".gemini/trustedFolders.json": {str(folder): "DO_NOT_TRUST"}}, git=False)
    await _start(client, tmp_path, "gemini-cli")
    for name in FILES["gemini-cli"]:
        lens, hover = await _views(client, folder / name)
        assert lens.startswith("Gemini CLI: no. It sends nothing here: gemini-cli does not trust this folder")
        assert lens.endswith("gemini-cli · sends nothing here")
        assert "Gemini CLI sends nothing here: gemini-cli does not trust this folder" in hover


async def test_a_preview_is_what_is_sent_in_a_folder_that_is_trusted_and_says_so(
    client: Client, tmp_path: Path
) -> None:
    folder = await _start(client, tmp_path, "gemini-cli")
    document = await opened(client, folder / "GEMINI.md")
    found = await client.request("prompt/preview", document)
    assert found["stopped"] is None
    assert found["notes"][0] == f"This is what Gemini CLI sends {ONCE}; until then, it sends nothing."
    session = json.dumps({"harness": "gemini-cli", "cwd": str(folder), "turns": []})
    found = await client.request("prompt/preview", {**document, "session": json.loads(session)})
    assert found["stopped"].startswith("gemini-cli does not trust this folder"), "nobody has said that it is trusted"


async def _start(client: Client, tmp_path: Path, harness: str) -> Path:
    folder = lay_out(tmp_path / "project", {**FILES[harness], **ANYWHERE.get(harness, {}), "src/app.py": "print()\n"})
    await client.start(REFRESHED, folders=[str(folder)], options={"harnesses": [harness]})
    return folder


async def _views(client: Client, path: Path) -> tuple[str, str]:
    """The lenses above a file, and what a hover at its beginning says of the harness in use."""
    document = await opened(client, path, "json" if path.suffix == ".json" else "markdown")
    lenses = await client.request("textDocument/codeLens", document)
    hover = await client.request("textDocument/hover", {**document, "position": {"line": 0, "character": 0}})
    lines = hover["contents"]["value"].splitlines() if hover else []
    own = [line for line in lines if line.startswith("- ") and "(not in use here)" not in line]
    return " ".join(each["command"]["title"] for each in lenses), " ".join(own)
