"""Checks of whole folders in the editor: what is shown of files that nobody has opened."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import folder_checks, progress
from promptls.lsp.features import changes
from promptls.lsp.uris import path_of, uri_of
from tests.folder import lay_out
from tests.lsp.checking import InProcess
from tests.lsp.client import PUBLISH, Client, recorded
from tests.lsp.cursor import opened, text_of
from tests.lsp.screen import Screen, changed, until

PULL: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
GONE = "instruction-missing"


@pytest.fixture
async def client(client: Client, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setattr(folder_checks, "QUIET", 0.2)
    client.checks_folders = True
    yield client
    # What comes after the last step of a test is not about it.
    client.inbox = [each for each in client.inbox if each.get("method") != PUBLISH]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "etcode.json": '{"instructions": [\n "a.md",\n "docs/b.md"\n]}\n',
            "a.md": "a\n",
            "AGENTS.md": "See [that](gone.md).\n\n[more](lost.md)\n",
        },
    )


ALL = {"etcode.json": [GONE], "AGENTS.md": ["link-dead", "link-dead"]}


async def test_the_problems_of_files_that_nobody_opened(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    lay_out(folder, {"docs/b.md": "b\n"}, git=False)
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "docs/b.md"))
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})


async def test_an_open_document_wins_and_each_problem_is_shown_once(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    uri = (await opened(client, folder / "etcode.json"))["textDocument"]["uri"]
    await client.change(uri, '{"instructions": ["a.md"]}')
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})
    await client.change(uri, '{"instructions": ["none.md", "docs/b.md"]}')
    await screen.until(ALL | {"etcode.json": [GONE, GONE]})
    await client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    await client.close_document(uri)  # it was not saved: the text on the disk counts again
    await screen.until(ALL)


async def test_what_an_unsaved_text_names_is_looked_for_in_unsaved_texts(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    await client.open(uri_of(f"{folder}/gone.md"), "not on the disk yet\n")
    await screen.until(ALL | {"AGENTS.md": ["link-dead"]})


async def test_what_no_longer_stands_there_is_left_out_until_the_next_run(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    monkeypatch.setattr(folder_checks, "QUIET", 1000.0)  # no run by itself
    uri = (await opened(client, folder / "AGENTS.md", "markdown"))["textDocument"]["uri"]
    await client.change(uri, "See [this](gone.md).\n\n[more](left.md)\n")
    await screen.until(ALL | {"AGENTS.md": ["link-dead"]})
    assert screen.items["AGENTS.md"][0]["range"]["start"] == {"line": 0, "character": 11}


async def test_a_client_that_cannot_watch_files_sees_what_another_program_fixes(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "LOOK_EVERY", 0.5)
    monkeypatch.setattr(folder_checks, "SHARE", 1e6)
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    path = folder / "etcode.json"
    await opened(client, path)
    await until(lambda: client.server.folder_checks.is_fresh(str(path), path.read_text()))
    lay_out(folder, {"docs/b.md": "b\n"}, git=False)
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})


async def test_where_nothing_is_watched_a_prompt_that_has_changed_has_its_folder_checked(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_checks, "SHARE", 0.0)  # no run by itself
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    path = folder / "etcode.json"
    document = await opened(client, path)
    await until(lambda: client.server.folder_checks.is_fresh(str(path), path.read_text()))
    shown = await client.request("prompt/preview", {**document, "harness": "etcode"})
    lay_out(folder, {"docs/b.md": "b\n"}, git=False)
    client.server.context.events.time_passed.emit(None)
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})


@pytest.mark.parametrize("watches", [{}, {"didChangeWatchedFiles": {"dynamicRegistration": True}}])
async def test_where_nothing_is_watched_a_document_that_is_opened_has_its_folder_checked(
    client: Client, folder: Path, watches: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_checks, "SHARE", 0.0)  # no run by itself
    await client.start({"workspace": watches}, folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    path = folder / "etcode.json"
    await until(lambda: client.server.folder_checks.is_fresh(str(path), path.read_text()))
    lay_out(folder, {"docs/b.md": "b\n"}, git=False)
    await opened(client, path)
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})


async def test_fixes_are_made_for_the_text_that_is_shown(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    literals: dict[str, Any] = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
    await client.start({"textDocument": literals}, folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    document = await opened(client, folder / "etcode.json", "json")
    uri = document["textDocument"]["uri"]

    async def removed() -> dict[str, Any]:
        """What the fix takes away: in a text with something longer before it, that is elsewhere."""
        place = {"line": 2, "character": 3}
        params = {**document, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
        (action,) = await client.request("textDocument/codeAction", params)
        assert action["title"] == "Remove the entry"
        (edit,) = action["edit"]["changes"][uri]
        return dict(edit["range"])

    end = {"line": 2, "character": 12}
    assert await removed() == {"start": {"line": 1, "character": 7}, "end": end}
    monkeypatch.setattr(folder_checks, "QUIET", 1000.0)  # no run by itself
    await client.change(uri, '{"instructions": [\n "longer.md",\n "docs/b.md"\n]}\n')
    assert await removed() == {"start": {"line": 1, "character": 12}, "end": end}


async def test_a_file_that_is_deleted_while_it_is_open(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    uri = (await opened(client, folder / "etcode.json"))["textDocument"]["uri"]
    (folder / "etcode.json").unlink()
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "etcode.json"))
    await client.close_document(uri)
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})


async def test_untitled_documents_are_no_files(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await client.open("untitled:Untitled-1", '{"instructions": ["x.md"]}', "json")
    await screen.until(ALL)
    await client.close_document("untitled:Untitled-1")


async def test_the_settings_file_and_comments_that_silence_nothing(client: Client, folder: Path) -> None:
    lay_out(
        folder,
        {
            "promptls.toml": 'harnes = "etcode"\n\n[rules]\nlink-dead = "off"\n',
            "AGENTS.md": "<!-- promptls: ignore empty -->\nSee [that](gone.md).\n",
        },
        git=False,
    )
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    found = {"promptls.toml": ["config-key"], "AGENTS.md": ["suppression-unused"], "etcode.json": [GONE]}
    await screen.until(found)
    document = await opened(client, folder / "promptls.toml", "toml")
    await client.change(document["textDocument"]["uri"], '[rules]\nlink-dead = "off"\n')
    await screen.until({"AGENTS.md": ["suppression-unused"], "etcode.json": [GONE]})


async def test_folders_inside_of_each_other_and_their_end(client: Client, folder: Path) -> None:
    lay_out(folder, {"inner/etcode.json": '{"instructions": ["c.md"]}'}, git=False)
    await client.start(folders=[str(folder), f"{folder}/inner"])
    screen = Screen(client, folder)
    await screen.until(ALL | {"inner/etcode.json": [GONE]})
    event = {"added": [], "removed": [{"uri": uri_of(str(folder)), "name": "project"}]}
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await screen.until({"inner/etcode.json": [GONE]})


async def test_a_setting_switches_it_off(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    settings = {"promptls": {"checkWorkspace": False}}
    await client.notify("workspace/didChangeConfiguration", {"settings": settings})
    await screen.until({})


async def test_nothing_is_said_of_a_folder_without_a_harness(client: Client, tmp_path: Path) -> None:
    await client.start(PULL, folders=[str(lay_out(tmp_path / "plain", {"notes.md": "[x](gone.md)\n"}))])
    assert await client.request("workspace/diagnostic", {"previousResultIds": []}) == {"items": []}


async def test_only_documents_that_matter_lead_to_a_run(client: Client, folder: Path) -> None:
    lay_out(folder, {"app.py": "1\n"}, git=False)
    (folder / "link.py").symlink_to("AGENTS.md")
    watching = {"dynamicRegistration": True, "relativePatternSupport": True}
    await client.start({"workspace": {"didChangeWatchedFiles": watching}}, folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    checks = client.server.folder_checks
    await until(checks._is_settled)
    for name, text, is_due in (
        ("app.py", "2\n", False),
        ("AGENTS.md", (folder / "AGENTS.md").read_text(encoding="utf-8"), False),
        ("link.py", "[that](gone.md)\n", True),
        ("gone.md", "not on the disk\n", True),
    ):
        await client.open(uri_of(f"{folder}/{name}"), text)
        assert checks._is_settled() != is_due
        await until(checks._is_settled)


@pytest.mark.parametrize("untrusted", [False, True])
async def test_git_is_run_only_where_the_folder_is_trusted(
    client: Client, folder: Path, untrusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    monkeypatch.setattr("promptls.git.start", lambda root, *_: begun.append(root))
    await client.start(folders=[str(folder)], options={"untrustedWorkspace": untrusted})
    await Screen(client, folder).until(ALL)
    assert set(begun) == (set() if untrusted else {str(folder)})


async def test_a_client_that_pulls_gets_what_is_new(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)])
    report = await client.request("workspace/diagnostic", {"previousResultIds": []})
    items = {path_of(item["uri"]): item for item in report["items"]}
    assert {path: [each["code"] for each in item["items"]] for path, item in items.items()} == {
        f"{folder}/{name}": codes for name, codes in ALL.items()
    }
    before = [{"uri": item["uri"], "value": item["resultId"]} for item in items.values()]
    _, waiting = client.ask("workspace/diagnostic", {"previousResultIds": before})
    document = await opened(client, folder / "AGENTS.md", "markdown")  # says nothing new
    pulled = await client.request("textDocument/diagnostic", document)
    assert pulled["resultId"] == items[f"{folder}/AGENTS.md"]["resultId"]
    assert not waiting.done()
    lay_out(folder, {"docs/b.md": "b\n"}, git=False)
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "docs/b.md"))
    [item] = (await waiting)["items"]
    assert (path_of(item["uri"]), item["items"]) == (f"{folder}/etcode.json", [])


async def test_a_pull_that_waits_can_be_cancelled(client: Client, folder: Path) -> None:
    await client.start(PULL, folders=[str(folder)])
    report = await client.request("workspace/diagnostic", {"previousResultIds": []})
    before = [{"uri": item["uri"], "value": item["resultId"]} for item in report["items"]]
    number, waiting = client.ask("workspace/diagnostic", {"previousResultIds": before})
    await client.notify("$/cancelRequest", {"id": number})
    with pytest.raises(Exception, match="cancelled"):
        await waiting


async def test_the_page_of_a_rule_is_a_file_that_is_there(client: Client, folder: Path) -> None:
    await client.start(recorded("vscode")["capabilities"], folders=[str(folder)])
    client.answers["window/workDoneProgress/create"] = lambda _: None
    screen = Screen(client, folder)
    await screen.until(ALL)
    href = screen.items["etcode.json"][0]["codeDescription"]["href"]
    assert text_of(Path(path_of(href) or "")).startswith(f"# {GONE}\n")


@pytest.mark.parametrize("editor", ["emacs-28", "neovim-0.7", "emacs", "neovim", "vscode"])
async def test_recorded_editors(client: Client, folder: Path, editor: str) -> None:
    client.answers["window/workDoneProgress/create"] = lambda _: None
    await client.start(**recorded(editor), folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    assert ("codeDescription" in screen.items["etcode.json"][0]) == (editor == "vscode")


# -- progress -----------------------------------------------------------------------------------------------------

PROGRESS: dict[str, Any] = {"window": {"workDoneProgress": True}}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Every check waits until this is set."""
    let_go = threading.Event()
    monkeypatch.setattr(InProcess, "let_go", let_go)
    monkeypatch.setattr(progress, "LONG", 0.001)
    return let_go


