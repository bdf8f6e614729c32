from __future__ import annotations

import asyncio
import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core import prompt_json
from promptls.lsp import shown
from promptls.lsp.features import changes
from promptls.lsp.results import PreviewResult
from promptls.lsp.uris import uri_of
from promptls.lsp.view_results import HarnessesResult, UseResult
from tests.folder import lay_out
from tests.lsp.client import LIMIT, Client
from tests.repository import commit, git

CONTENT: dict[str, Any] = {"workspace": {"textDocumentContent": {}}}
WATCHING: dict[str, Any] = {
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project",
        {
            "AGENTS.md": "root rules\n",
            "etcode.json": {"instructions": ["docs/style.md"]},
            "docs/style.md": "style rules\n",
            "api/AGENTS.md": "api rules\n",
            "api/app.py": "print()\n",
        },
    )


def texts(result: dict[str, Any]) -> str:
    return "".join(message["text"] for message in result["messages"])


def ask(path: Path, **params: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri_of(str(path))}, **params}


async def test_the_prompt_of_a_document(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/preview", ask(folder / "api/app.py"))
    PreviewResult.model_validate(result)
    assert result["harness"] == {"name": "etcode", "version": "design", "verified": False, "tier": "documented"}
    assert result["session"]["cwd"] == str(folder)
    assert [message["at"] for message in result["messages"]] == ["start"] * 4 + [f"read:{folder}/api/app.py"]
    assert [
        segment["origin"]["path"]
        for message in result["messages"]
        for segment in message["segments"]
        if segment["origin"]["kind"] == "file"
    ] == [f"{folder}/AGENTS.md", f"{folder}/docs/style.md", f"{folder}/api/AGENTS.md"]
    assert "api rules" in result["text"]


async def test_tokens_are_counted_off_the_loop_and_once(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    to_json = prompt_json.to_json

    def noted(*args: Any) -> dict[str, Any]:
        threads.append(threading.current_thread())
        return to_json(*args)

    monkeypatch.setattr(prompt_json, "to_json", noted)
    await client.start(folders=[str(folder)])
    for _ in range(2):
        await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()


async def test_the_same_session_is_answered_from_the_cache(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    first = await client.request("prompt/preview", ask(folder / "api/app.py"))
    second = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert (first["cacheHit"], second["cacheHit"]) == (False, True)
    assert {**first, "cacheHit": True} == second


async def test_a_file_that_was_missing_drops_the_cached_preview(client: Client, folder: Path) -> None:
    looked = asyncio.Event()
    client.server.context.events.previews_checked.listen(lambda _: looked.set())
    await client.start(folders=[str(folder)])
    await client.request("prompt/preview", ask(folder / "api/app.py"))
    await asyncio.wait_for(looked.wait(), LIMIT)  # for the settings came; else it may tell of the new file, too
    (folder / "ETCODE.md").write_text("new rules\n", encoding="utf-8")
    result = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert not result["cacheHit"]
    assert "new rules" in texts(result)


async def test_a_change_is_seen_where_the_client_watches_nothing(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "LOOK_EVERY", 0.001)
    await client.start(folders=[str(folder)])
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    # In one step: a look may find a file empty that is just being written.
    written = folder.parent / "written.md"
    written.write_text("other rules\n", encoding="utf-8")
    written.replace(folder / "AGENTS.md")
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}


async def test_a_file_that_nothing_looks_at_does_not(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    await client.request("prompt/preview", ask(folder / "api/app.py"))
    (folder / "api" / "other.md").write_text("x", encoding="utf-8")
    assert (await client.request("prompt/preview", ask(folder / "api/app.py")))["cacheHit"]


async def test_typing_shows_at_once_and_the_client_is_notified(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    agents = uri_of(str(folder / "AGENTS.md"))
    await client.open(agents, "root rules\n")
    await client.change(agents, "typed, not saved\n")
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}
    result = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert result["version"] == shown["version"] + 1
    assert "typed, not saved" in texts(result)
    await client.close_document(agents)
    await client.next("prompt/didChange")
    assert "root rules" in texts(await client.request("prompt/preview", ask(folder / "api/app.py")))


async def test_the_client_is_not_notified_of_changes_that_do_not_show(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    await client.request("prompt/preview", ask(folder / "api/app.py"))
    other = uri_of(str(folder / "other.py"))
    await client.open(other, "x")
    await client.change(other, "y")
    agents = uri_of(str(folder / "AGENTS.md"))
    await client.open(agents, "root rules\n")
    await client.change(agents, "now it shows\n")
    await client.next("prompt/didChange")


async def test_the_virtual_document(client: Client, folder: Path) -> None:
    result = await client.start(CONTENT, folders=[str(folder)])
    assert result["capabilities"]["workspace"]["textDocumentContent"] == {"schemes": ["promptls"]}
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert shown["uri"].startswith("promptls:/app.py%20%28prompt%29?")
    content = await client.request("workspace/textDocumentContent", {"uri": shown["uri"]})
    assert content["text"] == shown["text"]
    await client.open(uri_of(str(folder / "AGENTS.md")), "typed\n")
    await client.next("prompt/didChange")
    refresh = await client.next("workspace/textDocumentContent/refresh")
    assert refresh["params"] == {"uri": shown["uri"]}
    client.answer(refresh, None)


async def notified(client: Client, count: int) -> set[str]:
    """The next documents that have changed, in one message or in more."""
    uris: set[str] = set()
    while len(uris) < count:
        uris.update((await client.next("prompt/didChange"))["uris"])
    return uris


async def test_what_is_open_is_followed_however_many_are_given_later(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "FOLLOWED", 2)
    await client.start(folders=[str(folder)])
    given = []
    for name in ("etcode", "opencode", "codex", "claude-code"):
        given.append((await client.request("prompt/preview", ask(folder / "api/app.py", harness=name)))["uri"])
        if name == "etcode":
            await client.open(given[0], "the preview")
    await client.open(uri_of(str(folder / "docs/style.md")), "other rules\n")
    assert await notified(client, 1) == {given[0]}
    agents = uri_of(str(folder / "AGENTS.md"))
    await client.open(agents, "other rules\n")
    assert await notified(client, 3) == {given[0], given[2], given[3]}
    await client.close_document(given[0])
    last = await client.request("prompt/preview", ask(folder / "api/app.py", harness="copilot-cli"))
    await client.change(agents, "more rules\n")
    assert await notified(client, 2) == {given[3], last["uri"]}


async def test_another_harness_by_parameter_and_by_setting(client: Client, folder: Path) -> None:
    client.settings = {"harness": "opencode", "model": "stub/claude-x"}
    await client.start({"workspace": {"configuration": True}}, folders=[str(folder)])
    result = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert (result["harness"]["name"], result["session"]["model"]) == ("opencode", "stub/claude-x")
    named = await client.request("prompt/preview", ask(folder / "api/app.py", harness="etcode@d1504ac"))
    assert named["harness"] == {"name": "etcode", "version": "d1504ac", "verified": True, "tier": "captured"}


async def test_changed_settings_change_the_preview(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    await client.notify("workspace/didChangeConfiguration", {"settings": {"promptls": {"harness": "opencode"}}})
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}
    assert (await client.request("prompt/preview", ask(folder / "api/app.py")))["harness"]["name"] == "opencode"


async def test_settings_from_initialization_options(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)], options={"harness": "opencode", "cwd": "api"})
    result = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert result["session"]["cwd"] == str(folder / "api")
    assert result["harness"]["name"] == "opencode"


async def test_a_setting_of_the_wrong_type_is_named_and_left_out(
    client: Client, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await client.start(folders=[str(folder)], options={"harness": "opencode", "urls": {"slowMs": "fast"}})
    result = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert result["harness"]["name"] == "opencode"
    assert any("promptls.urls.slowMs is not valid" in record.getMessage() for record in caplog.records)
    caplog.clear()


async def test_two_folders_have_settings_of_their_own(client: Client, folder: Path, tmp_path: Path) -> None:
    other = lay_out(tmp_path / "other", {"AGENTS.md": "other rules\n", "x.py": "x\n"})
    by_folder = {uri_of(str(folder)): {"model": "one"}, uri_of(str(other)): {"model": "two"}}
    client.answers["workspace/configuration"] = lambda params: [
        by_folder.get(item.get("scopeUri", ""), {}) for item in params["items"]
    ]
    await client.start({"workspace": {"configuration": True}}, folders=[str(folder), str(other)])
    first = await client.request("prompt/preview", ask(folder / "api/app.py"))
    second = await client.request("prompt/preview", ask(other / "x.py"))
    assert (first["session"]["model"], second["session"]["model"]) == ("one", "two")
    assert second["harness"]["name"] == "opencode"
    assert second["session"]["cwd"] == str(other)


async def test_the_harnesses(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    result = await client.request("prompt/harnesses", ask(folder / "api/app.py"))
    HarnessesResult.model_validate(result)
    found = {each["name"]: each["evidence"] for each in result["harnesses"] if each["found"]}
    assert found == {"etcode": [f"{folder}/etcode.json"]}
    assert result["current"] == {"name": "etcode", "version": "design", "setting": None}


async def test_which_programs_are_used_is_open_until_it_is_answered(client: Client, tmp_path: Path) -> None:
    """Editors ask while it is undecided, and keep the answer as a setting."""
    folder = lay_out(tmp_path / "shared", {"AGENTS.md": "rules\n"})
    await client.start(folders=[str(folder)])
    before = await client.request("prompt/harnesses", ask(folder / "AGENTS.md"))
    HarnessesResult.model_validate(before)
    assert (before["undecided"], before["chosen"]) == (True, [])
    settings = {"promptls": {"harnesses": ["codex@0.169.0", "claude-code"]}}
    await client.notify("workspace/didChangeConfiguration", {"settings": settings})
    after = await client.request("prompt/harnesses", ask(folder / "AGENTS.md"))
    assert (after["undecided"], after["chosen"]) == (False, ["codex", "claude-code"])
    assert {each["name"] for each in after["harnesses"] if each["found"]} == {"codex", "claude-code"}


async def test_what_the_user_has_said_is_kept_in_their_own_file(client: Client, tmp_path: Path, home: Path) -> None:
    """The terminal reads and writes the same one."""
    folder = lay_out(tmp_path / "shared", {"AGENTS.md": "rules\n"})
    file = home / ".config/promptls/promptls.toml"
    await client.start(folders=[str(folder)])
    nothing = await client.request("prompt/use", {})
    UseResult.model_validate(nothing)
    assert nothing == {"path": str(file), "harnesses": [], "answered": False}
    assert not file.exists()
    kept = await client.request("prompt/use", {"harnesses": ["gemini", "codex@0.169.0"]})
    assert kept == {"path": str(file), "harnesses": ["gemini-cli", "codex@0.169.0"], "answered": True}
    assert file.read_text(encoding="utf-8") == 'harnesses = ["gemini-cli", "codex@0.169.0"]\n'
    found = await client.request("prompt/harnesses", ask(folder / "AGENTS.md"))
    assert (found["undecided"], found["chosen"], found["current"]["name"]) == (
        False,
        ["gemini-cli", "codex"],
        "gemini-cli",
    )
    assert (await client.request("prompt/use", {"harnesses": []}))["answered"]
    found = await client.request("prompt/harnesses", ask(folder / "AGENTS.md"))
    assert (found["undecided"], found["chosen"]) == (False, [])
    assert "nosuch" in str(await client.refusal("prompt/use", {"harnesses": ["nosuch"]}))
    assert not list(folder.glob("promptls.toml"))


async def test_a_folder_with_a_program_of_its_own_leaves_no_question(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "own", {"AGENTS.md": "rules\n", "opencode.json": {}})
    await client.start(folders=[str(folder)])
    found = await client.request("prompt/harnesses", ask(folder / "AGENTS.md"))
    assert (found["undecided"], found["chosen"]) == (False, [])


async def test_what_a_preview_looks_at_is_watched_also_outside_of_the_folder(
    client: Client, folder: Path, home: Path
) -> None:
    await client.start(WATCHING, folders=[str(folder)])
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    wanted = {uri_of(str(place)) for place in (folder, folder / "api", home / ".config/etcode")}
    await client.until(lambda: wanted <= {base for base, _ in client.watched})
    path = home / ".config/etcode/AGENTS.md"
    path.parent.mkdir(parents=True)
    path.write_text("global rules\n", encoding="utf-8")
    await client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(str(path)), "type": 1}]})
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}


