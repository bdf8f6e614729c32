from __future__ import annotations

from pathlib import Path

from promptls.lsp.features import comparison
from promptls.lsp.uris import uri_of
from promptls.lsp.view_results import TableResult
from tests.folder import lay_out
from tests.lsp.client import Client


async def test_the_table_of_a_file(client: Client, tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "shop",
        {"AGENTS.md": "rules\n", "CLAUDE.md": "other rules\n", "src/app.py": "", ".codex/config.toml": ""},
    )
    await client.start(folders=[str(folder)], options={"harnesses": ["codex", "claude-code"]})
    result = await client.request("prompt/table", {"textDocument": {"uri": uri_of(f"{folder}/src/app.py")}})
    TableResult.model_validate(result)
    assert result["harnesses"] == ["codex", "claude-code"]
    title, *rows = result["text"].splitlines()
    assert title.split() == ["src/app.py", "codex", "claude-code"]
    cells = {row.split()[0]: row.split()[1:] for row in rows}
    assert cells["AGENTS.md"][1] == cells["CLAUDE.md"][0] == "-"
    assert (await client.refusal("prompt/table", {"textDocument": {"uri": "untitled:a"}})).code == -32803


async def test_without_a_harness_there_is_no_table(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "shop", {"app.py": ""})
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/table", {"textDocument": {"uri": uri_of(f"{folder}/app.py")}})
    assert result == {"text": "", "harnesses": [], "root": str(folder), "columns": [], "rows": [], "how": []}


async def test_the_table_of_the_folder_before_a_file_is_open(client: Client, tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "shop",
        {"AGENTS.md": "rules\n", "CLAUDE.md": "@AGENTS.md\n", "api/CLAUDE.md": "x\n", "api/b.py": "1\n", "a.py": ""},
    )
    options = {"harnesses": ["codex", "claude-code"]}
    await client.start(folders=[str(folder)], options=options)
    result = await client.request("prompt/table", {})
    TableResult.model_validate(result)
    assert result["root"] == str(folder)
    assert [(each["harness"], each["title"]) for each in result["columns"]] == [
        ("codex", "Codex"),
        ("claude-code", "Claude Code"),
    ]
    rows = {row["names"][0]: row["cells"] for row in result["rows"]}
    assert rows[f"{folder}/CLAUDE.md"][0] is None
    assert rows[f"{folder}/api/CLAUDE.md"][1]["at"] == "read"
    # The totals are those of the virtual documents, of whose changes the client hears.
    shown = await client.request("prompt/preview", {"textDocument": {"uri": uri_of(str(folder))}, "reads": []})
    assert shown["totals"]["tokens"] == result["columns"][0]["tokens"]
    (folder / "AGENTS.md").write_text("other rules\n")
    changed = {"changes": [{"uri": uri_of(f"{folder}/AGENTS.md"), "type": 2}]}
    await client.notify("workspace/didChangeWatchedFiles", changed)
    heard = await client.next("prompt/didChange")
    assert set(heard["uris"]) >= {each["uri"] for each in result["columns"]}


async def test_without_a_folder_there_is_no_table_of_one(client: Client) -> None:
    await client.start()
    assert (await client.refusal("prompt/table", {})).code == -32803


async def test_the_text_fits_beside_a_preview(client: Client, tmp_path: Path) -> None:
    names = ["claude-code", "codex", "copilot-cli", "copilot-vscode", "gemini-cli", "opencode"]
    files: dict[str, str | bytes | dict[str, object]] = {
        f"{'deeply/' * 6}{name}": f"{name}\n" for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
    }
    folder = lay_out(
        tmp_path / "project", {**files, "AGENTS.md": "x\n" * 9000, "CLAUDE.md": "x\n", "src/app.py": "1\n"}
    )
    await client.start(folders=[str(folder)], options={"harnesses": names})
    for params in ({"textDocument": {"uri": uri_of(f"{folder}/src/app.py")}}, {}):
        lines = (await client.request("prompt/table", params))["text"].splitlines()
        assert [line for line in lines if len(line) > comparison.WIDTH] == []
        assert all(any(name in line for line in lines) for name in names)
