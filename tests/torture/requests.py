"""Every method with junk of every shape: exactly one reply to each request, none to a notification, and the server
goes on."""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path
from typing import Any

from promptls.lsp.main import create
from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.client import LIMIT, Client

REQUESTS = (
    *("prompt/preview", "prompt/harnesses", "prompt/explain", "workspace/textDocumentContent", "workspace/diagnostic"),
    *("workspace/symbol", "workspace/willRenameFiles", "workspace/executeCommand", "no/such/method", "", "$/x"),
    *(
        f"textDocument/{name}"
        for name in (
            *("hover", "definition", "references", "documentLink", "codeLens", "documentSymbol", "foldingRange"),
            *("completion", "codeAction", "inlayHint", "diagnostic", "rename", "formatting"),
        )
    ),
)
NOTIFICATIONS = (
    *("textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave"),
    *("workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders"),
    *("$/cancelRequest", "$/setTrace", "window/workDoneProgress/cancel", "no/such/notification"),
)
SCALARS: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**31, 2**63, 1e308, 0.5, "", "x", "\ud800", "\0", "a" * 10_000, "file:///", "file:///a/b.md"),
    *([], {}, [None], [[[]]], {"": {}}, {"uri": None}, {"line": -1, "character": 2**40}, {"text": 5}),
)
KEYS = (
    *("textDocument", "position", "uri", "range", "context", "contentChanges", "changes", "settings", "event", "files"),
    *("version", "text", "line", "character", "start", "end", "harness", "cwd", "reads", "args", "rev", "query", "id"),
)


def junk(chance: random.Random, uri: str, depth: int = 3) -> Any:
    """Any JSON: mostly objects with keys that the protocol knows and values that it does not expect."""
    dice = chance.random()
    if depth == 0 or dice < 0.3:
        return chance.choice((*SCALARS, uri))
    if dice < 0.4:
        return [junk(chance, uri, depth - 1) for _ in range(chance.randrange(3))]
    found = {chance.choice(KEYS): junk(chance, uri, depth - 1) for _ in range(chance.randrange(5))}
    if chance.random() < 0.5:
        found["textDocument"] = {"uri": uri, "version": chance.choice(SCALARS)}
    return found


async def trial(top: Path, seed: int, count: int) -> None:
    """``count`` messages; after each ten of them the server still answers a sound request."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    folder = lay_out(top, {"AGENTS.md": "root\n", "app.py": "x\n"})
    uri = uri_of(str(folder / "AGENTS.md"))
    client = Client(create())
    client.answers["workspace/diagnostic/refresh"] = lambda _: None
    await client.start(folders=[str(folder)])
    await client.open(uri, "root\n")
    replies = []
    for at in range(count):
        if chance.random() < 0.7:
            method = chance.choice(REQUESTS)
            _, reply = client.ask(method, junk(chance, uri))
            replies.append((method, reply))
        else:
            method = chance.choice(NOTIFICATIONS)
            await client.notify(method, junk(chance, uri))
        if at % 10 == 9:
            waiting = [reply for _, reply in replies]
            done, late = await asyncio.wait(waiting, timeout=LIMIT) if waiting else (set(), set())
            missing = [method for method, reply in replies if reply in late]
            assert not missing, f"seed {seed}, message {at}: no reply to {missing}"
            for each in done:
                each.exception()
            replies.clear()
            shown = await client.request("prompt/preview", {"textDocument": {"uri": uri}, "harness": "codex"})
            assert shown["messages"], f"seed {seed}, message {at}: the preview is empty"
        client.inbox.clear()
    await client.stop()
    client.inbox.clear()
    client.finish()


def run(seed: int, count: int) -> None:
    """``count`` messages, a new server for every 500."""
    for part in range(0, count, 500):
        with tempfile.TemporaryDirectory() as place:
            asyncio.run(trial(Path(place).resolve() / "project", seed + part, min(500, count - part)))
