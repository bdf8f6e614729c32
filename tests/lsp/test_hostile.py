"""What a client sends by mistake or on purpose: every request is answered, in time, and nothing is logged."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from promptls.lsp.results import PreviewResult
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.hostile.breaks import NO_FILE, ODD_BYTES, ODD_JSON, Put
from tests.lsp.client import Client

EVERYTHING: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "diagnostics": {"refreshSupport": True},
        "textDocumentContent": {},
    },
}
# The same breaks are tried in every place in tests/hostile; here some of each kind go through the server.
SOME = {
    **{name: NO_FILE[name] for name in ("directory", "fifo", "socket", "link to itself")},
    **{name: ODD_BYTES[name] for name in ("not UTF-8", "50 MB", "deep front matter")},
    **{name: ODD_JSON[name] for name in ("lone surrogates", "escaped NUL", "100,000 open braces", "wrong types")},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "project", {"AGENTS.md": "rules\n", "etcode.json": "{}", "app.py": "x\n"})


@pytest.fixture(autouse=True)
async def whatever_else(client: Client) -> AsyncIterator[None]:
    """What the server says besides its replies does not matter here."""
    yield
    await client.stop()
    client.inbox.clear()


async def preview(client: Client, uri: str | None, **params: Any) -> dict[str, Any]:
    document = {"textDocument": {"uri": uri}} if uri is not None else {}
    result: dict[str, Any] = await client.request("prompt/preview", {**document, **params})
    PreviewResult.model_validate(result)
    return result


@pytest.mark.parametrize("put", SOME.values(), ids=SOME.keys())
@pytest.mark.parametrize("name", ["etcode.json", "AGENTS.md"])
async def test_broken_files(client: Client, folder: Path, name: str, put: Put) -> None:
    (folder / name).unlink(missing_ok=True)
    put(folder / name)
    await client.start(EVERYTHING, folders=[str(folder)])
    for harness in ("etcode", "opencode"):
        shown = await preview(client, uri_of(str(folder / "app.py")), harness=harness)
        content = await client.request("workspace/textDocumentContent", {"uri": shown["uri"]})
        assert content["text"] == shown["text"]
    uri = uri_of(str(folder / name))
    await client.open(uri, '{"instructions": ["\ud800/x.md", "a\0b"]}', "json")
    report = await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert report["kind"] == "full"


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "x",
        "file:",
        "file://",
        "file:///",
        "file:////",
        "file:///caf%E9/%00/%0A%23%3f",
        "file:///%F0%9F%98%80%",
        "file:///%zz%2",
        "file:///a\ud800b",
        "file:///\udce9",
        "file:///a b\n\t\"'",
        "file://host/share/app.py",
        "file://localhost/tmp/app.py",
        "file:///tmp/app.py?query=1#fragment",
        "FILE:///tmp/app.py",
        "file:///" + "../" * 500 + "etc",
        "file:///" + f"{'n' * 200}/" * 500,
        "untitled:Untitled-1",
        "untitled:\ud800",
        "vscode-remote://ssh-remote+host/home/app.py",
        "vscode-notebook-cell:/a.ipynb#W0",
        "promptls:/Effective.md?junk",
        "http://[",
        "://",
        "x" * 1_000_000,
    ],
    ids=lambda uri: ascii(uri[:40]),
)
async def test_odd_uris(client: Client, folder: Path, uri: str) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    shown = await preview(client, uri)
    assert os.path.isabs(shown["session"]["cwd"])
    await client.request("prompt/harnesses", {"textDocument": {"uri": uri}})
    await client.open(uri, "text")
    await client.change(uri, "more text")
    await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    await preview(client, uri)
    await client.close_document(uri)
    await client.request("prompt/harnesses")


async def test_a_name_that_is_not_utf_8_comes_back(client: Client, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "caf\udce9", {"AGENTS.md": "rules\n", "\udcff.py": "x\n"})
    await client.start(EVERYTHING, folders=[str(folder)])
    shown = await preview(client, uri_of(str(folder / "\udcff.py")))
    assert shown["session"]["cwd"] == str(folder)
    assert shown["session"]["reads"] == [f"{folder}/\udcff.py"]
    assert await client.request("workspace/textDocumentContent", {"uri": shown["uri"]}) == {"text": shown["text"]}
    await client.until(lambda: uri_of(str(folder)) in {base for base, _ in client.watched})


async def test_a_place_without_a_uri_does_not_stop_the_watch(client: Client, folder: Path) -> None:
    (folder / "etcode.json").write_text(r'{"instructions": ["\ud800/x.md", "a\u0000/x.md"]}', encoding="utf-8")
    await client.start(EVERYTHING, folders=[str(folder)])
    await preview(client, uri_of(str(folder / "app.py")))
    await client.until(lambda: uri_of(str(folder)) in {base for base, _ in client.watched})


@pytest.mark.parametrize(
    "params",
    [
        {"cwd": "gone"},
        {"cwd": "app.py"},
        {"cwd": "/dev/null"},
        {"cwd": "a\0b"},
        {"cwd": "~a\0b"},
        {"cwd": "~\ud800"},
        {"cwd": "~nobody-of-this-name/x"},
        {"cwd": "../" * 500},
        {"cwd": f"{'n' * 200}/" * 500},
        {"model": "m" * 1_000_000, "agent": "\0\ud800"},
        {"reads": ["", "/", "a\0b", "\ud800", "x" * 100_000, "/dev/zero", "app.py"]},
        {"reads": ["app.py"] * 500},
        {"args": ["--" + "x" * 100_000, "--dir", "a\0b", "--file", "\ud800", "--", "\0"]},
        {"args": ["--file", "/dev/zero", "--file", "."] * 100},
        {"harness": "etcode@"},
        {"harness": ""},
    ],
    ids=lambda params: ascii(params)[:50],
)
async def test_odd_parameters(client: Client, folder: Path, params: dict[str, Any]) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    for harness in ("etcode", "opencode"):
        await preview(client, uri_of(str(folder / "app.py")), **{"harness": harness, **params})


async def test_a_path_of_more_directories_than_there_can_be(client: Client, folder: Path) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    await preview(client, None, cwd="a/" * 50_000, harness="etcode")


@pytest.mark.parametrize("harness", ["nosuch", "etcode@nosuch", "@", "\ud800", "x" * 100_000, "..", "etcode\0"])
async def test_no_such_harness(client: Client, folder: Path, harness: str) -> None:
    await client.start(folders=[str(folder)])
    refusal = await client.refusal("prompt/preview", {"harness": harness})
    assert refusal.code == -32803


@pytest.mark.parametrize("method", ["prompt/preview", "prompt/harnesses", "workspace/textDocumentContent"])
@pytest.mark.parametrize("params", [None, 5, [], {"textDocument": []}, {"uri": 5}, {"uri": "promptls:/x?e30"}])
async def test_junk_is_answered(client: Client, folder: Path, method: str, params: Any) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    _, reply = client.ask(method, params)
    await client.until(reply.done)
    reply.exception()


TOKENS = {
    "no session": "e30",
    "a list": "W10",
    "a number": "NQ",
    "unknown keys": "eyJ4IjoxfQ",
    "a number as URI": "eyJ1cmkiOjV9",
    "an object as reads": "eyJyZWFkcyI6eyJhIjoxfX0",
    "numbers as reads": "eyJyZWFkcyI6WzFdfQ",
    "a list as cwd": "eyJjd2QiOlsxXX0",
    "a string as args": "eyJhcmdzIjoieHkifQ",
    "not base64": "%%%",
    "not ASCII": "é\ud800",
    "not UTF-8": "_w",
    "deep": "W1tb" * 50_000,
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())
async def test_virtual_documents_that_nobody_gave_out(client: Client, folder: Path, token: str) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    _, reply = client.ask("workspace/textDocumentContent", {"uri": f"promptls:/x.md?{token}"})
    await client.until(reply.done)
    assert reply.exception() is None or getattr(reply.exception(), "code", 0) == -32803


def edit(start: tuple[Any, Any], end: tuple[Any, Any], text: str) -> dict[str, Any]:
    positions = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": positions[0], "end": positions[1]}, "text": text}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (edit((0, 2**31 - 1), (0, 2**31 - 1), "x"), "onex\ntwo\n"),
        (edit((2**31 - 1, 0), (2**31 - 1, 5), "x"), "one\ntwo\nx"),
        (edit((1, 2), (0, 1), "x"), "one\ntwx" + "o\n"),
        (edit((0, 0), (10**9, 10**9), "\ud800"), "\ud800"),
        (edit((0, 0), (0, 0), "x" * 5_000_000), "x" * 5_000_000 + "one\ntwo\n"),
    ],
    ids=["after the line", "after the text", "backwards", "all", "5 MB"],
)
async def test_absurd_edits(client: Client, folder: Path, change: dict[str, Any], text: str) -> None:
    await client.start(folders=[str(folder)])
    uri = uri_of(str(folder / "AGENTS.md"))
    await client.open(uri, "one\ntwo\n")
    await client.change(uri, change)
    document = client.server.context.documents.get(uri)
    assert document is not None
    assert document.text == text
    await preview(client, uri)


@pytest.mark.parametrize("position", [(-1, 0), (0, -1), (0, 2**31), (None, "0")])
async def test_positions_that_lsp_does_not_know_are_refused(
    client: Client, folder: Path, position: tuple[Any, Any], caplog: pytest.LogCaptureFixture
) -> None:
    await client.start(folders=[str(folder)])
    uri = uri_of(str(folder / "AGENTS.md"))
    await client.open(uri, "one\n")
    await client.change(uri, edit(position, (0, 1), "x"))
    assert ["Ignored" in record.getMessage() for record in caplog.records] == [True]
    caplog.clear()
    await preview(client, uri)


@pytest.mark.parametrize(
    ("name", "text"),
    [("AGENTS.md", "é" * 2_500_000), ("AGENTS.md", "é\n" * 1_700_000), ("etcode.json", "[" * 5_000_000)],
    ids=["one line", "many lines", "open brackets"],
)
async def test_documents_of_5_mb(client: Client, folder: Path, name: str, text: str) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    uri = uri_of(str(folder / name))
    await client.open(uri, text)
    await client.change(uri, edit((0, 1_000_000), (0, 1_000_000), "x"))
    await preview(client, uri)
    await client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})


async def test_a_document_that_is_a_fifo(client: Client, folder: Path) -> None:
    os.mkfifo(folder / "ETCODE.md")
    uri = uri_of(str(folder / "ETCODE.md"))
    await client.start(EVERYTHING, folders=[str(folder)])
    await preview(client, uri)
    await client.open(uri, "typed\n")
    assert "typed" in str((await preview(client, uri))["messages"])
    await client.close_document(uri)
    await preview(client, uri)


QUESTIONS = ("documentLink", "definition", "references", "hover", "codeLens", "inlayHint", "completion", "codeAction")
LITERALS: dict[str, Any] = {"codeAction": {"codeActionLiteralSupport": {}}, "diagnostic": {}}


def question(method: str, uri: str, line: int, character: int) -> dict[str, Any]:
    """The parameters of any of the questions about a place in a document."""
    position = {"line": line, "character": character}
    where = {"start": position, "end": position}
    params = {"textDocument": {"uri": uri}, "position": position, "range": where}
    if method == "codeAction":
        return params | {"context": {"diagnostics": [], "only": ["source", "quickfix"]}}
    return params | ({"context": {"includeDeclaration": True}} if method == "references" else {})


@pytest.mark.parametrize("put", SOME.values(), ids=SOME.keys())
@pytest.mark.parametrize("name", ["etcode.json", "AGENTS.md"])
async def test_questions_about_broken_files(client: Client, folder: Path, name: str, put: Put) -> None:
    (folder / name).unlink(missing_ok=True)
    put(folder / name)
    await client.start({**EVERYTHING, "textDocument": LITERALS}, folders=[str(folder)], options={"inlayHints": True})
    shown = await preview(client, uri_of(str(folder / "app.py")))
    uri = uri_of(str(folder / name))
    await client.open(uri, '{"instructions": ["\ud800/x.md", "a\0b", "[\0](\0)", "', "json")
    for asked in (uri, shown["uri"]):
        for method in QUESTIONS:
            for line, character in ((0, 0), (0, 22), (0, 50), (2**31 - 1, 2**31 - 1)):
                await client.request(f"textDocument/{method}", question(method, asked, line, character))
    for method in ("documentSymbol", "foldingRange"):
        await client.request(f"textDocument/{method}", {"textDocument": {"uri": shown["uri"]}})
    await client.request("workspace/symbol", {"query": "\ud800"})


@pytest.mark.parametrize(
    "text",
    [
        "# 𝒳\n[" * 2000,
        "[a](" + "(" * 20_000,
        "]( <" * 10_000,
        "@" * 20_000 + "\n@/" + "../" * 5000,
        "---\n" + "a" * 50_000,
        "#" * 50_000 + " " * 50_000,
        "[a](\ud800.md) @\ud800.md [b](a%00b.md) [c](%ff)",
        "\r\n\r# a\r\r\n## b\u2028# c",
    ],
)
async def test_questions_about_odd_texts(client: Client, folder: Path, text: str) -> None:
    options = {"inlayHints": True, "harness": "etcode"}
    await client.start({**EVERYTHING, "textDocument": LITERALS}, folders=[str(folder)], options=options)
    for name in ("AGENTS.md", "a.mdc", "etcode.json"):
        uri = uri_of(str(folder / name))
        await client.open(uri, text)
        for method in QUESTIONS:
            params = question(method, uri, 0, 4) | {"range": {"start": {"line": 0, "character": 0}, "end": END}}
            await client.request(f"textDocument/{method}", params)
    files = [{"oldUri": uri_of(f"{folder}/docs"), "newUri": "file:///%00"}, {"oldUri": "x", "newUri": "y"}]
    await client.request("workspace/willRenameFiles", {"files": files})


END = {"line": 2**31 - 1, "character": 0}


@pytest.mark.parametrize("token", [{}, {"a": 1}, [1], None, 1.5, "unknown"])
async def test_a_token_of_any_type_cancels_nothing(client: Client, folder: Path, token: object) -> None:
    await client.start(EVERYTHING, folders=[str(folder)])
    await client.notify("window/workDoneProgress/cancel", {"token": token})
    assert (await preview(client, uri_of(str(folder / "app.py"))))["messages"]
