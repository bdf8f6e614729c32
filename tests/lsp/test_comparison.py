from __future__ import annotations

from pathlib import Path

from promptls.lsp.payloads import TableResult
from promptls.lsp.uris import uri_of
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
    assert result == {"text": "", "harnesses": []}
