"""A server that runs: an edit, a preview, features, memory; in a tree of 100,000 files and in a small one.

The last rows: the same while the whole large tree is checked, against the same without a check.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.initialize import BARE
from tests.bench.tree import CONFIGS, FILES_A_PACKAGE, grow
from tests.bench.turns import Row, median, p95
from tests.lsp.process import PRODUCT, ServerProcess

SMALL, BIG = 20, 2000
NO_SUCH_REQUEST = "promptls/nothing"
CAPABILITIES: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


class Session:
    """A server with a nested AGENTS.md open in it."""

    def __init__(self, server: ServerProcess, top: Path, path: Path) -> None:
        self.server = server
        self.file = path.as_uri()
        self.rules = (path.parent / "AGENTS.md").as_uri()
        self._version = 1
        self.config = next((top / name).as_uri() for name, _ in CONFIGS.values() if (top / name).exists())
        self._models = 0
        folder = {"uri": top.as_uri(), "name": "top"}
        start = {"processId": None, "capabilities": CAPABILITIES, "workspaceFolders": [folder]}
        server.request("initialize", {**start, "initializationOptions": {"checkWorkspace": False}})
        server.notify("initialized", {})
        for uri, language in ((self.rules, "markdown"), (self.config, "json")):
            text = Path(uri.removeprefix("file://")).read_text(encoding="utf-8")
            item = {"uri": uri, "languageId": language, "version": 1, "text": text}
            server.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, uri: str = "", text: str = "x", line: int = 3, character: int = 2) -> None:
        self._version += not uri
        start = {"line": line, "character": character}
        change = {"range": {"start": start, "end": start}, "text": text}
        document = {"uri": uri or self.rules, "version": self._version}
        self.server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def check(self) -> None:
        """Have the folder checked as a whole, whatever was found before."""
        self._models += 1
        settings = {"promptls": {"checkWorkspace": True, "model": f"some/{self._models}"}}
        self.server.notify("workspace/didChangeConfiguration", {"settings": settings})

    def feature_after_edit(self, method: str) -> float:
        """Until ``textDocument/`` and ``method`` is answered for the configuration's entry, right after an edit."""
        self.edit(self.config, " ", line=1, character=0)
        place: dict[str, Any] = {"position": {"line": 0, "character": 22}}
        if method == "references":
            place["context"] = {"includeDeclaration": True}
        begun = time.perf_counter()
        self.request(f"textDocument/{method}", {"textDocument": {"uri": self.config}, **place})
        return time.perf_counter() - begun

    def preview_after_edit(self) -> float:
        begun = time.perf_counter()
        self.edit()
        reply = self.request("prompt/preview", {"textDocument": {"uri": self.file}})
        taken = time.perf_counter() - begun
        assert "x" * (self._version - 1) in reply["text"], "the edit is not in the preview"
        return taken

    def preview_again(self) -> float:
        begun = time.perf_counter()
        self.request("prompt/preview", {"textDocument": {"uri": self.file}})
        return time.perf_counter() - begun

    def typing(self) -> float:
        """Until an edit is taken in: the refusal of a request that follows it comes right after that."""
        begun = time.perf_counter()
        self.edit()
        self.server.request(NO_SUCH_REQUEST)
        return time.perf_counter() - begun

    def diagnostics_after_edit(self) -> float:
        begun = time.perf_counter()
        self.edit()
        self.request("textDocument/diagnostic", {"textDocument": {"uri": self.rules}})
        return time.perf_counter() - begun

    def request(self, method: str, params: Any) -> Any:
        reply = self.server.request(method, params)
        assert "result" in reply, reply
        return reply["result"]


WHAT: dict[str, Callable[[Session], float]] = {
    "preview after an edit": Session.preview_after_edit,
    "preview again": Session.preview_again,
    "typing": Session.typing,
    "diagnostics after an edit": Session.diagnostics_after_edit,
    **{
        f"{name} after an edit": partial(Session.feature_after_edit, method=method)
        for name, method in (
            ("hover", "hover"),
            ("links", "documentLink"),
            ("lens", "codeLens"),
            ("completion", "completion"),
            ("references", "references"),
        )
    },
}
# Rounds for one check: it lasts longer than a few of them.
ROUNDS = 20


def rows(runs: int) -> list[Row]:
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        for harness in CONFIGS:
            trees = {}
            for packages in (SMALL, BIG):
                top = Path(place, harness, str(packages))
                trees[top] = grow(top, packages, harness)
            found += _compare(harness, trees, runs)
    return found


def _compare(harness: str, trees: dict[Path, Path], runs: int) -> list[Row]:
    (small_top, small_path), (big_top, big_path) = trees.items()
    files = f"{BIG * FILES_A_PACKAGE:,} against {SMALL * FILES_A_PACKAGE:,} files"
    found: list[Row] = []
    with ServerProcess(PRODUCT) as one, ServerProcess(PRODUCT) as two, ServerProcess(BARE) as bare:
        bare.request("initialize", {"processId": None, "capabilities": {}})
        small, big = Session(one, small_top, small_path), Session(two, big_top, big_path)
        for what, measure in WHAT.items():
            for session in (small, big):
                for _ in range(5):
                    measure(session)
            taken = [(measure(small), measure(big)) for _ in range(runs)]
            of_small, of_big = [pair[0] for pair in taken], [pair[1] for pair in taken]
            times = f"p50 {median(of_big) * 1000:.1f} ms, p95 {p95(of_big) * 1000:.1f} ms"
            found.append(Row(f"{harness}: {what}", files, median(of_big) / median(of_small), times, most=1.3))
        for what in ("preview after an edit", "typing"):
            alone = [WHAT[what](big) for _ in range(runs)]
            beside = []
            for number in range(runs):
                if number % ROUNDS == 0:
                    big.check()
                beside.append(WHAT[what](big))
            times = f"p50 {median(beside) * 1000:.1f} ms, p95 {p95(beside) * 1000:.1f} ms"
            found.append(Row(f"{harness}: {what}, checking", "no check", median(beside) / median(alone), times))
        memory, least = _memory(two.pid), _memory(bare.pid)
        found.append(Row(f"{harness}: memory", "bare pygls server", memory / least, f"{memory:.0f} MB", most=2))
    return found


def _memory(pid: int) -> float:
    """The resident memory of a process, in MB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
