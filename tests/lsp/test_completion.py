from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import at, inside

# So that no diagnostics come by themselves.
PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "rules\n",
            "opencode.json": "{}",
            "etcode.json": "{}",
            "docs/style.md": "x\n",
            "docs/𝒳.md": "x\n",
            "docs/deep/a.txt": "x\n",
            "app.py": "print()\n",
            ".hidden.md": "x\n",
        },
    )


async def complete(client: Client, path: Path, text: str, encoding: str = "utf-16") -> list[dict[str, Any]]:
    """The items at the mark ``|`` of ``text``."""
    uri = uri_of(str(path))
    await client.open(uri, text.replace("|", ""), "json" if path.suffix == ".json" else "markdown")
    params = {"textDocument": {"uri": uri}, "position": at(text, "|", encoding)}
    found = await client.request("textDocument/completion", params)
    return found["items"] if found else []


def labels(items: list[dict[str, Any]]) -> list[str]:
    return [item["label"] for item in sorted(items, key=lambda item: item.get("sortText", ""))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"instructions": ["|"]}', ["AGENTS.md", "docs/", "app.py", "etcode.json"]),
        ('{"instructions": ["AGENTS.md", "docs/|', ["docs/style.md", "docs/𝒳.md", "docs/deep/"]),
        ('{"instructions": [\n "docs/|\n "app.py"\n]', ["docs/style.md", "docs/𝒳.md", "docs/deep/"]),
        ('{"instructions": [".h|"]}', [".hidden.md", "AGENTS.md", "docs/", "app.py", "etcode.json"]),
        ('{"instructions": ["nosuch/|"]}', []),
        ('{"instructions": ["https://|"]}', []),
        ('{"instructions": "|"}', []),
        ('{"other": ["|"]}', []),
        ('{"instructions": [|]}', []),
        ('{"instructions": [ // "|', []),
    ],
)
async def test_paths_in_instructions(client: Client, folder: Path, text: str, found: list[str]) -> None:
    await client.start(PULL, folders=[str(folder)])
    items = await complete(client, folder / "opencode.json", text)
    assert labels(items) == found


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
async def test_an_edit_replaces_what_is_typed(client: Client, folder: Path, encoding: str) -> None:
    await client.start({**PULL, "general": {"positionEncodings": [encoding]}}, folders=[str(folder)])
    text = '{"𝒳": 1, "instructions": ["docs/𝒳|"]}'
    items = await complete(client, folder / "opencode.json", text, encoding)
    [item] = [item for item in items if item["label"] == "docs/𝒳.md"]
    assert inside(text.replace("|", ""), item["textEdit"]["range"], encoding) == "docs/𝒳"
    assert item["textEdit"]["newText"] == "docs/𝒳.md"


@pytest.mark.parametrize(
    ("typed", "says"),
    [("docs/*.md", "matches 2 files"), ("docs/s*.md", "matches 1 file"), ("**/*.rst", "matches 0 files")],
)
async def test_a_pattern_says_what_it_matches(client: Client, folder: Path, typed: str, says: str) -> None:
    await client.start(PULL, folders=[str(folder)])
    [item] = await complete(client, folder / "opencode.json", f'{{"instructions": ["{typed}|"]}}')
    assert (item["label"], item["detail"]) == (typed, says)
    assert await complete(client, folder / "etcode.json", f'{{"instructions": ["{typed}|"]}}') == []


@pytest.mark.parametrize(
    ("name", "text", "found", "written"),
    [
        ("etcode.json", "{|", ["instructions", "provider", "agent", "environment"], '"instructions"'),
        ("etcode.json", '{"provider": [{"i|', ["id", "model", "npm", "baseURL", "apiKey"], "id"),
        ("etcode.json", '{"agent": {"𝒳": {|}}}', ["prompt", "model", "description"], '"prompt"'),
        ("opencode.json", '{"a": {"|": 1}}', [], ""),
        ("opencode.json", '{"agent": {"|"}}', [], ""),
    ],
)
async def test_keys(client: Client, folder: Path, name: str, text: str, found: list[str], written: str) -> None:
    await client.start(PULL, folders=[str(folder)])
    items = await complete(client, folder / name, text)
    assert [item["label"] for item in items] == found
    assert not found or items[0]["textEdit"]["newText"] == written


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.mdc", "---\ngl|\n---\ntext\n", ["description", "globs", "alwaysApply"]),
        ("a.mdc", "---\ndescription: x\n|", ["description", "globs", "alwaysApply"]),
        ("a.mdc", "---\ndescription: |\n---\n", []),
        ("a.mdc", "---\na: 1\n---\n|", []),
        ("a.instructions.md", "---\n|\n---\n", ["applyTo", "description", "excludeAgent"]),
        (".agents/skills/x/SKILL.md", "---\n|\n---\n", ["name", "description"]),
        (".gemini/skills/x/SKILL.md", "---\nna|\n---\n", ["name", "description"]),
        (".github/skills/x/SKILL.md", "---\n|\n---\n", ["name", "description", "disable-model-invocation"]),
        (".opencode/command/x.md", "---\n|\n---\n", ["description", "model", "agent", "subtask"]),
        (".claude/output-styles/x.md", "---\n|\n---\n", ["name", "description", "keep-coding-instructions"]),
        ("notes.md", "---\n|\n---\n", []),
    ],
)
async def test_front_matter(client: Client, folder: Path, name: str, text: str, found: list[str]) -> None:
    await client.start(PULL, folders=[str(folder)])
    assert [item["label"] for item in await complete(client, folder / name, text)] == found


