from __future__ import annotations

from pathlib import Path

from promptls.lsp.payloads import ExplainResult
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client


async def test_what_each_harness_does_with_a_file(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "rules", "CLAUDE.md": "claude", "opencode.json": {}})
    await client.start(folders=[str(folder)])
    uri = uri_of(str(folder / "CLAUDE.md"))
    result = await client.request("prompt/explain", {"textDocument": {"uri": uri}})
    ExplainResult.model_validate(result)
    explained = {each["harness"]["name"]: each for each in result["harnesses"]}
    assert (explained["opencode"]["outcome"], explained["opencode"]["other"]) == ("shadowed", str(folder / "AGENTS.md"))
    assert [use["at"] for use in explained["claude-code"]["loaded"]] == ["start"]
    assert (await client.refusal("prompt/explain", {"textDocument": {"uri": "untitled:a"}})).code == -32803