@pytest.mark.parametrize(
    "params",
    [
        {"textDocument": 5},
        {"textDocument": {"uri": None}},
        {"reads": "x"},
        {"args": [1]},
        [],
        "junk",
    ],
)
async def test_junk_parameters_are_refused(client: Client, params: Any) -> None:
    await client.start()
    refusal = await client.refusal("prompt/preview", params)
    assert refusal.code == -32602
    assert refusal.keys == {"code", "message"}


async def test_an_unknown_harness_is_refused_in_one_sentence(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    refusal = await client.refusal("prompt/preview", ask(folder / "api/app.py", harness="nosuch"))
    assert refusal.code == -32803
    assert str(refusal) == f"There is no harness 'nosuch'; choose one of {', '.join(harnesses.names())}."


async def test_a_virtual_document_that_is_none_of_ours(client: Client) -> None:
    await client.start(CONTENT)
    refusal = await client.refusal("workspace/textDocumentContent", {"uri": "promptls:/x.md?junk"})
    assert refusal.code == -32803


async def test_an_untitled_document_gets_the_start_of_the_first_folder(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    await client.open("untitled:Untitled-1", "draft")
    result = await client.request("prompt/preview", {"textDocument": {"uri": "untitled:Untitled-1"}})
    assert result["session"] == {**result["session"], "cwd": str(folder), "reads": []}


async def test_secrets_are_never_shown(client: Client, folder: Path) -> None:
    config = {"provider": [{"id": "x", "apiKey": "sk-very-secret", "model": "m"}]}
    (folder / "etcode.json").write_text(json.dumps(config), encoding="utf-8")
    await client.start(folders=[str(folder)])
    for harness in ("etcode", "opencode"):
        result = await client.request("prompt/preview", ask(folder / "etcode.json", harness=harness))
        assert "sk-very-secret" not in json.dumps(result)


async def test_changed_settings_are_asked_for_where_the_client_can_be_asked(client: Client, folder: Path) -> None:
    await client.start({"workspace": {"configuration": True, **CONTENT["workspace"]}}, folders=[str(folder)])
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    client.settings = {"harness": "opencode"}
    await client.notify("workspace/didChangeConfiguration", {"settings": {"promptls": {"harness": "opencode"}}})
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}
    client.answer(await client.next("workspace/textDocumentContent/refresh"), None)
    content = await client.request("workspace/textDocumentContent", {"uri": shown["uri"]})
    assert content["text"].splitlines()[2].startswith("opencode 1.18.33")


async def test_a_virtual_document_is_refreshed_also_if_its_preview_was_asked_for_before(
    client: Client, folder: Path
) -> None:
    await client.start(CONTENT, folders=[str(folder)])
    shown = await client.request("prompt/preview", ask(folder / "api/app.py"))
    await client.request("workspace/textDocumentContent", {"uri": shown["uri"]})
    await client.open(uri_of(str(folder / "AGENTS.md")), "typed\n")
    assert "typed" in (await client.request("prompt/preview", ask(folder / "api/app.py")))["text"]
    assert await client.next("prompt/didChange") == {"uris": [shown["uri"]]}
    client.answer(await client.next("workspace/textDocumentContent/refresh"), None)


async def test_the_prompt_at_a_revision(client: Client, folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    commit(folder)
    (folder / "api/AGENTS.md").write_text("api rules, changed\n", encoding="utf-8")
    await client.start(CONTENT, folders=[str(folder)])
    await client.open(uri_of(str(folder / "AGENTS.md")), "typed, not saved\n")
    now = await client.request("prompt/preview", ask(folder / "api/app.py"))
    assert "typed, not saved" in now["text"]
    assert "api rules, changed" in now["text"]

    then = await client.request("prompt/preview", ask(folder / "api/app.py", rev="HEAD"))
    assert "/app.py%20at%20HEAD%20%28prompt%29?" in then["uri"]
    assert then["text"].startswith("# Effective prompt of app.py at HEAD\n")
    assert "root rules" in then["text"]
    assert "api rules\n" in texts(then)
    assert then["cacheKey"] != now["cacheKey"]
    content = await client.request("workspace/textDocumentContent", {"uri": then["uri"]})
    assert content["text"] == then["text"]

    await client.change(uri_of(str(folder / "AGENTS.md")), "typed again\n")
    assert (await client.next("prompt/didChange"))["uris"] == [now["uri"]]
    await client.next("workspace/textDocumentContent/refresh")
    assert (await client.request("prompt/preview", ask(folder / "api/app.py", rev="HEAD")))["cacheHit"]

    git(folder, "commit", "-q", "-a", "-m", "second")
    after = await client.request("prompt/preview", ask(folder / "api/app.py", rev="HEAD"))
    assert not after["cacheHit"]
    assert "api rules, changed\n" in texts(after)


async def test_the_client_is_notified_of_a_commit(client: Client, folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    commit(folder)
    await client.start({"workspace": {**CONTENT["workspace"], **WATCHING["workspace"]}}, folders=[str(folder)])
    then = await client.request("prompt/preview", ask(folder / "api/app.py", rev="HEAD"))
    await client.request("workspace/textDocumentContent", {"uri": then["uri"]})
    await client.until(lambda: (uri_of(str(folder / ".git")), "*") in client.watched)
    (folder / "AGENTS.md").write_text("committed\n", encoding="utf-8")
    git(folder, "commit", "-q", "-a", "-m", "second")
    await client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    assert (await client.next("prompt/didChange"))["uris"] == [then["uri"]]
    await client.next("workspace/textDocumentContent/refresh")


async def test_git_is_not_run_in_a_folder_that_is_not_trusted(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)], options={"untrustedWorkspace": True})
    refusal = await client.refusal("prompt/preview", ask(folder / "api/app.py", rev="HEAD"))
    assert str(refusal) == "Git is not run in an untrusted folder; trust the folder to see HEAD."


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"session": {"harness": 1, "cwd": "."}}, "session.harness: this has to be a text, but it is a number."),
        ({"session": {"cwd": "."}}, "session.harness: this key is missing."),
        ({"session": {"harness": "codex", "cwd": ".", "x": 1}}, "session.x: there is no such key."),
        ({"session": []}, "session: this has to be an object, but it is a list."),
        ({"open": [{"path": 5}]}, "open.0.path: this has to be a text, but it is a number."),
        (
            {"session": {"harness": "codex", "cwd": ".", "turns": [{"steps": [[{}]]}]}},
            "a call has one of read, tool and compact",
        ),
    ],
)
async def test_a_session_that_is_wrong(client: Client, params: dict[str, object], says: str) -> None:
    await client.start()
    error = await client.refusal("prompt/preview", params)
    assert says in str(error)
    assert "Input should" not in str(error)


