"""Records what installed programs send of the trees below: cases of conformance/ that no captured session has.

    PATH=.../node_modules/.bin:$PATH python tools/record_conformance.py claude-code codex ...

Each program is started as `promptls capture` starts it, enclosed and without a network, but with the whole tree: the
texts are our own. What a preview says of it has no part in the result. tests/recorded has the results.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

from conformance_cases import MARK

from promptls import harnesses
from promptls.wire import scratch
from promptls.wire.capture import Capture, capture
from promptls.wire.cases import Layout
from promptls.workspace.machine import load_harnesses
from promptls.workspace.request import ask_git

RECORDED = Path(__file__).parent.parent / "tests" / "recorded"
# An MCP server with one tool, whose name is the mark.
SERVER = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    result = {}
    if method == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}}
        result["serverInfo"] = {"name": "own", "version": "1"}
    if method == "tools/list":
        tool = {"name": "own", "description": sys.argv[1], "inputSchema": {"type": "object", "properties": {}}}
        result = {"tools": [tool]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
# Variables with which a program answers at all in a folder that nobody has trusted.
TRUSTED = {"gemini-cli": {"GEMINI_CLI_TRUST_WORKSPACE": "true"}, "grok-build": {"GROK_FOLDER_TRUST": "0"}}
# Arguments that say the same.
TRUSTING = {"pi": ["--approve"], "mistral-vibe": ["--trust"]}
# Programs that take files in the order of the disk.
AS_LISTED = ("mistral-vibe", "openhands")
Json = dict[str, Any]


def folder(top: str, place: str) -> dict[str, str]:
    """All that somebody has put into a folder ``.agents`` or proposed for it; each file has a mark of its own."""
    head = "---\nname: {name}\ndescription: MARK-{name} does own things.\n---\nMARK-{name}-body\n"

    def named(name: str) -> str:
        return head.format(name=f"{place}-{name}")

    def servers(mark: str) -> str:
        started = {"type": "stdio", "command": "python3", "args": ["${WORKSPACE}/own_server.py", mark]}
        return json.dumps({"mcpServers": {mark.lower(): started}})

    schema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    about = f"MARK-{place}-manifest"
    plugin = json.dumps({"$schema": schema, "name": f"{place}-plugin", "version": "1.0.0", "description": about})
    return {
        f"{top}/.agents/AGENTS.md": f"MARK-{place}-agents-md\n",
        f"{top}/.agents/rules/own.md": f"MARK-{place}-rule\n",
        f"{top}/.agents/skills/{place}-skill/SKILL.md": named("skill"),
        f"{top}/.agents/agents/{place}-agent.md": named("agent"),
        f"{top}/.agents/commands/{place}-command.md": named("command"),
        f"{top}/.agents/plugins/{place}-plugin/plugin.json": plugin,
        f"{top}/.agents/plugins/{place}-plugin/skills/{place}-packed/SKILL.md": named("packed"),
        f"{top}/.agents/plugins/{place}-plugin/mcp.json": servers(f"MARK-{place}-packed-server"),
        f"{top}/.agents/mcp.json": servers(f"MARK-{place}-server"),
    }


TREES: dict[str, Json] = {
    "dot-agents": {
        "files": {
            "workspace/AGENTS.md": "MARK-root\n",
            "workspace/CLAUDE.md": "MARK-claude\n",
            "workspace/GEMINI.md": "MARK-gemini\n",
            "workspace/own_server.py": SERVER,
            **folder("workspace", "project"),
            **folder("home", "user"),
        },
        "note": "everything that a folder .agents may have, in the project and at home",
    },
    "dot-agents-below": {
        "files": {
            "workspace/AGENTS.md": "MARK-root\n",
            "workspace/pkg/a.py": "print()\n",
            "workspace/own_server.py": SERVER,
            **folder("workspace", "root"),
            **folder("workspace/pkg", "pkg"),
        },
        "cwd": "pkg",
        "note": "started below the root",
    },
    "read-below": {
        "files": {
            **{f"workspace/{each}": f"MARK-root-{each[:-3].lower()}\n" for each in ("AGENTS.md", "CLAUDE.md")},
            **{f"workspace/pkg/{each}": f"MARK-pkg-{each[:-3].lower()}\n" for each in ("AGENTS.md", "CLAUDE.md")},
            "workspace/pkg/a.py": "print()\n",
        },
        "reads": ["pkg/a.py"],
        "note": "a file below is read",
    },
}


def main() -> int:
    """Record each tree with each program that is named; the names of trees may stand among them."""
    load_harnesses()
    only = [each for each in sys.argv[1:] if each in TREES] or [*TREES]
    for harness in [each for each in sys.argv[1:] if each not in TREES]:
        for name in only:
            tree = TREES[name]
            try:
                found = recorded(harness, name, tree)
            except Exception as error:  # noqa: BLE001 - the next one may work
                print(f"{harness}/{name}: {error!r}")
                continue
            path = RECORDED / harness / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"{path}: {[each['sentinel'] for each in found['request']]}")
    return 0


def recorded(harness: str, name: str, tree: Json) -> Json:
    """Start the installed program in a tree, and look for the marks in the request that it sends."""
    env, args = TRUSTED.get(harness, {}), TRUSTING.get(harness, [])
    steps = [[{"read": path}] for path in tree.get("reads", ())]
    session = {"cwd": tree.get("cwd", "."), "args": args, "env": env, "steps": steps}
    case = {"harness": harness, "files": tree["files"], "symlinks": {}, "git": ["workspace"], "session": session}
    with tempfile.TemporaryDirectory(prefix="promptls-case-") as made:
        layout = Layout(case, os.path.realpath(made))
        found = _sent(layout)
    marks = {mark: path for path, text in tree["files"].items() for mark in MARK.findall(text)}
    return {
        "name": name,
        "program": harness,
        "version": found.version,
        "tree": {"files": tree["files"], "links": {}, "repositories": ["workspace"]},
        "start": {
            "cwd": session["cwd"],
            **({"args": args} if args else {}),
            **({"env": env} if env else {}),
            "turns": [{"steps": steps} if steps else {}],
        },
        "sentinels": marks,
        "request": _marks(found, marks),
        "cut": [],
        "ordered": harness not in AS_LISTED,
    }


def _sent(layout: Layout) -> Capture:
    def all_of_it(root: str, chosen: object) -> None:
        lay_out(root, chosen)  # type: ignore[arg-type]
        for top in (layout.workspace, layout.home):
            for path in Path(top).rglob("*"):
                place = Path(f"{root}{path}")
                if path.is_file() and not place.exists():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(path.read_bytes())

    lay_out = scratch.lay_out
    session, host = layout.session(), layout.host(ask_git)
    with patch.object(scratch, "lay_out", all_of_it):
        return capture(session, harnesses.preview(session, host), host, layout.workspace, runs=False, is_case=True)


def _marks(found: Capture, marks: Json) -> list[Json]:
    roles: dict[str, str] = {}
    times: Counter[str] = Counter()
    texts = [(each.role, each.text) for each in found.blocks]
    texts += [("tools", each.description) for each in found.offered]
    for role, text in texts:
        for mark in MARK.findall(text) if role != "assistant" else ():
            if mark in marks:
                roles.setdefault(mark, role)
                times[mark] += 1
    return [{"sentinel": mark, "role": role, "times": times[mark]} for mark, role in roles.items()]


if __name__ == "__main__":
    sys.exit(main())
