"""A shorter file, from an editor: what another file says in every session goes when the user has seen the proof."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import commanded
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened
from tests.lsp.test_actions import ALL, actions
from tests.lsp.test_unify import KIND, START, WRITE, run
from tests.repository import commit

CURSOR = {"harnesses": ["cursor", "codex"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rules = "- Use tabs in code.\n- Run all of the tests.\n"
    folder = lay_out(
        tmp_path / "shop",
        {"AGENTS.md": rules, ".cursorrules": f"{rules}- Be brief, always.\n", "a.py": "1\n"},
        git=False,
    )
    return commit(folder)


async def started(client: Client, folder: Path, file: str = ".cursorrules") -> list[dict[str, Any]]:
    await client.start(ALL, folders=[str(folder)], options=CURSOR)
    document = await opened(client, folder / file, "markdown")
    found = await actions(client, document, START, [KIND])
    return [dict(each["command"]) for each in found if each["title"].startswith("Drop from")]


async def test_the_proof_is_shown_and_an_answer_writes(client: Client, folder: Path) -> None:
    [command] = await started(client, folder)
    await run(client, command)
    request = await client.next("window/showMessageRequest")
    assert request["params"]["message"].startswith(
        "2 lines of .cursorrules can go: another file says them in every session. "
        "2 programs: 0 lines lost, 0 twice; tokens at start: cursor -"
    )
    assert "Use tabs" in (folder / ".cursorrules").read_text(encoding="utf-8")
    client.answer(request, WRITE)
    assert ".cursorrules is shorter now; git" in (await client.next("window/showMessage"))["message"]
    assert (folder / ".cursorrules").read_text(encoding="utf-8") == "- Be brief, always.\n"


async def test_what_cannot_go_is_said(client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    near = {"may_go": True}
    found: dict[str, Any] = {"path": str(folder / ".cursorrules"), "root": str(folder), "near": [near], "gone": []}
    found["left"] = [{"path": str(folder / "a\nb.md"), "why": "it is generated"}]

    async def answer(arguments: Sequence[str], _: Collection[int] = (0,)) -> bytes:
        assert arguments[:2] == ["trim", str(folder / ".cursorrules")]
        return json.dumps(found).encode()

    monkeypatch.setattr(commanded, "commanded", answer)
    [command] = await started(client, folder)
    await run(client, command)
    assert (await client.next("window/showMessage"))["message"] == (
        ".cursorrules: nothing can go without a loss. a␤b.md stays: it is generated. "
        "1 more of its texts is nearly said elsewhere; “promptls trim” shows it."
    )


async def test_a_file_alone_has_no_such_action(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "one", {"AGENTS.md": "- Use tabs.\n"})
    assert await started(client, folder, "AGENTS.md") == []
