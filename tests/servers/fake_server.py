"""An MCP server for tests: what it does wrong is its first argument."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WRONG = sys.argv[1] if len(sys.argv) > 1 else ""
SEARCH = {
    "name": "search",
    "title": "Search",
    "description": "Search the documents.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}


def surroundings() -> str:
    """What can be seen and done from here."""
    found = []
    ways: dict[str, Callable[[], object]] = {
        "home": lambda: os.listdir(os.environ["HOME"]),
        "canary": lambda: Path(os.environ.get("CANARY", "/nowhere")).read_text(encoding="utf-8"),
        "write": lambda: Path("written").write_text("x", encoding="utf-8"),
        "network": lambda: socket.create_connection(("127.0.0.1", int(os.environ.get("OPEN_PORT", "1"))), 2),
    }
    for name, act in ways.items():
        try:
            act()
        except OSError:
            continue
        found.append(name)
    return " ".join(found)


def tools(count: int, client: dict[str, Any]) -> list[dict[str, Any]]:
    """The list, which hangs on what the client can do."""
    found = [SEARCH]
    if "elicitation" in client.get("capabilities", {}):
        found.append({**SEARCH, "name": "elicit"})
    if WRONG == "changes" and count:
        found.append({**SEARCH, "name": "late"})
    return found


def main() -> None:
    """Answer each line."""
    say({"banner": "no answer"})
    sys.stdout.write("no JSON\n")
    listed, client = 0, {}
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            client = message["params"]
            begin(number, client)
        elif method == "tools/list":
            answer_list(number, message.get("params", {}), listed, client)
            listed += 1
        elif method == "prompts/list":
            answer(number, {"prompts": [{"name": "p", "arguments": [{"name": "a"}]}]})
        elif method == "resources/list":
            answer(number, {"resources": [{"uri": "file:///x", "name": "x"}]})


def begin(number: object, client: dict[str, Any]) -> None:
    """Answer to the first request, or do something else."""
    if WRONG == "hangs":
        time.sleep(600)
    if WRONG == "pings":
        os.close(2)
        for each in range(20_000):
            say({"jsonrpc": "2.0", "id": f"{each}", "method": "ping"})
        time.sleep(600)
    if WRONG == "crashes":
        sys.stderr.write("Traceback ...\nKeyError: 'TOKEN'\n")
        sys.exit(1)
    if WRONG == "shouts":
        for _ in range(400):
            sys.stderr.write("x" * 65536 + "\n")
    while WRONG == "floods":
        sys.stdout.write("x" * 65536)
    if WRONG == "error":
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32000, "message": "no key"}})
        return
    info = {"name": f"fake for {client['clientInfo']['name']}", "version": "1.0"}
    able: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}}
    said = {"protocolVersion": client["protocolVersion"], "capabilities": able, "serverInfo": info}
    answer(number, said | {"instructions": surroundings() if WRONG == "looks" else "Say where it stands."})
    if WRONG == "samples":
        say({"jsonrpc": "2.0", "id": 99, "method": "sampling/createMessage", "params": {}})
        say({"jsonrpc": "2.0", "id": 98, "method": "ping"})


def answer_list(number: object, params: dict[str, Any], listed: int, client: dict[str, Any]) -> None:
    """Answer with the tools, on pages where that is asked for."""
    found = tools(listed, client)
    if WRONG == "pages" and "cursor" not in params:
        answer(number, {"tools": found[:1], "nextCursor": "2"})
    elif WRONG == "pages":
        answer(number, {"tools": found[1:], "nextCursor": "2"})
    else:
        answer(number, {"tools": found})
    if WRONG == "changes" and not listed:
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def answer(number: object, result: dict[str, Any]) -> None:
    """Answer a request."""
    say({"jsonrpc": "2.0", "id": number, "result": result})


def say(message: dict[str, Any]) -> None:
    """Write a line."""
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
