"""Start to `initialize` reply: promptls against a bare pygls server, in turns. Prints medians and ratios.

The processor time tells more than the clock where the machine has other work.

    python tests/bench/initialize.py [RUNS]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(__file__)
BARE = 'from pygls.lsp.server import LanguageServer; LanguageServer("bare", "1").start_io()'
OURS = "from promptls.lsp.main import serve; serve()"
RUNS = 15


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for server in (BARE, OURS):
        measure(server)  # the first run compiles
    taken: dict[str, list[tuple[float, float]]] = {BARE: [], OURS: []}
    for _ in range(runs):
        for server, times in taken.items():
            times.append(measure(server))
    for index, what in enumerate(("clock", "processor")):
        bare, ours = (statistics.median(each[index] for each in taken[server]) for server in (BARE, OURS))
        line = f"{what}: bare {bare * 1000:.0f} ms, promptls {ours * 1000:.0f} ms, ratio {ours / bare:.2f}"
        print(line)  # noqa: T201 - it is a script


def measure(server: str) -> tuple[float, float]:
    """From the start of the process to the last byte of the reply: seconds by the clock, and of processor."""
    before = os.times()
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", server],
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
    with open(os.path.join(HERE, "../lsp/clients/vscode.json"), encoding="utf-8") as file:
        params = {"processId": None, "rootUri": None, **json.load(file)}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


if __name__ == "__main__":
    main()
