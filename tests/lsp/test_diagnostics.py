from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp import progress
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client

PULL: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
WATCHING: dict[str, Any] = {
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(
        tmp_path / "project", {"etcode.json": '{"instructions": [\n "a.md",\n "docs/b.md"\n]}\n', "a.md": "a\n"}
    )


class Web:
    """A web server on loopback whose answers wait until the test lets them go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.asked: list[str] = []
        self.status = 200
        self.body = b"remote rules\n"
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append(self.path)
                web.let_go.wait(5)
                self.send_response(web.status)
                self.send_header("content-length", str(len(web.body)))
                self.end_headers()
                self.wfile.write(web.body)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/rules.md"


@pytest.fixture
def web() -> Iterator[Web]:
    web = Web()
    yield web
    web.let_go.set()
    web.server.shutdown()
    web.server.server_close()


def brief(items: list[dict[str, Any]]) -> list[tuple[str, int, int, int]]:
    """Code, line and columns of each."""
    return [(item["code"], *(item["range"]["start"].values()), item["range"]["end"]["character"]) for item in items]


async def pull(client: Client, uri: str, previous: str | None = None) -> dict[str, Any]:
    params = {"textDocument": {"uri": uri}, "previousResultId": previous}
    result: dict[str, Any] = await client.request("textDocument/diagnostic", params)
    return result


async def open_config(client: Client, folder: Path, name: str = "etcode.json") -> str:
    path = folder / name
    await client.open(uri_of(str(path)), path.read_text(encoding="utf-8"), "json")
    return uri_of(str(path))


async def test_a_missing_file_is_reported_on_its_entry(client: Client, folder: Path) -> None:
    await client.start(WATCHING, folders=[str(folder)])
    uri = await open_config(client, folder)
    published = await client.next("textDocument/publishDiagnostics")
    assert (published["uri"], published["version"]) == (uri, 1)
    assert brief(published["diagnostics"]) == [("instruction-missing", 2, 1, 12)]
    assert published["diagnostics"][0]["severity"] == 1
    assert published["diagnostics"][0]["message"] == (
        "etcode loads nothing for “docs/b.md”: docs/b.md does not exist. Create the file or fix the entry."
    )


async def test_it_goes_when_the_file_appears_and_comes_back(client: Client, folder: Path) -> None:
    await client.start(WATCHING, folders=[str(folder)])
    await open_config(client, folder)
    await client.next("textDocument/publishDiagnostics")
    path = folder / "docs/b.md"
    path.parent.mkdir()
    path.write_text("b\n", encoding="utf-8")
    event = {"changes": [{"uri": uri_of(str(path)), "type": 1}]}
    await client.notify("workspace/didChangeWatchedFiles", event)
    assert (await client.next("textDocument/publishDiagnostics"))["diagnostics"] == []
    path.unlink()
    await client.notify("workspace/didChangeWatchedFiles", event)
    assert brief((await client.next("textDocument/publishDiagnostics"))["diagnostics"])


async def test_it_follows_typing_and_goes_when_the_document_is_closed(client: Client, folder: Path) -> None:
    await client.start(WATCHING, folders=[str(folder)])
    uri = await open_config(client, folder)
    await client.next("textDocument/publishDiagnostics")
    await client.change(uri, '{"instructions": ["a.md", "c.md"]}')
    assert brief((await client.next("textDocument/publishDiagnostics"))["diagnostics"]) == [
        ("instruction-missing", 0, 26, 32)
    ]
    await client.change(uri, '{"instructions": ["a.md", "c.md"')
    found = (await client.next("textDocument/publishDiagnostics"))["diagnostics"]
    assert [item["code"] for item in found] == ["config-invalid"]
    await client.close_document(uri)
    assert (await client.next("textDocument/publishDiagnostics"))["diagnostics"] == []


async def test_pulled_or_pushed_but_never_both(client: Client, folder: Path) -> None:
    result = await client.start(PULL, folders=[str(folder)])
    assert result["capabilities"]["diagnosticProvider"]["identifier"] == "promptls"
    uri = await open_config(client, folder)
    report = await pull(client, uri)
    assert report["kind"] == "full"
    assert brief(report["items"]) == [("instruction-missing", 2, 1, 12)]
    same = await pull(client, uri, report["resultId"])
    assert (same["kind"], same["resultId"]) == ("unchanged", report["resultId"])


async def test_a_pulling_client_is_asked_to_pull_again(client: Client, folder: Path) -> None:
    capabilities = {**PULL, "workspace": {**PULL["workspace"], **WATCHING["workspace"]}}
    await client.start(capabilities, folders=[str(folder)])
    uri = await open_config(client, folder)
    await pull(client, uri)
    path = folder / "docs/b.md"
    path.parent.mkdir()
    path.write_text("b\n", encoding="utf-8")
    await client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(str(path)), "type": 1}]})
    client.answer(await client.next("workspace/diagnostic/refresh"), None)
    assert (await pull(client, uri))["items"] == []


async def test_a_client_that_cannot_be_asked_to_pull_again_is_pushed_to(client: Client, folder: Path) -> None:
    capabilities = {"textDocument": {"diagnostic": {}}, **WATCHING}
    result = await client.start(capabilities, folders=[str(folder)])
    assert "diagnosticProvider" not in result["capabilities"]
    await open_config(client, folder)
    found = (await client.next("textDocument/publishDiagnostics"))["diagnostics"]
    assert brief(found) == [("instruction-missing", 2, 1, 12)]
    path = folder / "docs/b.md"
    path.parent.mkdir()
    path.write_text("b\n", encoding="utf-8")
    await client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(str(path)), "type": 1}]})
    assert (await client.next("textDocument/publishDiagnostics"))["diagnostics"] == []


async def test_a_wrong_type(client: Client, folder: Path) -> None:
    (folder / "etcode.json").write_text('{"instructions": "a.md"}', encoding="utf-8")
    await client.start(PULL, folders=[str(folder)])
    assert brief((await pull(client, await open_config(client, folder)))["items"]) == [("config-type", 0, 17, 23)]


async def test_each_harness_that_is_in_use_reports_in_its_own_file(client: Client, folder: Path) -> None:
    (folder / "opencode.json").write_text('{"instructions": ["x.md", "y/*.md"]}', encoding="utf-8")
    await client.start(PULL, folders=[str(folder)])
    assert brief((await pull(client, await open_config(client, folder, "opencode.json")))["items"]) == [
        ("instruction-missing", 0, 18, 24),
        ("glob-empty", 0, 26, 34),
    ]


async def test_a_configuration_below_the_folder_is_seen_by_a_session_that_starts_there(
    client: Client, folder: Path
) -> None:
    lay_out(folder, {"pkg/etcode.json": {"instructions": ["a.md"]}}, git=False)
    await client.start(PULL, folders=[str(folder)])
    assert [
        code for code, *_ in brief((await pull(client, await open_config(client, folder, "pkg/etcode.json")))["items"])
    ] == ["instruction-missing"]


async def test_a_url_is_pending_first_and_never_in_the_way(client: Client, folder: Path, web: Web) -> None:
    (folder / "etcode.json").write_text(json.dumps({"instructions": [web.url]}), encoding="utf-8")
    await client.start(folders=[str(folder)])
    asked = {"textDocument": {"uri": uri_of(str(folder / "a.md"))}}
    first = await client.request("prompt/preview", asked)
    assert [each["outcome"] for each in first["candidates"] if "url" in each] == ["pending"]
    assert "remote rules" not in first["text"]
    web.let_go.set()
    assert await client.next("prompt/didChange") == {"uris": [first["uri"]]}
    second = await client.request("prompt/preview", asked)
    assert [each["outcome"] for each in second["candidates"] if "url" in each] == ["loaded"]
    assert f"Instructions from: {web.url}\nremote rules\n" in [message["text"] for message in second["messages"]]


async def test_a_url_that_takes_long_shows_its_progress_until_a_user_stops_it(
    client: Client, folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LONG", 0.001)
    (folder / "etcode.json").write_text(json.dumps({"instructions": [web.url]}), encoding="utf-8")
    await client.start({**PULL, "window": {"workDoneProgress": True}}, folders=[str(folder)])
    await client.request("prompt/preview", {"textDocument": {"uri": uri_of(str(folder / "a.md"))}})
    request = await client.next("window/workDoneProgress/create")
    client.answer(request, None)
    assert (await client.next("$/progress"))["value"]["kind"] == "begin"
    await client.notify("window/workDoneProgress/cancel", {"token": request["params"]["token"]})
    assert (await client.next("$/progress"))["value"] == {"kind": "end"}
    again = await client.request("prompt/preview", {"textDocument": {"uri": uri_of(str(folder / "a.md"))}})
    assert [each["outcome"] for each in again["candidates"] if "url" in each] == ["pending"]


@pytest.mark.parametrize(
    ("status", "body", "codes"),
    [(404, b"x", ["url-status"]), (200, b"", ["url-empty"]), (200, b"rules", [])],
)
async def test_what_a_url_answers_is_reported(
    client: Client, folder: Path, web: Web, status: int, body: bytes, codes: list[str]
) -> None:
    web.status, web.body = status, body
    (folder / "etcode.json").write_text(json.dumps({"instructions": [web.url]}), encoding="utf-8")
    await client.start(PULL, folders=[str(folder)])
    uri = await open_config(client, folder)
    await client.request("prompt/preview", {"textDocument": {"uri": uri}})
    assert (await pull(client, uri))["items"] == []
    web.let_go.set()
    await client.next("prompt/didChange")
    if codes:
        client.answer(await client.next("workspace/diagnostic/refresh"), None)
    assert [code for code, *_ in brief((await pull(client, uri))["items"])] == codes


async def test_a_url_that_cannot_be_reached(client: Client, folder: Path, web: Web) -> None:
    web.server.shutdown()
    web.server.server_close()
    (folder / "etcode.json").write_text(json.dumps({"instructions": [web.url]}), encoding="utf-8")
    await client.start(PULL, folders=[str(folder)])
    uri = await open_config(client, folder)
    await pull(client, uri)
    client.answer(await client.next("workspace/diagnostic/refresh"), None)
    assert [code for code, *_ in brief((await pull(client, uri))["items"])] == ["url-unreachable"]


@pytest.mark.parametrize("options", [{"untrustedWorkspace": True}, {"urls": {"enabled": False}}])
async def test_nothing_is_fetched_where_it_is_not_allowed(
    client: Client, folder: Path, web: Web, options: dict[str, Any]
) -> None:
    (folder / "etcode.json").write_text(json.dumps({"instructions": [web.url]}), encoding="utf-8")
    await client.start(PULL, folders=[str(folder)], options=options)
    result = await client.request("prompt/preview", {"textDocument": {"uri": uri_of(str(folder / "a.md"))}})
    assert [each["outcome"] for each in result["candidates"] if "url" in each] == ["disabled"]
    assert (await pull(client, await open_config(client, folder)))["items"] == []
    assert web.asked == []


async def test_a_settings_file_counts_below_the_settings_of_the_editor(client: Client, folder: Path) -> None:
    (folder / "promptls.toml").write_text('[rules]\ninstruction-missing = "hint"\n', encoding="utf-8")
    # Whatever looks first after the file has changed may notice.
    client.answers["workspace/diagnostic/refresh"] = lambda _: None
    await client.start(PULL, folders=[str(folder)])
    uri = await open_config(client, folder)
    assert [item["severity"] for item in (await pull(client, uri))["items"]] == [4]
    (folder / "promptls.toml").write_text('[rules]\ninstruction-missing = "off"\n', encoding="utf-8")
    assert (await pull(client, uri))["items"] == []
