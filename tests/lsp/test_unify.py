"""One instruction file of several, from an editor: the proof is a message, and an answer to it writes the files."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import commanded
from promptls.lsp.proposed import proof
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened
from tests.lsp.test_actions import ALL, actions
from tests.repository import commit, git

START = {"line": 0, "character": 0}
KIND = "refactor.rewrite"
WRITE = {"title": "Write the Files"}
TWO = {"harnesses": ["claude-code", "codex"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rules = "- Use tabs.\n- Run all of the tests.\n"
    return commit(
        lay_out(tmp_path / "shop", {"AGENTS.md": rules, "CLAUDE.md": f"{rules}- Be brief, always.\n"}, git=False)
    )


def text_at(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


async def started(client: Client, folder: Path) -> dict[str, Any]:
    await client.start(ALL, folders=[str(folder)], options=TWO)
    document = await opened(client, folder / "CLAUDE.md", "markdown")
    [action] = [each for each in await actions(client, document, START, [KIND]) if "one instruction" in each["title"]]
    assert action["title"] == "Make one instruction file of CLAUDE.md, AGENTS.md …"
    return dict(action["command"])


async def run(client: Client, command: dict[str, Any]) -> None:
    asked = {"command": command["command"], "arguments": command["arguments"]}
    assert await client.request("workspace/executeCommand", asked) is None


async def test_the_proof_is_shown_and_an_answer_writes(client: Client, folder: Path) -> None:
    command = await started(client, folder)
    await run(client, command)
    request = await client.next("window/showMessageRequest")
    assert request["params"]["message"].startswith(
        "AGENTS.md can be the one file: CLAUDE.md imports it. 2 programs: 0 lines lost, 0 twice; tokens at start: "
    )
    assert "Be brief" in (folder / "CLAUDE.md").read_text(encoding="utf-8")
    client.answer(request, WRITE)
    assert "git can undo it" in (await client.next("window/showMessage"))["message"]
    assert (folder / "CLAUDE.md").read_text(encoding="utf-8") == "@AGENTS.md\n"
    assert "- Be brief, always." in (folder / "AGENTS.md").read_text(encoding="utf-8")


async def test_the_patch_is_shown_first(client: Client, folder: Path) -> None:
    command = await started(client, folder)
    await run(client, command)
    client.answer(await client.next("window/showMessageRequest"), {"title": "Show the Patch"})
    told = (await client.next("window/showMessage"))["message"]
    patch = text_at(told.removeprefix("Open "))
    assert patch.startswith("diff --git a/AGENTS.md b/AGENTS.md\n")
    again = await client.next("window/showMessageRequest")
    assert [each["title"] for each in again["params"]["actions"]] == ["Write the Files"]
    client.answer(again, WRITE)
    assert "git can undo it" in (await client.next("window/showMessage"))["message"]
    git(folder, "apply", "--check", "--reverse", given=patch)


async def test_nothing_is_written_otherwise(client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Sequence[str]] = []
    found = {
        "target": str(folder / "AGENTS.md"),
        "changed": [{"path": str(folder / "CLAUDE.md"), "how": "link"}],
        "left": [{"path": str(folder / "a\nb.md"), "why": "it is too large"}],
        "programs": [],
    }

    async def answer(arguments: Sequence[str], _: Collection[int] = (0,)) -> bytes:
        asked.append(arguments)
        return json.dumps(found).encode()

    monkeypatch.setattr(commanded, "commanded", answer)
    command = await started(client, folder)
    await run(client, command)
    request = await client.next("window/showMessageRequest")
    assert "a␤b.md stays: it is too large." in request["params"]["message"]
    client.answer(request, None)
    uri = uri_of(str(folder / "CLAUDE.md"))
    await client.change(uri, "Typed, and not saved.\n")
    await run(client, command)
    client.answer(await client.next("window/showMessageRequest"), WRITE)
    assert "is not saved; save it first" in (await client.next("window/showMessage"))["message"]
    found["changed"] = []
    await run(client, command)
    assert "there is nothing to unify" in (await client.next("window/showMessage"))["message"]
    assert not any("--write" in each for each in asked)


async def test_one_file_has_no_such_action(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "one", {"AGENTS.md": "- Use tabs.\n", "CLAUDE.md": "@AGENTS.md\n"})
    await client.start(ALL, folders=[str(folder)], options=TWO)
    document = await opened(client, folder / "AGENTS.md", "markdown")
    assert not [each for each in await actions(client, document, START, [KIND]) if "one instruction" in each["title"]]


def test_a_line_that_each_program_gets_twice_is_one() -> None:
    size = {"before": 5, "after": 5}
    row = {"harness": "codex", "lost": 0, "twice": 1, "tokens": size}
    assert proof({"programs": [row, row], "repeated": ["## Style"]}) == (
        "2 programs: 0 lines lost, 1 twice, such as “## Style”."
    )
