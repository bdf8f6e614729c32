"""What an editor asks for after a keystroke, all at once, is worked out once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import previews
from promptls.lsp.arrived import ARRIVED
from promptls.lsp.lookup_round import Basis, LookupRound
from promptls.lsp.view import View, make_view
from promptls.lsp.virtual import PreviewRequest
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.test_fading import FADES

FILES: dict[str, str | bytes | dict[str, object]] = {
    "AGENTS.md": "Use tabs.\n",
    "CLAUDE.md": "@AGENTS.md\n",
    "opencode.json": "{}\n",
    "api/AGENTS.md": "Check the token.\n\n<!-- for people -->\n",
    "api/CLAUDE.md": "Check it.\n\n<!-- for people -->\n",
    "api/a.py": "",
}


async def test_no_preview_is_made_twice(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path / "project", FILES)
    await client.start(FADES, folders=[str(folder)])
    rules, file = (folder / "api/CLAUDE.md").as_uri(), (folder / "api/a.py").as_uri()
    await client.open(rules, "Check it.\n\n<!-- for people -->\n")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("prompt/preview", {"textDocument": {"uri": file}}),
        ("textDocument/diagnostic", {"textDocument": {"uri": rules}}),
        *((f"textDocument/{each}", {"textDocument": {"uri": rules}}) for each in ("codeLens", "documentLink")),
        ("textDocument/inlayHint", {"textDocument": {"uri": rules}, "range": whole}),
    ]
    alone = [await client.request(*each) for each in asked]
    await client.change(rules, "Check it.\n\n<!-- for all people -->\n")
    made: Counter[PreviewRequest] = Counter()
    make = make_view

    def counting(request: PreviewRequest, basis: Basis, round_: LookupRound, before: View | None) -> View:
        view = make(request, basis, round_, before)
        made[request] += view is not before
        return view

    monkeypatch.setattr(previews, "make_view", counting)
    together = await asyncio.gather(*(client.request(*each) for each in asked))
    # Some look at no file that has changed.
    assert set(made.values()) <= {0, 1}
    assert 1 in made.values()
    # The edit is in a comment, which is longer.
    assert [each["code"] for each in together[1]["items"]] == [each["code"] for each in alone[1]["items"]]
    assert together[2:] == alone[2:]
    assert together[1]["items"][-1]["range"]["end"] == {"line": 2, "character": 23}


async def test_the_steps_of_a_request_share_what_was_seen_since_it_came(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lay_out(tmp_path / "project", FILES)
    await client.start(FADES, folders=[str(folder)])
    rules, text = (folder / "api/CLAUDE.md").as_uri(), "Check it.\n\n<!-- for people -->\n"
    await client.open(rules, text)
    rounds: list[LookupRound] = []
    begin = LookupRound.begin

    def begun(self: LookupRound) -> None:
        if self not in rounds:
            rounds.append(self)
        begin(self)

    monkeypatch.setattr(LookupRound, "begin", begun)
    counts = []
    # A message whose arrival is not known shares nothing.
    for arrived in (time.monotonic, lambda: None):
        text += "x"
        await client.change(rules, text)
        rounds.clear()
        ARRIVED.set(arrived())
        await client.request("textDocument/diagnostic", {"textDocument": {"uri": rules}})
        counts.append(len(rounds))
    assert counts[0] == 1 < counts[1]


async def test_what_was_written_before_a_request_came_is_in_the_answer(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "project", FILES)
    await client.start(folders=[str(folder)])
    path, views = str(folder / "api/a.py"), client.server.previews
    for number, (name, harness) in enumerate((("GEMINI.md", "gemini-cli"), (".codex/config.toml", "codex"))):
        (folder / "api/AGENTS.md").write_text(f"Rule {number}.\n", encoding="utf-8")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("", encoding="utf-8")
        ARRIVED.set(time.monotonic())
        view, _ = await views.view(PreviewRequest((folder / "api/a.py").as_uri(), harness="opencode"))
        assert f"Rule {number}." in view.text
        assert harness in await views.in_use(path)
