"""No message and no line of the log of the server repeats a secret of a configuration."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.lsp.log import Formatter
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import Client
from tests.secrets import CANARY, FILES

SHOWS = {
    "workspace": {"textDocumentContent": {}, "codeLens": {"refreshSupport": True}},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay_out(tmp_path, FILES)


@pytest.mark.parametrize("harness", harnesses.names())
async def test_previews(client: Client, folder: Path, harness: str) -> None:
    if harness == "gptme":  # it sends these files as they are, and so are they shown
        (folder / ".cursor/rules/a.mdc").unlink()
    await client.start(SHOWS, folders=[str(folder)], options={"urls": {"enabled": False}})
    for path in ("app.py", "opencode.json", "api/etcode.json"):
        params = {"textDocument": {"uri": uri_of(str(folder / path))}, "harness": harness}
        shown = await client.request("prompt/preview", {**params, "args": ["--model", "x", "-c", f"token={CANARY}"]})
        assert CANARY not in json.dumps({**shown, "uri": ""})
        content = await client.request("workspace/textDocumentContent", {"uri": shown["uri"]})
        assert CANARY not in json.dumps(content)


@pytest.mark.parametrize("path", [path for path in FILES if path.endswith(("json", "toml"))])
async def test_features(client: Client, folder: Path, path: str) -> None:
    text = str(FILES[path])
    document = {"textDocument": {"uri": uri_of(str(folder / path))}}
    await client.start(SHOWS, folders=[str(folder)], options={"urls": {"enabled": False}})
    await client.open(document["textDocument"]["uri"], text)
    problems = await client.next("textDocument/publishDiagnostics")
    answers: list[Any] = [problems]
    lines = text.split("\n")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for method, more in (
        ("textDocument/codeAction", {"range": whole, "context": {"diagnostics": problems["diagnostics"]}}),
        ("textDocument/codeLens", {}),
        ("textDocument/documentLink", {}),
        ("textDocument/inlayHint", {"range": whole}),
        ("prompt/explain", {}),
    ):
        answers.append(await client.request(method, {**document, **more}))
    for number, line in enumerate(lines):
        for column in range(0, len(line), 5):
            position = {"position": {"line": number, "character": column}}
            answers.append(await client.request("textDocument/hover", {**document, **position}))
    assert CANARY not in json.dumps(answers)


def test_the_log() -> None:
    formatter = Formatter()
    record = logging.LogRecord("a", logging.WARNING, "", 0, "%s: %s", ("x\n::error::\x1b[31m", f"token={CANARY}"), None)
    assert formatter.format(record) == f"WARNING a: x\n    \\::error::␛[31m: token={'*' * len(CANARY)}"
    error = ValueError(f"https://u:{CANARY}@host/\n::stop-commands::x")
    record = logging.LogRecord("a", logging.ERROR, "", 0, "It failed.", (), (type(error), error, None))
    assert formatter.format(record).split("\n")[1:] == [
        f"ValueError: https://{'*' * 13}@host/",
        "    \\::stop-commands::x",
    ]
