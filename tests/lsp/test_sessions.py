"""prompt/sessions, and prompt/preview of a recorded session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import rule_counts
from promptls.lsp.results import RulesResult
from promptls.lsp.uris import uri_of
from promptls.lsp.view_results import SessionPageResult
from promptls.workspace.record_store import LocalStore
from promptls.workspace.rules_table import stood_in
from tests.lsp.client import Client
from tests.records.workspace import lay_out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, folder = lay_out("claude-code", tmp_path.resolve())
    monkeypatch.setenv("HOME", str(home))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    return folder


async def test_the_sessions_of_a_folder(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/sessions", {})
    assert [each["harness"] for each in result["sessions"]] == ["claude-code"] * 3
    assert result["sessions"][-1]["tokens"][-1] == 18017
    assert result["unread"] == []


async def test_the_prompt_of_a_recorded_session(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/preview", {"recorded": "c3eb6ddc"})
    assert result["harness"]["name"] == "claude-code"
    assert result["session"]["reads"][0] == f"{folder}/pkg/mod.py"
    arrivals = {each["path"].removeprefix(f"{folder}/"): each["outcome"] for each in result["recorded"]["arrivals"]}
    assert arrivals["pkg/CLAUDE.md"] == "arrived"
    assert arrivals["doc2/CLAUDE.md"] == "never"
    assert "never      doc2/CLAUDE.md" in result["text"]
    text = await client.request("workspace/textDocumentContent", {"uri": result["uri"]})
    assert text["text"] == result["text"]


async def test_no_text_of_a_session_is_sent(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    listed = await client.request("prompt/sessions", {})
    assert len(listed["sessions"]) > 1
    shown = [await client.request("prompt/preview", {"recorded": each["id"]}) for each in listed["sessions"]]
    texts = [await client.request("workspace/textDocumentContent", {"uri": each["uri"]}) for each in shown]
    assert "MARK-prompt" not in json.dumps([listed, shown, texts])


async def test_records_are_read_only_when_they_are_asked_for(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    made = LocalStore.__init__

    def noted(store: LocalStore, home: str, env: Mapping[str, str]) -> None:
        begun.append(home)
        made(store, home, env)

    monkeypatch.setattr(LocalStore, "__init__", noted)
    await client.start(folders=[str(folder)])
    document = {"textDocument": {"uri": uri_of(f"{folder}/pkg/CLAUDE.md")}}
    await client.open(document["textDocument"]["uri"], "rules\n")
    for method in (
        "prompt/preview",
        "prompt/explain",
        "textDocument/codeLens",
        "prompt/map",
        "textDocument/documentLink",
    ):
        await client.request(method, document)
    assert begun == []
    await client.request("prompt/sessions", {})
    await client.request("prompt/preview", {"recorded": "last"})
    assert len(begun) == 2


async def test_one_that_is_not_there_is_refused(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    error = await client.refusal("prompt/preview", {"recorded": "nothing"})
    assert str(error).startswith("There is no recorded session nothing of ")


async def test_nothing_is_read_where_the_folder_is_not_trusted(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a record is read")

    monkeypatch.setattr(LocalStore, "__init__", refuse)
    await client.start(folders=[str(folder)], options={"untrustedWorkspace": True})
    requests: tuple[tuple[str, dict[str, str]], ...] = (
        ("prompt/sessions", {}),
        ("prompt/preview", {"recorded": "last"}),
        ("prompt/session", {"id": "last"}),
        ("prompt/rules", {}),
    )
    for method, params in requests:
        error = await client.refusal(method, params)
        assert "not read in an untrusted folder" in str(error)


async def test_no_habit_is_read_of_records_where_the_folder_is_not_trusted(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a record is read")

    monkeypatch.delenv("CI")
    monkeypatch.setattr(LocalStore, "__init__", refuse)
    await client.start(folders=[str(folder)], options={"untrustedWorkspace": True})
    document = {"textDocument": {"uri": uri_of(f"{folder}/pkg/CLAUDE.md")}}
    await client.open(document["textDocument"]["uri"], "rules\n")
    for method in ("prompt/preview", "prompt/explain", "textDocument/codeLens"):
        await client.request(method, document)


async def test_the_page_of_a_session(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/session", {"id": "4656c00c"})
    SessionPageResult.model_validate(result)
    assert result["root"] == str(folder)
    assert 'class="bar"' in result["html"]
    assert "sub-agent" in result["html"]
    assert "MARK-prompt" not in result["html"]
    error = await client.refusal("prompt/session", {"id": "nosuch"})
    assert str(error).startswith("There is no recorded session nosuch of ")
    error = await client.refusal("prompt/session", {"id": "--all"})
    assert str(error).startswith("There is no recorded session --all of ")


async def test_in_how_many_sessions_each_rule_stood(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    result = RulesResult.model_validate(await client.request("prompt/rules", {}))
    (table,) = result.programs
    assert (table.harness, table.sessions) == ("claude-code", 3)
    stood = {each.path.removeprefix(f"{folder}/"): each.stood for each in table.rules}
    assert stood["CLAUDE.md"] == 3
    assert stood["doc2/CLAUDE.md"] == 0
    assert "3 of 3  CLAUDE.md" in result.text


async def test_the_lens_says_in_how_many_sessions_a_file_stood(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI")
    monkeypatch.setenv("PROMPTLS_DATA_DIR", f"{folder.parent}/data")
    editor = {"workspace": {"codeLens": {"refreshSupport": True}, "textDocumentContent": {}}}
    await client.start(editor, folders=[str(folder)])
    document = {"textDocument": {"uri": uri_of(f"{folder}/doc2/CLAUDE.md")}}
    await client.open(document["textDocument"]["uri"], "rules\n", "markdown")
    before = await client.request("textDocument/codeLens", document)
    assert all(each["command"]["command"] != "promptls.showRules" for each in before), "nobody waits for it"
    client.answer(await client.next("workspace/codeLens/refresh"), None)
    verdict, added, *sizes = await client.request("textDocument/codeLens", document)
    # Sizes may differ: what the sessions report says how tokens are counted.
    assert (verdict, len(sizes)) == (before[0], len(before) - 1)
    assert all(each["command"]["command"] != "promptls.showRules" for each in sizes)
    assert added["command"]["title"] == "In 0 of your last 3 sessions"
    assert "“~”: computed from today's files" in added["command"]["tooltip"]
    assert added["command"]["command"] == "promptls.showRules"


@pytest.mark.parametrize("options", [{"habits": False}, {"untrustedWorkspace": True}])
async def test_without_habits_or_trust_no_session_is_counted(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool]
) -> None:
    async def refuse(*_: object) -> None:
        raise AssertionError("sessions are counted")

    monkeypatch.delenv("CI")
    monkeypatch.setattr(rule_counts, "commanded", refuse)
    monkeypatch.setattr(rule_counts, "count", refuse)
    editor = {"workspace": {"codeLens": {"refreshSupport": True}, "textDocumentContent": {}}}
    await client.start(editor, folders=[str(folder)], options=options)
    document = {"textDocument": {"uri": uri_of(f"{folder}/CLAUDE.md")}}
    await client.open(document["textDocument"]["uri"], "rules\n", "markdown")
    for _ in range(2):
        lenses = await client.request("textDocument/codeLens", document)
        assert all(each["command"]["command"] != "promptls.showRules" for each in lenses)


def test_how_often_a_file_stood_is_said_plainly() -> None:
    def table(harness: str, sessions: int, stood: int, *, computed: bool = False) -> dict[str, Any]:
        return {
            "harness": harness,
            "sessions": sessions,
            "rules": [{"path": "/a", "stood": stood, "computed": computed}],
        }

    codex, claude = table("codex", 12, 0), table("claude-code", 50, 3)
    assert stood_in([claude], "/a") == "In 3 of your last 50 sessions"
    assert stood_in([claude], "/b") == ""
    assert stood_in([claude, codex], "/a") == "In 3 of your last 50 sessions of Claude Code, 0 of 12 of Codex"
    assert stood_in([table("codex", 1, 1)], "/a") == "In your last session"
    assert stood_in([table("codex", 1, 0)], "/a") == "In no prompt of your last session"
    assert stood_in([table("codex", 9, 4, computed=True)], "/a") == "In ~4 of your last 9 sessions"