@pytest.mark.parametrize(
    ("name", "text", "some"),
    [
        (".claude/agents/a.md", "---\ntools: Read, B|\n---\n", {"Bash", "Edit", "WebFetch"}),
        (".claude/agents/a.md", "---\ndisallowedTools:\n  - |\n---\n", {"Bash", "Edit", "WebFetch"}),
        (".claude/skills/a/SKILL.md", "---\nallowed-tools: |\n---\n", {"Bash", "Edit", "WebFetch"}),
        (".gemini/agents/a.md", "---\ntools:\n  - r|\n---\n", {"read_file", "glob"}),
        (".claude/agents/a.md", "---\ndescription: |\n---\n", set()),
        ("notes.md", "---\ntools: |\n---\n", set()),
    ],
)
async def test_tools_in_front_matter(client: Client, folder: Path, name: str, text: str, some: set[str]) -> None:
    for own in ("CLAUDE.md", "GEMINI.md"):
        (folder / own).write_text("x\n", encoding="utf-8")
    await client.start(PULL, folders=[str(folder)])
    items = await complete(client, folder / name, text)
    assert {item["label"] for item in items} >= some
    assert bool(items) == bool(some)
    assert all(item["label"] != "DeferredToolPlaceholder" for item in items)
    if "B|" in text:
        assert items[0]["textEdit"]["range"]["start"] == {"line": 1, "character": len("tools: Read, ")}


async def test_claude_code_imports_no_file_of_another_ending(client: Client, folder: Path) -> None:
    lay_out(folder, {"CLAUDE.md": "x", "docs/page.mdx": "x", "docs/data.json": "{}"}, git=False)
    await client.start(PULL, folders=[str(folder)], options={"harness": "claude-code"})
    items = await complete(client, folder / "CLAUDE.md", "see @docs/|")
    assert labels(items) == ["docs/style.md", "docs/𝒳.md", "docs/deep/", "docs/data.json"]


async def test_an_import_in_claude_md_is_completed_while_it_is_typed(client: Client, folder: Path) -> None:
    lay_out(folder, {"CLAUDE.md": "x"}, git=False)
    await client.start(PULL, folders=[str(folder)])
    items = await complete(client, folder / "CLAUDE.md", "# Rules\n\n- see @|\n")
    assert "AGENTS.md" in labels(items)
    [style] = [
        each for each in await complete(client, folder / "CLAUDE.md", "see @docs/s|") if "style" in each["label"]
    ]
    assert style["textEdit"]["newText"] == "docs/style.md"
    assert style["textEdit"]["range"]["start"] == {"line": 0, "character": 5}
    assert await complete(client, folder / "CLAUDE.md", "`@docs/|`") == []


async def test_imports_only_where_a_harness_follows_them(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)], options={"harness": "gemini-cli"})
    lay_out(folder, {"GEMINI.md": "x"}, git=False)
    items = await complete(client, folder / "GEMINI.md", "see @docs/|")
    assert labels(items) == ["docs/style.md", "docs/𝒳.md", "docs/deep/"]
    assert await complete(client, folder / "AGENTS.md", "see @docs/|") == []
    assert await complete(client, folder / "GEMINI.md", "see a@docs/|") == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.instructions.md", '---\napplyTo: "docs/|', ["docs/style.md", "docs/𝒳.md", "docs/deep/"]),
        ("a.instructions.md", "---\napplyTo: app.py,docs/d|\n---\nx", ["docs/style.md", "docs/𝒳.md", "docs/deep/"]),
        ("a.mdc", "---\nglobs:\n  - app.py\n  - docs/|\n", ["docs/style.md", "docs/𝒳.md", "docs/deep/"]),
        ("a.mdc", "---\nglobs: docs/*.md|\n---\n", ["docs/*.md"]),
        ("a.mdc", "---\ndescription: docs/|\n---\n", []),
        ("notes.md", "---\nglobs: docs/|\n---\n", []),
    ],
)
async def test_patterns_of_a_rule(client: Client, folder: Path, name: str, text: str, found: list[str]) -> None:
    await client.start(PULL, folders=[str(folder)])
    items = await complete(client, folder / name, text)
    assert labels(items) == found
    if "*" in text:
        assert items[0]["detail"] == "matches 2 files"


