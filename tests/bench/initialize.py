"""Start to `initialize` reply: promptls against a bare pygls server.

The processor time tells more than the clock where the machine has other work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from tests.bench.turns import Row, environment, median
from tests.lsp.client import recorded

BARE = 'from pygls.lsp.server import LanguageServer; LanguageServer("bare", "1").start_io()'
OURS = "from promptls.lsp.main import serve; serve()"


def rows(runs: int) -> list[Row]:
    for server in (BARE, OURS):
        measure(server)  # the first run compiles
    taken = [(measure(BARE), measure(OURS)) for _ in range(runs)]
    found = []
    for index, what in enumerate(("clock", "processor")):
        bare, ours = (median([pair[which][index] for pair in taken]) for which in (0, 1))
        name = f"start to initialize reply, {what}"
        found.append(Row(name, "bare pygls server", ours / bare, f"{ours * 1000:.0f} ms", most=1.1))
    return found


def measure(server: str) -> tuple[float, float]:
    """From the start of the process to the last byte of the reply: seconds by the clock, and of processor."""
    before = os.times()
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", server],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(initialize())
        process.stdin.flush()
        length = 0
        while (line := process.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        process.stdout.read(length)
        taken = time.perf_counter() - begun
        process.kill()
    after = os.times()
    return taken, after.children_user + after.children_system - before.children_user - before.children_system


def initialize() -> bytes:
    params = {"processId": None, "rootUri": None, **recorded("vscode")}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
