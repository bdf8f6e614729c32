"""The process that checks a folder for the server: what it answers, and that nothing is left of it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from promptls.core.model import FetchResult, Timeouts
from promptls.core.settings import DEFAULT, Settings
from promptls.errors import UsageError
from promptls.lsp import checker, folder_checks
from promptls.lsp.checker import COMMAND, Checker, CheckFailedError, StoppedError
from promptls.lsp.checker_process import CheckRequest, look
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened
from tests.lsp.held_git import HeldGit
from tests.lsp.process import ServerProcess
from tests.lsp.screen import Screen, changed, until
from tests.net.loopback import Answer, Server

GONE = "instruction-missing"
ALL = {"etcode.json": [GONE], "AGENTS.md": ["link-dead", "link-dead"]}


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


def test_of_what_is_missing_nothing_is_kept(folder: Path) -> None:
    outcome = look(CheckRequest(str(folder), DEFAULT, True, {}, {}), lambda _what: None)
    assert sorted(outcome.digests) == [str(folder / name) for name in ("AGENTS.md", "a.md", "etcode.json")]
    assert outcome.inodes == {(folder / name).stat().st_ino for name in ("AGENTS.md", "a.md", "etcode.json")}


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldGit]:
    git = HeldGit(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{git.directory}{os.pathsep}{os.environ['PATH']}")
    yield git
    git.close()


@pytest.fixture
def web() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def client(client: Client, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(folder_checks, "Checker", Checker)
    monkeypatch.setattr(folder_checks, "QUIET", 0.2)
    client.checks_folders = True
    return client


def request(folder: Path, settings: Settings = DEFAULT, **documents: str) -> CheckRequest:
    return CheckRequest(str(folder), settings, True, {f"{folder}/{name}": text for name, text in documents.items()}, {})


def run(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process be another program."""
    monkeypatch.setattr(checker, "COMMAND", (*COMMAND[:-1], code))


# -- what it answers ----------------------------------------------------------------------------------------------


def test_it_finds_what_is_found_without_it(folder: Path) -> None:
    said: list[str] = []
    asked = request(folder)
    outcome = Checker().check(asked, said.append)
    assert outcome == look(asked, lambda _: None)
    assert {
        os.path.basename(path): [each.problem.code for each in found] for path, found in outcome.by_path.items()
    } == ALL
    assert outcome.by_path[f"{folder}/AGENTS.md"][0].text == "gone.md"
    assert said[0] == "listing files"


def test_what_the_server_knows_of_urls_goes_in_and_what_was_asked_for_comes_out(folder: Path) -> None:
    url = "https://user:secret@promptls.workspace.invalid/rules.md"
    lay_out(folder, {"etcode.json": {"instructions": [url]}}, git=False)
    outcome = Checker().check(request(folder), lambda _: None)
    [(asked, timeouts)] = outcome.urls
    assert asked == url
    assert isinstance(timeouts, Timeouts)
    assert f"{folder}/etcode.json" not in outcome.by_path
    answers = {(url, timeouts): FetchResult(url, "status", status=404)}
    known = CheckRequest(str(folder), DEFAULT, True, {}, answers)
    [found] = Checker().check(known, lambda _: None).by_path[f"{folder}/etcode.json"]
    assert found.problem.code == "url-status"


def test_settings_that_name_no_version(folder: Path) -> None:
    with pytest.raises(UsageError, match="1999"):
        Checker().check(request(folder, Settings(harness="etcode@1999")), lambda _: None)


def test_who_prints_there_disturbs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prints = "import os; c.look = lambda *a: (print('x'), os.system('echo y'), look(*a))[-1]"
    run(f"from promptls.lsp import checker_process as c; look = c.look; {prints}; c.main()", monkeypatch)
    assert len(Checker().check(request(folder), lambda _: None).by_path) == len(ALL)


