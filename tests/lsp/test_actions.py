from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptls import checks
from promptls.core.model import Edit, Fix, Problem, Range
from promptls.core.values import replace
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client, recorded
from tests.lsp.cursor import at, inside, opened, text_of

LITERALS: dict[str, Any] = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
PULL: dict[str, Any] = {"textDocument": {"diagnostic": {}, **LITERALS}}
ALL: dict[str, Any] = {**PULL, "workspace": {"workspaceEdit": {"resourceOperations": ["create", "rename"]}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project", {"etcode.json": '{"𝒳": 0, "instructions": ["none.md", "away.md"]}\n', "a.md": "a\n"}
    )


@pytest.fixture(autouse=True)
def fixes(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Rules that offer for each missing file to name another (safe for one), to create it, and to move one there."""

    def with_fixes(problem: Problem) -> Problem:
        name = problem.message.split("“")[1].split("”")[0]
        inside_quotes = replace(
            problem.range,
            start_character=problem.range.start_character + 1,
            end_character=problem.range.end_character - 1,
        )
        return replace(
            problem,
            fixes=(
                Fix("Name a.md", (Edit(problem.path, inside_quotes, "a.md"),), is_safe=True),
                Fix("Create it", (Edit(f"{folder}/{name}", Range(), "new\n"),)),
                Fix("Move a.md", (Edit(f"{folder}/a.md", rename=f"{folder}/{name}"),)),
            ),
        )

    found = checks.prompt_problems
    monkeypatch.setattr(checks, "prompt_problems", lambda *args: [with_fixes(problem) for problem in found(*args)])


async def actions(
    client: Client, document: dict[str, Any], position: dict[str, int], only: list[str] | None = None
) -> list[dict[str, Any]]:
    params = {
        **document,
        "range": {"start": position, "end": position},
        "context": {"diagnostics": [], **({"only": only} if only else {})},
    }
    found: list[dict[str, Any]] = await client.request("textDocument/codeAction", params)
    return found


async def test_the_fixes_of_the_problem_in_hand(client: Client, folder: Path) -> None:
    result = await client.start(ALL, folders=[str(folder)])
    assert result["capabilities"]["codeActionProvider"]["codeActionKinds"] == [
        "quickfix",
        "refactor.extract",
        "refactor.move",
        "refactor.rewrite",
        "source.fixAll.promptls",
        "source.findOut",
        "source.promptls",
    ]
    document = await opened(client, folder / "etcode.json")
    text = text_of(folder / "etcode.json")
    found = await actions(client, document, at(text, "away"))
    assert [(each["title"], each["kind"], each["isPreferred"]) for each in found] == [
        ("Name a.md", "quickfix", True),
        ("Create it", "quickfix", False),
        ("Move a.md", "quickfix", False),
    ]
    assert [each["code"] for each in found[0]["diagnostics"]] == ["instruction-missing"]
    [change] = found[0]["edit"]["documentChanges"]
    assert change["textDocument"] == {**document["textDocument"], "version": 1}
    assert [(inside(text, edit["range"]), edit["newText"]) for edit in change["edits"]] == [("away.md", "a.md")]
    creation, filling = found[1]["edit"]["documentChanges"]
    assert (creation["kind"], creation["uri"]) == ("create", uri_of(f"{folder}/away.md"))
    assert filling["edits"][0]["newText"] == "new\n"
    assert found[2]["edit"]["documentChanges"] == [
        {"kind": "rename", "oldUri": uri_of(f"{folder}/a.md"), "newUri": uri_of(f"{folder}/away.md")}
    ]
    assert await actions(client, document, at(text, "{")) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
async def test_without_resource_operations(client: Client, folder: Path, encoding: str) -> None:
    await client.start({**PULL, "general": {"positionEncodings": [encoding]}}, folders=[str(folder)])
    document = await opened(client, folder / "etcode.json")
    text = text_of(folder / "etcode.json")
    [found] = await actions(client, document, at(text, "none", encoding))
    [edit] = found["edit"]["changes"][document["textDocument"]["uri"]]
    assert (inside(text, edit["range"], encoding), edit["newText"]) == ("none.md", "a.md")


@pytest.mark.parametrize("only", ["source", "source.fixAll", "source.fixAll.promptls"])
async def test_all_safe_fixes_at_once(client: Client, folder: Path, only: str) -> None:
    await client.start(PULL, folders=[str(folder)])
    document = await opened(client, folder / "etcode.json")
    text = text_of(folder / "etcode.json")
    [found] = await actions(client, document, at(text, "{"), [only])
    edits = found["edit"]["changes"][document["textDocument"]["uri"]]
    assert [(inside(text, edit["range"]), edit["newText"]) for edit in edits] == [
        ("none.md", "a.md"),
        ("away.md", "a.md"),
    ]


async def test_a_fix_that_the_client_cannot_make_does_not_take_the_others_along(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = checks.prompt_problems
    move = Fix("Move it", (Edit(f"{folder}/a.md", rename=f"{folder}/b.md"),), is_safe=True)

    def with_a_move(*args: Any) -> list[Problem]:
        first, second = found(*args)
        where = replace(second.range, end_character=second.range.start_character)
        stay = Fix("Write it", (Edit(second.path, where, "x"),), is_safe=True)
        return [replace(first, fixes=(move,)), replace(second, fixes=(stay,))]

    monkeypatch.setattr(checks, "prompt_problems", with_a_move)
    await client.start(PULL, folders=[str(folder)])
    document = await opened(client, folder / "etcode.json")
    text = text_of(folder / "etcode.json")
    [action] = await actions(client, document, at(text, "{"), ["source.fixAll"])
    edits = action["edit"]["changes"][document["textDocument"]["uri"]]
    assert [edit["newText"] for edit in edits] == ["x"]


async def test_other_kinds_are_left_to_others(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)])
    document = await opened(client, folder / "etcode.json")
    position = at(text_of(folder / "etcode.json"), "none")
    assert await actions(client, document, position, ["refactor"]) == []
    assert await actions(client, document, position, ["source.fixAll.other"]) == []


async def test_a_client_that_knows_commands_only_gets_none(client: Client, folder: Path) -> None:
    await client.start({"textDocument": {"diagnostic": {}}}, folders=[str(folder)])
    document = await opened(client, folder / "etcode.json")
    assert await actions(client, document, at(text_of(folder / "etcode.json"), "none")) == []


@pytest.mark.parametrize(("editor", "count"), [("neovim", 3), ("emacs", 1)])
async def test_recorded_editors(client: Client, folder: Path, editor: str, count: int) -> None:
    await client.start(**recorded(editor), folders=[str(folder)])
    document = await opened(client, folder / "etcode.json")
    found = await actions(client, document, at(text_of(folder / "etcode.json"), "none"))
    assert len(found) == count
    assert all("documentChanges" in each["edit"] for each in found)
    if editor == "emacs":
        await client.next("textDocument/publishDiagnostics")
