"""A stand-in for the server, to work on an editor's side alone.

    make test-vscode SERVER='python3 tests/editors/fake_server.py'

It answers in the real shapes, from rules that are far too simple to be true: a harness loads its one file
from every folder between the workspace and the file in hand, and etcode what its configuration names.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

FILES = {"etcode": "AGENTS.md", "opencode": "AGENTS.md", "claude-code": "CLAUDE.md"}
ENTRY = re.compile(r'"([^"]+\.md)"')
VERSION = "0.1.0"

Json = dict[str, Any]


class Server:
    """One client; ``buffers`` are the open documents, by path, and ``shown`` the texts given out, by URI."""

    def __init__(self) -> None:
        self.root = ""
        self.harness = "etcode"
        self.buffers: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        self.next_id = 0

    def serve(self) -> None:
        while (message := read()) is not None:
            method = message.get("method", "response").replace("/", "_").replace("$", "")
            handler = getattr(self, f"on_{method}", None)
            params = message.get("params") or message
            if "method" in message and "id" in message:
                write({"id": message["id"], "result": handler(params) if handler else None})
            elif handler:
                handler(params)
            if method == "exit":
                return

    def request(self, method: str, params: Json | None = None) -> None:
        self.next_id += 1
        write({"id": f"{method} {self.next_id}", "method": method, "params": params})

    # The life of a session.

    def on_initialize(self, params: Json) -> Json:
        self.root = path_of(params["workspaceFolders"][0]["uri"])
        self.set_harness(params["initializationOptions"])
        return {
            "serverInfo": {"name": "promptls", "version": VERSION},
            "capabilities": {
                "textDocumentSync": {"openClose": True, "change": 1},
                "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False},
                "workspace": {"textDocumentContent": {"schemes": ["promptls"]}},
            },
        }

    def on_workspace_didChangeConfiguration(self, _: Json) -> None:  # noqa: N802 - the method's name
        self.request("workspace/configuration", {"items": [{"section": "promptls"}]})

    def on_response(self, message: Json) -> None:
        if message["id"].startswith("workspace/configuration"):
            self.set_harness(message["result"][0])

    def set_harness(self, settings: Json) -> None:
        self.harness = settings.get("harness", "etcode").partition("@")[0]

    # Documents.

    def on_textDocument_didOpen(self, params: Json) -> None:  # noqa: N802 - the method's name
        self.changed(params["textDocument"]["uri"], params["textDocument"]["text"])

    def on_textDocument_didChange(self, params: Json) -> None:  # noqa: N802 - the method's name
        self.changed(params["textDocument"]["uri"], params["contentChanges"][-1]["text"])

    def on_textDocument_didClose(self, params: Json) -> None:  # noqa: N802 - the method's name
        self.buffers.pop(path_of(params["textDocument"]["uri"]), None)

    def changed(self, uri: str, text: str) -> None:
        if not uri.startswith("file:"):
            return
        self.buffers[path_of(uri)] = text
        changed = [shown for shown, before in self.shown.items() if self.text(shown) != before]
        for shown in changed:
            self.request("workspace/textDocumentContent/refresh", {"uri": shown})
        if changed:
            write({"method": "prompt/didChange", "params": {"uris": changed}})

    def read(self, path: str) -> str | None:
        if path in self.buffers:
            return self.buffers[path]
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except OSError:
            return None

    # What is asked.

    def on_prompt_preview(self, params: Json) -> Json:
        source = params["textDocument"]["uri"]
        name = quote(f"Effective Prompt of {os.path.basename(path_of(source))}.md")
        uri = f"promptls:/{name}?uri={quote(source, safe='')}&harness={self.harness}%40design"
        text = self.text(uri)
        return {
            "uri": uri,
            "text": text,
            "harness": {"name": self.harness, "version": "design", "verified": False},
            "totals": {"characters": len(text), "tokens": len(text) // 4, "files": text.count("# File ")},
        }

    def on_prompt_harnesses(self, _: Json) -> Json:
        harnesses = [
            {
                "name": name,
                "title": name.title(),
                "versions": [{"version": "design", "verified": False}],
                "found": self.read(os.path.join(self.root, file)) is not None,
                "evidence": [file],
            }
            for name, file in FILES.items()
        ]
        return {"harnesses": harnesses, "current": {"name": self.harness, "version": "design"}}

    def on_workspace_textDocumentContent(self, params: Json) -> Json:  # noqa: N802 - the method's name
        self.shown[params["uri"]] = self.text(params["uri"])
        return {"text": self.shown[params["uri"]]}

    def text(self, uri: str) -> str:
        """The text of a virtual document."""
        query = parse_qs(urlsplit(uri).query)
        file, harness = FILES[query["harness"][0].partition("@")[0]], query["harness"][0]
        source = path_of(query["uri"][0])
        paths = [os.path.join(self.root, file)]
        for step in os.path.relpath(os.path.dirname(source), self.root).split(os.sep):
            paths.append(os.path.normpath(os.path.join(os.path.dirname(paths[-1]), step, file)))
        config = self.read(os.path.join(self.root, "etcode.json")) or ""
        if harness.startswith("etcode"):
            paths += [os.path.join(self.root, entry) for entry in ENTRY.findall(config)]
        texts = {path: text for path in paths if (text := self.read(path)) is not None}
        title = f"# The prompt of {harness} for {os.path.basename(source)}\n"
        return "\n".join([title, *(f"# File {path}\n\n{text}" for path, text in texts.items())])

    def on_textDocument_diagnostic(self, params: Json) -> Json:  # noqa: N802 - the method's name
        path = path_of(params["textDocument"]["uri"])
        lines = (self.read(path) or "").split("\n") if path.endswith("etcode.json") else []
        return {
            "kind": "full",
            "items": [
                {
                    "range": {
                        "start": {"line": number, "character": match.start()},
                        "end": {"line": number, "character": match.end()},
                    },
                    "severity": 1,
                    "source": "promptls",
                    "code": "instruction-missing",
                    "message": f"No file {match[1]} is there: correct the entry or write the file.",
                }
                for number, line in enumerate(lines)
                for match in ENTRY.finditer(line)
                if self.read(os.path.join(self.root, match[1])) is None
            ],
        }


def path_of(uri: str) -> str:
    return unquote(urlsplit(uri).path)


def read() -> Json | None:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        if line.startswith(b"Content-Length:"):
            length = int(line.partition(b":")[2])
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def write(message: Json) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    Server().serve()
