from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from promptls.core.model import FetchResult, Timeouts
from promptls.core.servers import ServerStart, kept_path
from promptls.core.values import replace
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import at, inside, opened, text_of

# So that no diagnostics come by themselves.
PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}}
OFFLINE = {"urls": {"enabled": False}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root rules\nmore\n",
            "opencode.json": '{"instructions": ["docs/style.md", "none.md", "*.txt", "https://127.0.0.1:9/a.md"]}',
            "docs/style.md": "𝒳 style rules\n",
            "api/AGENTS.md": "api rules\n",
            "api/app.py": "print()\n",
        },
    )


async def hover(client: Client, document: dict[str, Any], position: dict[str, int]) -> Any:
    return await client.request("textDocument/hover", {**document, "position": position})


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
async def test_an_entry(client: Client, folder: Path, encoding: str) -> None:
    (folder / "opencode.json").write_text('{"𝒳": {}, "instructions": ["docs/style.md"]}', encoding="utf-8")
    capabilities = {**PULL, "general": {"positionEncodings": [encoding]}}
    await client.start(capabilities, folders=[str(folder)], options={"model": "some/model"})
    document = await opened(client, folder / "opencode.json")
    text = text_of(folder / "opencode.json")
    found = await hover(client, document, at(text, "style", encoding))
    assert inside(text, found["range"], encoding) == "docs/style.md"
    # With the line around it that names the folder.
    value = re.sub(r"~\d+ tokens", "~N tokens", found["contents"].pop("value"))
    assert found["contents"] == {"kind": "markdown"}
    assert value == (
        "**opencode** loads it · at start  \n"
        "`docs/style.md` · 17 bytes · ~N tokens (estimate ±30 %) as instructions in the system message  \n"
        "an entry of instructions names it, relative to the working directory and each directory above"
    )
    whole = await hover(client, document, at(text, "{}", encoding))
    assert "**: used as configuration. opencode reads its configuration " in whole["contents"]["value"]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("none.md", "**opencode** finds no file here"),
        ("*.txt", "matches 0 files\n\n---\n\n**opencode** finds no file here"),
        ("https:", "**opencode** has it disabled"),
    ],
)
async def test_what_brings_nothing(client: Client, folder: Path, word: str, says: str) -> None:
    (folder / "opencode.json").write_text(
        '{"instructions": ["docs/style.md", "none.md", "*.txt", "https://127.0.0.1:9/a.md"]}', encoding="utf-8"
    )
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / "opencode.json")
    found = await hover(client, document, at(text_of(folder / "opencode.json"), word))
    assert found["contents"]["value"].startswith(says)


async def test_what_is_not_known_of_a_prompt_has_its_command(client: Client, folder: Path) -> None:
    lay_out(folder, {"opencode.json": '{"mcp": {"docs": {"type": "local", "command": ["docs"]}}}'}, git=False)
    await client.start(PULL, folders=[str(folder)], options=OFFLINE | {"harness": "opencode"})
    document = await opened(client, folder / "AGENTS.md", "markdown")
    text = (await hover(client, document, {"line": 0, "character": 0}))["contents"]["value"]
    lines = text.splitlines()
    way = next(line for line in lines if "servers" in line)
    assert way.startswith("  - To know the rest of its prompt: `promptls servers ")
    assert next(line for line in lines if line.startswith("- ")).startswith("- **opencode")


async def test_an_entry_that_is_not_known_leads_to_its_command(client: Client, folder: Path) -> None:
    lay_out(folder, {"CLAUDE.md": "", ".mcp.json": '{"mcpServers": {"docs": {"command": "docs"}}}'}, git=False)
    extension = {**PULL, "workspace": {"textDocumentContent": {}}}
    await client.start(extension, folders=[str(folder)], options=OFFLINE | {"harness": "claude-code"})
    document = await opened(client, folder / ".mcp.json")
    on_key = await hover(client, document, at(text_of(folder / ".mcp.json"), 'docs": {'))
    where = at(text_of(folder / ".mcp.json"), '{"command"')
    text = (await hover(client, document, where))["contents"]["value"]
    assert on_key["contents"]["value"] == text.rpartition("---\n\n")[2]
    assert text.splitlines()[-1].startswith("To know what it adds: [`promptls servers ")
    argument = text.rpartition("(command:promptls.findOut?")[2].removesuffix(")")
    [how] = json.loads(unquote(argument))
    assert (how["kind"], how["command"][:2]) == ("servers", ["promptls", "servers"])


