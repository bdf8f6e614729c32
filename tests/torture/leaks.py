"""A long day in one process: after many edits and file events it holds no more memory, files, threads or children."""

from __future__ import annotations

import os
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

from promptls.lsp.uris import uri_of
from tests.folder import lay_out
from tests.lsp.process import ServerProcess

GROWTH = 1.05
# Allocators keep pages: what is less than this is no leak.
NOISE_KB = 3_000
# A check that still runs has a file open, and closes it: what is lost is there at each look.
LOOKS = 20


@dataclass(frozen=True)
class Held:
    """What a process holds."""

    memory_kb: int
    descriptors: int
    threads: int
    children: int


def held(pid: int) -> Held:
    """As Linux tells it."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines())
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return Held(
        int(status["VmRSS"].split()[0]), len(os.listdir(f"/proc/{pid}/fd")), int(status["Threads"]), len(children)
    )


def run(seed: int, count: int) -> None:
    """``count`` edits and a tenth as many events, half of them before the first look."""
    chance = random.Random(seed)  # noqa: S311 - a trial that can be repeated
    with tempfile.TemporaryDirectory() as place, ServerProcess() as server:
        top = lay_out(
            Path(place).resolve() / "project", {"AGENTS.md": "root\n", "app.py": "x\n", "sub/AGENTS.md": "s\n"}
        )
        uri = uri_of(str(top / "AGENTS.md"))
        server.request(
            "initialize",
            {
                "processId": None,
                "rootUri": uri_of(str(top)),
                "capabilities": {"textDocument": {"diagnostic": {}}},
                "initializationOptions": {"checkWorkspace": False},
            },
        )
        server.notify("initialized", {})
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "root\n" * 40}
        server.notify("textDocument/didOpen", {"textDocument": item})
        looks = []
        for part in range(2):
            _work(server, chance, top, uri, count // 2, 1 + part * count)
            looks.append(_at_rest(server, uri))
        before, after = looks
        assert after.memory_kb <= max(before.memory_kb * GROWTH, before.memory_kb + NOISE_KB), f"{before} {after}"
        assert after.descriptors <= before.descriptors, f"{before} {after}"
        assert after.threads <= before.threads + 1, f"{before} {after}"
        assert after.children <= before.children, f"{before} {after}"
        server.request("shutdown")
        server.notify("exit")
        assert server.code() == 0


def _at_rest(server: ServerProcess, uri: str) -> Held:
    """The least of several looks, with a request between two of them."""
    looks = []
    for _ in range(LOOKS):
        server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        looks.append(held(server.pid))
    return Held(
        min(look.memory_kb for look in looks),
        min(look.descriptors for look in looks),
        min(look.threads for look in looks),
        min(look.children for look in looks),
    )


def _work(server: ServerProcess, chance: random.Random, top: Path, uri: str, count: int, version: int) -> None:
    for at in range(count):
        line = chance.randrange(30)
        start, end = {"line": line, "character": 0}, {"line": line, "character": chance.randrange(6)}
        change = {"range": {"start": start, "end": end}, "text": chance.choice(("@x ", "rule", "", "# A"))}
        server.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version + at + 1}, "contentChanges": [change]},
        )
        if at % 10 == 0:
            path = top / "sub" / "AGENTS.md"
            path.write_text("s" * chance.randrange(50), encoding="utf-8")
            server.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri_of(str(path)), "type": 2}]})
        if at % 100 == 0:
            # Also keeps the pipe from filling up: the server has read all that came before.
            server.request("prompt/preview", {"textDocument": {"uri": uri_of(str(top / "sub" / "x.py"))}})
            text = {"textDocument": {"uri": uri}}
            server.notify("textDocument/didChange", {**_whole(uri, version + at + 2, "root\n" * 40)})
            server.request("textDocument/diagnostic", text)


def _whole(uri: str, version: int, text: str) -> dict[str, object]:
    return {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
