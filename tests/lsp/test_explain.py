from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptls.lsp.context import Context
from promptls.lsp.folders import folder as folder_at
from promptls.lsp.uris import uri_of
from promptls.lsp.view_results import ExplainResult
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


def test_the_folder_of_a_file_is_known_without_a_look_at_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for on the loop, and a home directory on a network may not answer."""
    context = Context()
    context.folders = (folder_at("file:///work/a"), folder_at("file:///work/b"))
    monkeypatch.setenv("HOME", "/home/somebody")
    with monkeypatch.context() as without:
        for name in ("stat", "lstat", "open", "access", "scandir", "readlink"):
            without.delattr(os, name)
        paths = ("/work/b/x.md", "/home/somebody/.claude/CLAUDE.md", "/home/x.md")
        found = [context.folder_of(each) for each in paths]
    assert [each and each.path for each in found] == ["/work/b", "/work/a", None]


async def test_a_hidden_repository_in_the_home_directory_is_a_place_of_its_own(
    client: Client, tmp_path: Path, home: Path
) -> None:
    folder = lay_out(tmp_path / "work", {"AGENTS.md": "rules", "opencode.json": {}})
    hidden = lay_out(home / ".dotfiles", {"AGENTS.md": "of the dotfiles", "opencode.json": {}})
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/explain", {"textDocument": {"uri": uri_of(str(hidden / "AGENTS.md"))}})
    explained = {each["harness"]["name"]: each for each in result["harnesses"]}
    assert [(use["at"], use["cwd"]) for use in explained["opencode"]["loaded"]] == [("start", str(hidden))]