async def test_an_entry_that_was_asked_shows_its_tools(
    client: Client, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMPTLS_DATA_DIR", str(tmp_path / "kept"))
    lay_out(folder, {"CLAUDE.md": "", ".mcp.json": '{"mcpServers": {"docs": {"command": "docs"}}}'}, git=False)
    start = ServerStart("docs", "claude-code", str(folder / ".mcp.json"), ("docs",))
    schema = {"type": "object"}
    tools = [{"name": name, "description": "x" * size, "inputSchema": schema} for name, size in (("a", 9), ("b", 900))]
    answer = json.dumps({"asked": "2026-11-27", "answer": {"tools": tools}})
    lay_out(
        tmp_path, {Path(kept_path(str(tmp_path / "kept"), start)).relative_to(tmp_path).as_posix(): answer}, git=False
    )
    settings = {"env": {"ENABLE_TOOL_SEARCH": "false"}, "enableAllProjectMcpServers": True}
    lay_out(folder, {".claude/settings.json": json.dumps(settings)}, git=False)
    await client.start(PULL, folders=[str(folder)], options=OFFLINE | {"harness": "claude-code"})
    document = await opened(client, folder / ".mcp.json")
    text = (await hover(client, document, at(text_of(folder / ".mcp.json"), 'docs": {')))["contents"]["value"]
    lines = text.splitlines()
    assert lines[0].startswith("**claude-code** gets 2 tools of it · ~"), text
    assert [line.split(" · ")[0] for line in lines[2:4]] == ["- `mcp__docs__b`", "- `mcp__docs__a`"]
    assert lines[-1].startswith("To ask it again: `promptls servers ")
    assert "To know what it adds" not in text


async def test_who_reads_an_instruction_file(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / "api/AGENTS.md", "markdown")
    text = (await hover(client, document, {"line": 0, "character": 0}))["contents"]["value"]
    lines = text.splitlines()
    gone = "after a compaction gone until a file near it is read."
    assert lines[0] == f"**opencode**: yes, on reading a file in api/; {gone}"
    assert lines[2] == "**Which harnesses read this file**"
    lines = lines[2:]
    name = "- **opencode 1.18.33**"
    assert [line.partition(". ")[0] for line in lines if line.startswith(name)] == [
        f"{name}: at start, started in `{folder}/api`, as instructions in the system message",
        f"{name}: on reading a file near it, started in `{folder}`, as instructions in the tool message",
    ]
    assert any(line.startswith("- **codex") and "(not in use here)" in line for line in lines)
    assert await hover(client, document, {"line": 1, "character": 0}) is None


async def test_no_hover_on_other_files(client: Client, folder: Path) -> None:
    lay_out(folder, {"notes.md": "notes\n"}, git=False)
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / "notes.md", "markdown")
    assert await hover(client, document, {"line": 0, "character": 0}) is None


async def test_a_scope(client: Client, folder: Path) -> None:
    rule = "---\nglobs: api/**\n---\nrules\n"
    lay_out(folder, {".cursor/rules/api.mdc": rule}, git=False)
    await client.start(PULL, folders=[str(folder)], options={"harness": "cursor"})
    document = await opened(client, folder / ".cursor/rules/api.mdc", "markdown")
    found = await hover(client, document, at(rule, "api/"))
    assert "**cursor**" in found["contents"]["value"]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("globs: api/**", "matches 2 files"),
        ("globs: '*.rst, api/*.py'", "matches 1 file"),
        ("globs: none/*", "matches 0"),
    ],
)
async def test_a_scope_says_how_many_files_it_is_for(client: Client, folder: Path, rule: str, says: str) -> None:
    text = f"---\n{rule}\n---\nrules\n"
    lay_out(folder, {".cursor/rules/api.mdc": text}, git=False)
    await client.start(PULL, folders=[str(folder)], options={"harness": "cursor"})
    document = await opened(client, folder / ".cursor/rules/api.mdc", "markdown")
    found = await hover(client, document, at(text, rule[-2:]))
    assert found["contents"]["value"].startswith(says)


