"""Sections that move to files of their own: the edit is made, and the preview has every text at its new place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.uris import path_of, uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import at, opened, text_of
from tests.lsp.test_actions import ALL, PULL, actions

ROOT = """\
# Project

𝒳 Use tabs.

## How to test

Run it. See [style](docs/style.md#a) and `docs/`.

### On Sundays

Never.

## API

Rules for `packages/api`, as [said](docs/style.md).
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", "true")
    return lay_out(
        tmp_path / "project",
        {
            "GEMINI.md": ROOT,
            "AGENTS.md": ROOT,
            "opencode.json": "{}",
            "docs/style.md": "style\n",
            "packages/api/app.py": "print()\n",
        },
    )


async def offered(client: Client, path: Path, word: str) -> dict[str, dict[str, Any]]:
    """The refactorings of the section under the heading with ``word``, by kind."""
    document = await opened(client, path, "markdown")
    found = await actions(client, document, at(text_of(path), word), ["refactor"])
    return {each["kind"]: each for each in found}


def is_there(path: Path) -> bool:
    return os.path.lexists(path)


def save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


async def apply(client: Client, edit: dict[str, Any]) -> None:
    """Carry out a change, as an editor does, and save everything."""
    for change in edit["documentChanges"]:
        if change.get("kind") == "create":
            assert not is_there(Path(path_of(change["uri"]) or ""))
            continue
        path = Path(path_of(change["textDocument"]["uri"]) or "")
        document = client.server.context.documents.get(change["textDocument"]["uri"])
        uri = change["textDocument"]["uri"]
        if document is None:
            await client.open(uri, text_of(path) if is_there(path) else "")
        await client.change(uri, *({"range": each["range"], "text": each["newText"]} for each in change["edits"]))
        changed = client.server.context.documents.get(uri)
        assert changed is not None
        save(path, changed.text)


async def texts(client: Client, harness: str, path: Path) -> dict[str, str]:
    """What the prompt has of each file, for a session that reads ``path``."""
    asked = {"textDocument": {"uri": uri_of(str(path))}, "harness": harness}
    result = await client.request("prompt/preview", asked)
    found: dict[str, str] = {}
    for message in result["messages"]:
        for segment in message["segments"]:
            name = (segment["origin"].get("path") or "").removeprefix(f"{path.parents[2]}/")
            found[name] = found.get(name, "") + message["text"][segment["start"] : segment["end"]]
    return found


async def test_a_section_becomes_a_file_that_is_imported(client: Client, folder: Path) -> None:
    await client.start(ALL, folders=[str(folder)], options={"harness": "gemini-cli"})
    action = (await offered(client, folder / "GEMINI.md", "How to"))["refactor.extract"]
    assert action["title"] == "Extract section to how-to-test.md and import it"
    await apply(client, action["edit"])
    assert (
        text_of(folder / "GEMINI.md")
        == (
            "# Project\n\n𝒳 Use tabs.\n\n@how-to-test.md\n\n"
            "## API\n\nRules for `packages/api`, as [said](docs/style.md).\n"
        )
        or text_of(folder / "GEMINI.md").count("@./how-to-test.md") == 1
    )
    assert text_of(folder / "how-to-test.md") == (
        "## How to test\n\nRun it. See [style](docs/style.md#a) and `docs/`.\n\n### On Sundays\n\nNever.\n"
    )
    sent = await texts(client, "gemini-cli", folder / "packages/api/app.py")
    assert "Never." in sent["how-to-test.md"]
    everything = "".join(sent.values())
    assert all(line in everything for line in ROOT.splitlines())


async def test_a_taken_name_is_not_used(client: Client, folder: Path) -> None:
    lay_out(folder, {"how-to-test.md": "taken\n"}, git=False)
    await client.start(ALL, folders=[str(folder)], options={"harness": "gemini-cli"})
    action = (await offered(client, folder / "GEMINI.md", "How to"))["refactor.extract"]
    assert "how-to-test-2.md" in action["title"]


@pytest.mark.parametrize("nested", [None, "# API\n\nOlder.\n", "Older, without an end"])
async def test_a_section_moves_to_a_nested_file(client: Client, folder: Path, nested: str | None) -> None:
    if nested is not None:
        lay_out(folder, {"packages/api/AGENTS.md": nested}, git=False)
    await client.start(ALL, folders=[str(folder)])
    found = await offered(client, folder / "AGENTS.md", "API")
    assert set(found) == {"refactor.move"}  # opencode follows no imports
    assert found["refactor.move"]["title"] == "Move section to packages/api/AGENTS.md"
    await apply(client, found["refactor.move"]["edit"])
    moved = text_of(folder / "packages/api/AGENTS.md")
    assert moved.startswith(nested or "## API")
    assert moved.endswith("## API\n\nRules for `packages/api`, as [said](../../docs/style.md).\n")
    assert text_of(folder / "AGENTS.md") + "## API" in ROOT
    sent = await texts(client, "opencode", folder / "packages/api/app.py")
    everything = "".join(sent.values())
    assert all(line.replace("docs/style.md)", "") in everything for line in ROOT.splitlines() if "said" not in line)
    assert "as [said](../../docs/style.md)" in sent["packages/api/AGENTS.md"]


@pytest.mark.parametrize("word", ["Use tabs", "Never."])
async def test_only_on_headings(client: Client, folder: Path, word: str) -> None:
    await client.start(ALL, folders=[str(folder)])
    assert await offered(client, folder / "AGENTS.md", word) == {}


async def test_only_where_a_harness_reads_it_and_in_the_workspace(client: Client, folder: Path) -> None:
    lay_out(folder, {"notes.md": ROOT}, git=False)
    await client.start(ALL, folders=[f"{folder}/packages"])
    assert await offered(client, folder / "notes.md", "API") == {}
    assert await offered(client, folder / "AGENTS.md", "API") == {}


async def test_a_client_that_cannot_create_files_gets_what_it_can_do(client: Client, folder: Path) -> None:
    lay_out(folder, {"packages/api/AGENTS.md": "Older.\n"}, git=False)
    await client.start(PULL, folders=[str(folder)], options={"harness": "gemini-cli"})
    assert "refactor.extract" not in await offered(client, folder / "GEMINI.md", "API")
    assert set(await offered(client, folder / "AGENTS.md", "API")) == {"refactor.move"}


@pytest.mark.parametrize(
    ("editor", "kinds"),
    [
        ("neovim", {"refactor.move"}),
        ("vscode", {"refactor.move"}),
        ("emacs", set()),
        ("emacs-28", set()),
        ("neovim-0.7", {"refactor.move"}),
    ],
)
async def test_recorded_editors(client: Client, folder: Path, editor: str, kinds: set[str]) -> None:
    client.answers["window/workDoneProgress/create"] = lambda _: None
    await client.start(**recorded(editor), folders=[str(folder)])
    assert set(await offered(client, folder / "AGENTS.md", "API")) == kinds
