"""A server that runs: an edit, a preview, diagnostics, memory; in a tree of 100,000 files and in a small one."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.initialize import BARE
from tests.bench.tree import CONFIGS, FILES_A_PACKAGE, RULES, grow
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
        folder = {"uri": top.as_uri(), "name": "top"}
        server.request("initialize", {"processId": None, "capabilities": CAPABILITIES, "workspaceFolders": [folder]})
        server.notify("initialized", {})
        item = {"uri": self.rules, "languageId": "markdown", "version": 1, "text": RULES}
        server.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self) -> None:
        self._version += 1
        start = {"line": 3, "character": 2}
        change = {"range": {"start": start, "end": start}, "text": "x"}
        document = {"uri": self.rules, "version": self._version}
        self.server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

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
        """Until an edit is taken in: the refusal of a request behind it comes right after that."""
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
        return self.server.request(method, params)["result"]


WHAT = {
    "preview after an edit": Session.preview_after_edit,
    "preview again": Session.preview_again,
    "typing": Session.typing,
    "diagnostics after an edit": Session.diagnostics_after_edit,
}


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
        memory, least = _memory(two.pid), _memory(bare.pid)
        found.append(Row(f"{harness}: memory", "bare pygls server", memory / least, f"{memory:.0f} MB", most=2))
    return found


def _memory(pid: int) -> float:
    """The resident memory of a process, in MB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