@pytest.mark.parametrize(
    ("name", "text", "some", "written"),
    [
        ("promptls.toml", "har|", "harness", "harness = "),
        ("promptls.toml", "|", "rules", "[rules]"),
        ("promptls.toml", "[urls]\nslow|", "slowMs", "slowMs = "),
        ("promptls.toml", "[rules]\nlink|", "link-dead", "link-dead = "),
        ("promptls.toml", "[rules]\nlink-dead = |", "warning", '"warning"'),
        ("promptls.toml", '[rules]\nlink-dead = "wa|', "warning", "warning"),
        ("promptls.toml", 'harness = "et|', "etcode", "etcode"),
        ("promptls.toml", 'harnesses = [\n  "codex",\n  "|', "opencode", "opencode"),
        ("promptls.toml", "inlayHints = |", "true", "true"),
        ("pyproject.toml", "[tool.promptls.urls]\nena|", "enabled", "enabled = "),
        ("pyproject.toml", "[tool.other]\nhar|", None, ""),
        ("promptls.toml", "# har|", None, ""),
        ("promptls.toml", 'exclude = ["a|', None, ""),
    ],
)
async def test_the_settings_file(
    client: Client, folder: Path, name: str, text: str, some: str | None, written: str
) -> None:
    await client.start(PULL, folders=[str(folder)])
    items = {item["label"]: item for item in await complete(client, folder / name, text)}
    assert (some in items) == (some is not None)
    if some is None:
        assert items == {}
    else:
        assert items[some]["textEdit"]["newText"] == written


async def test_an_import_that_begins_with_a_dot(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)], options={"harness": "gemini-cli"})
    lay_out(folder, {"GEMINI.md": "x"}, git=False)
    items = await complete(client, folder / "GEMINI.md", "@./do|")
    assert "./docs/" in labels(items)
    items = await complete(client, folder / "GEMINI.md", "@|")
    assert "docs/" in labels(items)


@pytest.mark.parametrize("editor", ["emacs-28", "neovim-0.7", "neovim", "emacs", "vscode"])
async def test_recorded_editors(client: Client, folder: Path, editor: str) -> None:
    result = await client.start(**recorded(editor), folders=[str(folder)])
    assert result["capabilities"]["completionProvider"]["triggerCharacters"] == ['"', "/", "@", "*"]
    assert await complete(client, folder / "opencode.json", '{"instructions": ["docs/style.md|"]}')


@pytest.mark.parametrize(
    ("file", "text", "offered", "never"),
    [
        (".claude/agents/b.md", "---\nname: b\nmodel: ", ("haiku", "sonnet", "inherit"), "reviewer"),
        (".claude/skills/x/SKILL.md", "---\ncontext: fork\nagent: ", ("Explore", "reviewer"), "haiku"),
        (".opencode/command/go.md", "---\nagent: ", ("build", "plan", "planner"), "reviewer"),
        (".opencode/command/go.md", "---\nagent: pla", ("plan", "planner"), "haiku"),
        (".gemini/agents/b.md", "---\nname: b\nmodel: ", ("flash", "pro"), "haiku"),
        (".github/prompts/do.prompt.md", "---\nagent: ", ("ask", "plan", "rev"), "haiku"),
        (".github/agents/c.agent.md", "---\nmodel: ", ("GPT-5 (copilot)",), "haiku"),
        (".codex/agents/b.toml", 'model = "', ("gpt-5.5", "my-model"), "haiku"),
        (".codex/config.toml", "model = ", ("gpt-5.5",), "haiku"),
        (".codex/agents/b.toml", "na", ("name", "developer_instructions"), "applyTo"),
    ],
)
async def test_names_of_models_and_agents(
    client: Client, tmp_path: Path, file: str, text: str, offered: tuple[str, ...], never: str
) -> None:
    folder = lay_out(
        tmp_path / "project",
        {
            ".claude/agents/a.md": "---\nname: reviewer\ndescription: Reviews.\n---\nReview.\n",
            ".opencode/agent/planner.md": "---\ndescription: Plans.\nmode: subagent\n---\nPlan.\n",
            ".github/agents/rev.agent.md": "---\ndescription: Reviews.\nmodel: GPT-5 (copilot)\n---\nReview.\n",
            ".codex/config.toml": 'model = "my-model"\n',
            ".vscode/settings.json": "{}",
            ".github/copilot-instructions.md": "x",
            "GEMINI.md": "x",
            file: text,
        },
    )
    await client.start(PULL, folders=[str(folder)])
    found = labels(await complete(client, folder / file, f"{text}|"))
    assert set(offered) <= set(found)
    assert never not in found
