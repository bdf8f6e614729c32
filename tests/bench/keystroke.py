"""What an editor with all features asks for after a keystroke, against a kept commit of this repository.

Both servers run at the same time and are measured in turns, for a user without programs of their own. A folder has one
harness in use, or six of them; its AGENTS.md is edited. Everything is asked for at once, as editors do, and what is
measured is when the answer comes: of the preview, of the diagnostics with the hints that fade what is not sent, and of
the last of all. The processor time of the server is what tells on a machine that has other work.
"""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bench.tree import RULES, grow
from tests.bench.turns import Row, environment, median, p95
from tests.lsp.process import PRODUCT, ServerProcess

# The last commit before previews of one keystroke shared what they look at.
KEPT = "79b20fe15e0a8a7da1e476ed0fb15a6921a426dd"
PACKAGES = 20
CHECKOUT = Path(__file__).parents[2]
CAPABILITIES: dict[str, Any] = {
    "textDocument": {"diagnostic": {}, "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "textDocumentContent": {}},
}
SIX = {
    "CLAUDE.md": "@AGENTS.md\n",
    "GEMINI.md": "Rules of Gemini.\n",
    "opencode.json": "{}\n",
    ".codex/config.toml": "",
    ".github/copilot-instructions.md": "Rules of Copilot.\n",
    "etcode.json": "{}\n",
}
PREVIEW, DIAGNOSTICS, ALL = "edit to preview", "edit to diagnostics, faded", "edit to all answers"
WORK = "processor time of an edit"
# How many times as long as there it may take: twice what it takes now is too much.
MOST = {
    ("one harness", PREVIEW): 1.6,
    ("one harness", DIAGNOSTICS): 0.8,
    ("one harness", ALL): 0.8,
    ("one harness", WORK): 0.8,
    ("six harnesses", PREVIEW): 1.6,
    ("six harnesses", DIAGNOSTICS): 0.8,
    ("six harnesses", ALL): 0.8,
    ("six harnesses", WORK): 0.8,
}
# Seconds between two keystrokes: what follows one, such as a refresh, has been done before the next.
PAUSE = 0.06
# What else is asked for, about the document that is edited.
OTHERS = ("codeLens", "documentLink", "documentSymbol", "inlayHint")


class Editor:
    """An editor with a nested AGENTS.md open, and the preview of the file beside it."""

    def __init__(self, server: ServerProcess, top: Path, path: Path) -> None:
        self._server = server
        self._file = path.as_uri()
        self._rules = (path.parent / "AGENTS.md").as_uri()
        self._version = 1
        folder = {"uri": top.as_uri(), "name": "top"}
        start = {"processId": None, "capabilities": CAPABILITIES, "workspaceFolders": [folder]}
        server.request("initialize", {**start, "initializationOptions": {"checkWorkspace": False}})
        server.notify("initialized", {})
        item = {"uri": self._rules, "languageId": "markdown", "version": 1, "text": RULES}
        server.notify("textDocument/didOpen", {"textDocument": item})

    def keystroke(self) -> Mapping[str, float]:
        """Seconds from an edit to each answer, and seconds that the server worked until the last one."""
        document = {"textDocument": {"uri": self._rules}}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 30, "character": 0}}
        at = {"line": 3, "character": 2}
        self._version += 1
        time.sleep(PAUSE)
        change = {"contentChanges": [{"range": {"start": at, "end": at}, "text": "x"}]}
        worked, begun = _worked(self._server.pid), time.perf_counter()
        self._server.notify(
            "textDocument/didChange", {"textDocument": {"uri": self._rules, "version": self._version}, **change}
        )
        asked = {
            # Of the harness whose prompt has the document; which one is shown first is not measured here.
            PREVIEW: self._server.ask("prompt/preview", {"textDocument": {"uri": self._file}, "harness": "etcode"}),
            DIAGNOSTICS: self._server.ask("textDocument/diagnostic", document),
            **{
                name: self._server.ask(
                    f"textDocument/{name}", {**document, **({"range": whole} if name == "inlayHint" else {})}
                )
                for name in OTHERS
            },
        }
        taken: dict[str, float] = {}
        for name, number in asked.items():
            reply = self._server.reply(number)
            assert "result" in reply, reply
            taken[name] = time.perf_counter() - begun
            if name == PREVIEW:
                assert "x" * (self._version - 1) in reply["result"]["text"], "the edit is not in the preview"
        last = max(taken.values())
        work = _worked(self._server.pid) - worked
        return {PREVIEW: taken[PREVIEW], DIAGNOSTICS: taken[DIAGNOSTICS], ALL: last, WORK: work}


def _worked(pid: int) -> float:
    """The processor time of a process so far, in seconds; 0.0 where the system does not tell to the nanosecond."""
    told = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text(encoding="ascii").split()[0]) for each in told) / 1e9


def rows(runs: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as place:
        kept = server_of(KEPT, Path(place, "kept"))
        if kept is None:
            return [Row("keystroke: not measured", f"no commit {KEPT[:8]}", 0, "fetch the whole history", most=None)]
        found: list[Row] = []
        for what, files in (("one harness", {"etcode.json": "{}\n"}), ("six harnesses", SIX)):
            top = Path(place, what)
            path = grow(top, PACKAGES, None)
            for name, text in files.items():
                (top / name).parent.mkdir(exist_ok=True)
                (top / name).write_text(text, encoding="utf-8")
            found += _compare(what, kept, top, path, runs)
    return found


def _compare(what: str, kept: Path, top: Path, path: Path, runs: int) -> list[Row]:
    before = f"import sys; sys.path.insert(0, {str(kept)!r}); {PRODUCT}"
    # What else this machine's user has would be shown, too, and not by the kept commit.
    env = environment(HOME=str(top.parent), PATH=os.defpath)
    with ServerProcess(PRODUCT, env) as now, ServerProcess(before, env) as then:
        editors = Editor(now, top, path), Editor(then, top, path)
        for _ in range(5):
            for editor in editors:
                editor.keystroke()
        taken = [[editor.keystroke() for editor in editors] for _ in range(runs)]
    found = []
    for name in (PREVIEW, DIAGNOSTICS, ALL, WORK):
        ours, theirs = ([each[which][name] for each in taken] for which in (0, 1))
        if not median(theirs):
            continue
        times = f"p50 {median(ours) * 1000:.1f} ms, p95 {p95(ours) * 1000:.1f} ms"
        found.append(
            Row(f"{what}: {name}", f"commit {KEPT[:8]}", median(ours) / median(theirs), times, most=MOST[what, name])
        )
    return found


def server_of(commit: str, to: Path) -> Path | None:
    """The server of a commit, written below ``to``; None if this checkout does not have it."""
    done = subprocess.run(
        ["git", "archive", "--format=zip", commit, "server"],  # noqa: S607 - the user's own git
        cwd=CHECKOUT,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        return None
    with zipfile.ZipFile(io.BytesIO(done.stdout)) as archive:
        archive.extractall(to)
    return to / "server"