def test_nothing_is_imported_from_the_workspace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(folder, {"promptls/__init__.py": "raise SystemExit(3)\n", "pickle.py": "raise SystemExit(3)\n"}, git=False)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONPATH", "")
    assert len(Checker().check(request(folder), lambda _: None).by_path) == len(ALL)


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(3)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "import sys; sys.stdout.write('no pickle')",
        "from promptls.lsp import checker_process as c; c.look = lambda *_: 1 / 0; c.main()",
    ],
)
def test_a_process_without_an_answer(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run(code, monkeypatch)
    with pytest.raises(CheckFailedError):
        Checker().check(request(folder), lambda _: None)


# -- in the server ------------------------------------------------------------------------------------------------


async def test_the_text_of_an_open_document_counts(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    uri = (await opened(client, folder / "etcode.json"))["textDocument"]["uri"]
    await client.change(uri, '{"instructions": ["a.md"]}')
    await client.open(uri_of(f"{folder}/gone.md"), "not on the disk yet\n")
    await screen.until({"AGENTS.md": ["link-dead"]})


async def test_a_url_that_is_answered_later(client: Client, folder: Path, web: Server) -> None:
    gate = web.gate()
    lay_out(folder, {"etcode.json": {"instructions": [web.url("/r.md", Answer(status=404, hold=gate))]}}, git=False)
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"]})
    assert await asyncio.to_thread(web.arrived.get, timeout=60) == "/r.md"
    gate.set()
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"], "etcode.json": ["url-status"]})
    assert [path for path, _ in web.requests] == ["/r.md"]


async def test_a_url_that_is_known_to_previews(client: Client, folder: Path, web: Server) -> None:
    lay_out(folder, {"etcode.json": {"instructions": [web.url("/r.md", Answer(status=404))]}}, git=False)
    await client.start(folders=[str(folder)], options={"checkWorkspace": False})
    screen = Screen(client, folder)
    uri = (await opened(client, folder / "etcode.json"))["textDocument"]["uri"]
    await screen.until({"etcode.json": ["url-status"]})
    await client.close_document(uri)
    await screen.until({})
    await client.notify("workspace/didChangeConfiguration", {"settings": {"promptls": {}}})
    await screen.until({"AGENTS.md": ["link-dead", "link-dead"], "etcode.json": ["url-status"]})
    assert [path for path, _ in web.requests] == ["/r.md"]


async def test_nothing_known_is_reported_again(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    screen = Screen(client, folder)
    await screen.until(ALL)
    await client.server.folder_checks.ready()
    reported: list[frozenset[str]] = []
    client.server.folder_checks.changed.listen(reported.append)
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "other.md"))
    await until(lambda: reported)
    assert reported == [frozenset()]
    assert client.inbox == []


async def test_a_killed_process(client: Client, folder: Path, git: HeldGit, caplog: pytest.LogCaptureFixture) -> None:
    await client.start(folders=[str(folder)])
    os.kill(await asyncio.to_thread(git.waits), signal.SIGKILL)
    await asyncio.to_thread(git.all_gone)
    await client.server.folder_checks.ready()
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    caplog.clear()
    screen = Screen(client, folder)
    await client.open(uri_of(f"{folder}/etcode.json"), '{"instructions": ["none.md"]}', "json")
    await screen.until({"etcode.json": [GONE]})


async def test_a_process_that_cannot_be_started_is_reported_once(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(checker, "COMMAND", (f"{folder}/no-python",))
    await client.start(folders=[str(folder)])
    checks = client.server.folder_checks
    await checks.ready()
    ended: list[object] = []
    checks.changed.listen(ended.append)
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "a.md"))
    screen = Screen(client, folder)
    uri = (await opened(client, folder / "etcode.json"))["textDocument"]["uri"]
    await screen.until({"etcode.json": [GONE]})
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    caplog.clear()
    monkeypatch.setattr(checker, "COMMAND", COMMAND)
    await client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    await screen.until(ALL)


# -- its end ------------------------------------------------------------------------------------------------------


async def test_a_check_that_is_stopped_leaves_nothing(folder: Path, git: HeldGit) -> None:
    checks = Checker()
    checking = asyncio.ensure_future(asyncio.to_thread(checks.check, request(folder), lambda _: None))
    await asyncio.to_thread(git.waits)
    checks.stop()
    with pytest.raises(StoppedError):
        await checking
    await asyncio.to_thread(git.all_gone)
    with pytest.raises(StoppedError):
        checks.check(request(folder), lambda _: None)


async def test_the_end_of_the_connection_leaves_nothing(client: Client, folder: Path, git: HeldGit) -> None:
    await client.start(folders=[str(folder)])
    await asyncio.to_thread(git.waits)
    await client.stop()
    await asyncio.to_thread(git.all_gone)


async def test_a_newer_run_takes_the_place_of_an_older_one(client: Client, folder: Path, git: HeldGit) -> None:
    await client.start(folders=[str(folder)])
    await asyncio.to_thread(git.waits)
    git.program.unlink()
    await client.notify("workspace/didChangeWatchedFiles", changed(folder / "a.md"))
    await asyncio.to_thread(git.all_gone)
    await Screen(client, folder).until(ALL)


def test_a_server_that_is_killed_leaves_nothing(folder: Path, git: HeldGit) -> None:
    with ServerProcess() as server:
        folders = [{"uri": uri_of(str(folder)), "name": "project"}]
        server.request("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": folders})
        server.notify("initialized", {})
        git.waits()
        os.kill(server.pid, signal.SIGKILL)
        git.all_gone()
        assert server.code() == -signal.SIGKILL
        assert server.stderr() == ""
