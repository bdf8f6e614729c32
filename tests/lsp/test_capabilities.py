from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptls.lsp.capabilities import ClientFeatures
from promptls.lsp.folders import Folder
from tests.lsp.client import Client, recorded

RECORDED = {
    "zed": ClientFeatures(
        pull_diagnostics=True,
        diagnostic_refresh=True,
        watched_files=True,
        relative_patterns=True,
        configuration=True,
        did_change_configuration_dynamic=True,
        work_done_progress=True,
        code_lens_refresh=True,
        inlay_refresh=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
        resource_operations=frozenset({"create", "rename", "delete"}),
        code_descriptions=True,
        related_information=True,
        fades=True,
    ),
    "lsp4ij": ClientFeatures(
        watched_files=True,
        did_change_configuration_dynamic=True,
        work_done_progress=True,
        inlay_refresh=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
        resource_operations=frozenset({"create", "rename", "delete"}),
        code_descriptions=True,
        related_information=True,
        show_document=True,
    ),
    # eglot 1.9; it says no name.
    "emacs-28": ClientFeatures(
        fades=True,
        watched_files=True,
        configuration=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
    ),
    "neovim-0.7": ClientFeatures(
        fades=True,
        work_done_progress=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
        resource_operations=frozenset({"create", "rename", "delete"}),
        related_information=True,
    ),
    "emacs": ClientFeatures(
        fades=True,
        watched_files=True,
        configuration=True,
        work_done_progress=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
    ),
    "neovim": ClientFeatures(
        fades=True,
        pull_diagnostics=True,
        relative_patterns=True,
        configuration=True,
        work_done_progress=True,
        inlay_refresh=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
        resource_operations=frozenset({"create", "rename", "delete"}),
        show_document=True,
        related_information=True,
    ),
    "vscode": ClientFeatures(
        fades=True,
        watched_files=True,
        configuration=True,
        did_change_configuration_dynamic=True,
        work_done_progress=True,
        code_lens_refresh=True,
        definition_links=True,
        code_action_literals=True,
        document_changes=True,
        resource_operations=frozenset({"create", "rename", "delete"}),
        show_document=True,
        code_descriptions=True,
        related_information=True,
    ),
}


@pytest.mark.parametrize("editor", RECORDED)
async def test_recorded_editors(client: Client, editor: str) -> None:
    result = await client.start(**recorded(editor))
    assert replace(client.server.context.client, experimental={}) == RECORDED[editor]
    assert result["capabilities"]["positionEncoding"] == "utf-16"
    assert "textDocumentContent" not in result["capabilities"]["workspace"]


async def test_virtual_documents_are_offered_to_who_can_show_them(client: Client) -> None:
    result = await client.start({"workspace": {"textDocumentContent": {"dynamicRegistration": True}}})
    assert result["capabilities"]["workspace"]["textDocumentContent"] == {"schemes": ["promptls"]}


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-8", "utf-16"], "utf-16"),
        (["utf-32", "utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
async def test_the_position_encoding(client: Client, offered: Any, chosen: str) -> None:
    result = await client.start({"general": {"positionEncodings": offered}})
    assert result["capabilities"]["positionEncoding"] == chosen
    assert client.server.context.documents.encoding == chosen


@pytest.mark.parametrize(
    "capabilities",
    [
        None,
        [],
        {"workspace": None, "textDocument": 5},
        {"workspace": {"configuration": "yes"}, "general": []},
        {"workspace": {"symbol": {"symbolKind": {"valueSet": [99]}}}, "experimental": [1]},
    ],
)
async def test_odd_capabilities_cost_only_themselves(client: Client, capabilities: Any) -> None:
    await client.request("initialize", {"capabilities": capabilities, "trace": 5, "workspaceFolders": [1, {}]})
    assert client.server.context.client == ClientFeatures()
    assert client.server.context.folders == ()


async def test_experimental_and_options_are_kept(client: Client) -> None:
    await client.start({"experimental": {"a": 1}}, options={"harness": "opencode"})
    assert client.server.context.client.experimental == {"a": 1}
    assert client.server.context.options == {"harness": "opencode", "checkWorkspace": False}


@pytest.mark.parametrize(
    ("params", "folders"),
    [
        ({"workspaceFolders": [{"uri": "file:///a/b", "name": "B"}]}, (Folder("file:///a/b", "B", "/a/b"),)),
        ({"workspaceFolders": [{"uri": "memfs:/a"}]}, (Folder("memfs:/a", "a", None),)),
        ({"workspaceFolders": [], "rootUri": "file:///a"}, ()),
        ({"workspaceFolders": None, "rootUri": "file:///a"}, (Folder("file:///a", "a", "/a"),)),
        ({"rootUri": None, "rootPath": "/a b"}, (Folder("file:///a%20b", "a b", "/a b"),)),
        ({}, ()),
    ],
)
async def test_folders(client: Client, params: dict[str, Any], folders: tuple[Folder, ...]) -> None:
    await client.request("initialize", {"capabilities": {}, **params})
    assert client.server.context.folders == folders


async def test_folders_come_and_go(client: Client) -> None:
    heard: list[None] = []
    client.server.context.events.folders_changed.listen(heard.append)
    await client.start(folders=["/a", "/a/b", "/c"])
    event = {"added": [{"uri": "file:///d", "name": "d"}], "removed": [{"uri": "file:///c", "name": "c"}]}
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert [each.path for each in client.server.context.folders] == ["/a", "/a/b", "/d"]
    assert heard == [None]
    inner, outer = client.server.context.folder_of("/a/b/c"), client.server.context.folder_of("/a/bc")
    assert inner is not None
    assert outer is not None
    assert (inner.path, outer.path, client.server.context.folder_of("/e")) == ("/a/b", "/a", None)


async def test_features_hear_when_the_client_is_known(client: Client) -> None:
    heard: list[tuple[str, bool]] = []
    server = client.server
    server.context.events.initializing.listen(
        lambda _: heard.append(("initializing", server.context.client.configuration))
    )
    server.context.events.initialized.listen(
        lambda _: heard.append(("initialized", server.context.client.configuration))
    )
    server.context.events.initializing.listen(lambda _: server.feature("textDocument/hover")(lambda params: params))
    result = await client.start({"workspace": {"configuration": True}})
    assert heard == [("initializing", True), ("initialized", True)]
    assert result["capabilities"]["hoverProvider"] is True