async def test_a_pattern_of_an_entry_says_how_many_files_it_brings(client: Client, folder: Path) -> None:
    text = '{"instructions": ["docs/*.md"]}'
    lay_out(folder, {"opencode.json": text, "docs/b.md": "b\n"}, git=False)
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    found = await hover(client, await opened(client, folder / "opencode.json"), at(text, "docs"))
    assert found["contents"]["value"].startswith("matches 2 files\n\n---\n\n**opencode** loads it")


async def test_an_import(client: Client, folder: Path) -> None:
    lay_out(folder, {"GEMINI.md": "see @docs/style.md\n"}, git=False)
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    found = await hover(client, await opened(client, folder / "GEMINI.md", "markdown"), at("see @docs", "docs"))
    assert found["contents"]["value"].startswith("**gemini-cli** loads it once you trust the folder · at start")
    assert "`docs/style.md` · 17 bytes" in found["contents"]["value"]


class Answering:
    """In place of what asks for URLs: each has answered, and was asked again since."""

    enabled = True
    first = FetchResult("https://127.0.0.1:9/a.md", "ok", "rules\n", 200, headers_seconds=0.25, total_seconds=1.5)

    def __call__(self, urls: Sequence[str], _timeouts: Timeouts) -> list[FetchResult]:
        return [self.first for _ in urls]

    def latest(self, _url: str) -> FetchResult:
        again = datetime(2026, 11, 22, 1, 2, 3).astimezone()
        return replace(self.first, headers_seconds=0.5, fetched_at=again.timestamp())

    def close(self) -> None: ...


async def test_a_url_says_what_it_answered_and_when(client: Client, folder: Path) -> None:
    client.server.__dict__["fetch"] = Answering()
    await client.start(PULL, folders=[str(folder)])
    document = await opened(client, folder / "opencode.json")
    found = await hover(client, document, at(text_of(folder / "opencode.json"), "https:"))
    lines = found["contents"]["value"].split("  \n")
    assert lines[0] == "**opencode** loads it · at start"
    assert lines[2] == (
        "answered with status 200 · 6 bytes · requested 2026-11-22 01:02:03 · 0.50 s to the headers · 1.50 s in total"
    )


@pytest.mark.parametrize("editor", ["emacs-28", "neovim-0.7", "neovim", "emacs"])
async def test_recorded_editors(client: Client, folder: Path, editor: str) -> None:
    client.settings = OFFLINE
    await client.start(**recorded(editor), folders=[str(folder)])
    document = await opened(client, folder / "AGENTS.md", "markdown")
    found = await hover(client, document, {"line": 0, "character": 2})
    assert "opencode" in found["contents"]["value"]


@pytest.mark.parametrize(
    ("files", "file", "says"),
    [
        ({"AGENTS.md": "a", "CLAUDE.md": "c"}, "AGENTS.md", "Instead: `{folder}/CLAUDE.md`"),
        (
            {"opencode.json": '{"mcp": {"a": {"type": "local", "command": ["x"]}}}'},
            "opencode.json",
            "used for its MCP servers at start",
        ),
    ],
    ids=["the whole path of another file", "a configuration with servers"],
)
async def test_what_a_file_is_for(
    client: Client, tmp_path: Path, files: dict[str, str | bytes | dict[str, object]], file: str, says: str
) -> None:
    folder = lay_out(tmp_path / "project", files)
    await client.start(PULL, folders=[str(folder)], options=OFFLINE)
    document = await opened(client, folder / file)
    found = await hover(client, document, {"line": 0, "character": 0})
    assert says.format(folder=folder) in found["contents"]["value"]
