from __future__ import annotations

import re
from pathlib import Path

from promptls.lsp.uris import uri_of
from promptls.lsp.view_results import MapResult
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened


async def test_the_page_of_a_folder(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "shop", {"CLAUDE.md": "@docs/rules.md\n", "docs/rules.md": "rules\n"})
    await client.start(folders=[str(folder)])
    document = await opened(client, folder / "CLAUDE.md", "markdown")
    result = await client.request("prompt/map", document)
    MapResult.model_validate(result)
    assert result["root"] == str(folder)
    html = result["html"]
    assert 'data-path="docs/rules.md"' in html
    assert "default-src 'none'" in html
    assert re.search(r'(src|href)="(https?:)?//', html) is None
    [nonce] = set(re.findall(r'nonce="([^"]+)"', html))
    again = await client.request("prompt/map", {})
    assert nonce not in again["html"]


async def test_what_is_typed_counts(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "shop", {"CLAUDE.md": "a\n", "docs/new.md": "rules\n"})
    await client.start(folders=[str(folder)])
    await client.open(uri_of(f"{folder}/CLAUDE.md"), "@docs/new.md\n", "markdown")
    assert 'data-path="docs/new.md"' in (await client.request("prompt/map", {}))["html"]


async def test_a_folder_is_needed(client: Client) -> None:
    await client.start()
    assert (await client.refusal("prompt/map", {})).args == ("A prompt map needs a folder; open one first.",)