async def test_the_first_check_shows_its_progress(client: Client, folder: Path, slow: threading.Event) -> None:
    await client.start(PROGRESS, folders=[str(folder)])
    request = await client.next("window/workDoneProgress/create")
    client.answer(request, None)
    begin = await client.next("$/progress")
    assert begin["token"] == request["params"]["token"]
    assert (begin["value"]["kind"], begin["value"]["cancellable"]) == ("begin", True)
    slow.set()
    kinds = []
    while "end" not in kinds:
        kinds.append((await client.next("$/progress"))["value"]["kind"])
    assert set(kinds) <= {"report", "end"}
    await Screen(client, folder).until(ALL)
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "a.md"))


async def test_a_user_can_stop_it(client: Client, folder: Path, slow: threading.Event) -> None:
    await client.start(PROGRESS, folders=[str(folder)])
    request = await client.next("window/workDoneProgress/create")
    client.answer(request, None)
    await client.next("$/progress")
    await client.notify("window/workDoneProgress/cancel", {"token": request["params"]["token"]})
    assert (await client.next("$/progress"))["value"]["kind"] == "end"
    assert client.server.folder_checks.paths() == []
    slow.set()
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "a.md"))
    await Screen(client, folder).until(ALL)


async def test_a_pull_shows_progress_where_the_client_wants_it(
    client: Client, folder: Path, slow: threading.Event
) -> None:
    await client.start(PULL, folders=[str(folder)])
    _, waiting = client.ask("workspace/diagnostic", {"previousResultIds": [], "workDoneToken": "mine"})
    begin = await client.next("$/progress")
    assert (begin["token"], begin["value"]["kind"]) == ("mine", "begin")
    slow.set()
    assert (await client.next("$/progress"))["value"]["kind"] == "end"
    assert len((await waiting)["items"]) == len(ALL)


async def test_an_older_run_is_stopped_by_a_newer_one(client: Client, folder: Path, slow: threading.Event) -> None:
    await client.start(folders=[str(folder)])
    runs: list[object] = []
    checks = client.server.folder_checks
    await until(lambda: checks._run is not None)
    runs.append(checks._run)
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "a.md"))
    await until(lambda: checks._run is not None and checks._run is not runs[0])
    slow.set()
    await Screen(client, folder).until(ALL)


async def test_previews_come_while_a_folder_is_checked(client: Client, folder: Path, slow: threading.Event) -> None:
    await client.start(folders=[str(folder)])
    found = await client.request("prompt/preview", {"textDocument": {"uri": uri_of(f"{folder}/a.md")}})
    assert found["harness"]["name"] == "etcode"
    assert client.server.folder_checks.paths() == []
    slow.set()
    await Screen(client, folder).until(ALL)