async def test_a_whole_session(client: Client, folder: Path) -> None:
    await client.start(folders=[str(folder)])
    turn = {"prompt": "look", "steps": [[{"read": str(folder / "api/app.py")}]]}
    session = {"harness": "codex", "cwd": str(folder / "api"), "model": "gpt-5", "turns": [turn]}
    result = await client.request("prompt/preview", {"session": session})
    PreviewResult.model_validate(result)
    assert (result["harness"]["name"], result["session"]["cwd"]) == ("codex", f"{folder}/api")
    assert result["session"]["turns"][0]["prompt"] == "look"
    text = await client.request("workspace/textDocumentContent", {"uri": result["uri"]})
    assert text["text"] == result["text"]


async def test_open_files_count_where_the_harness_says_so(client: Client, tmp_path: Path) -> None:
    rule = '---\napplyTo: "**/*.py"\n---\nrule\n'
    folder = lay_out(tmp_path / "project", {".github/instructions/py.instructions.md": rule, "a.py": "print()\n"})
    path = folder / "a.py"
    await client.start(folders=[str(folder)])
    plain = await client.request("prompt/preview", ask(path, harness="copilot-vscode"))
    PreviewResult.model_validate(plain)
    assert plain["session"]["counts_open"]
    assert plain["session"]["turns"][0]["attached"] == [str(path)]
    for selection, is_there in ((None, False), ([0, 0, 0, 5], True)):
        opened = [{"path": str(path), "selection": selection}]
        result = await client.request("prompt/preview", ask(path, harness="copilot-vscode", open=opened))
        only = {"prompt": None, "stdin": None, "attached": [], "open": opened, "steps": []}
        assert result["session"]["turns"][0] == only
        assert ("\nrule\n" in texts(result)) is is_there
        assert any("nothing is selected" in note for note in result["notes"]) is not is_there
    other = await client.request("prompt/preview", ask(path, harness="codex", open=[{"path": str(path)}]))
    assert not other["session"]["counts_open"]
    assert other["session"]["turns"][0]["open"] == []
