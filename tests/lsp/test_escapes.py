"""What the server says about hostile names and texts holds no control characters, and no Markdown of theirs."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from promptls.lsp.uris import uri_of
from tests.cli.test_escapes import BIDI, BREAKS, hostile_folder
from tests.lsp.client import Client

# Where an editor shows what it is sent.
SHOWN = ("message", "title", "value", "label", "tooltip", "name", "detail", "documentation", "text")


def shown_in(answer: Any) -> Iterator[str]:
    if isinstance(answer, list):
        for each in answer:
            yield from shown_in(each)
    elif isinstance(answer, dict):
        for key, value in answer.items():
            # New text for a file is written, not shown; and the segments of a prompt are what is sent.
            if key in SHOWN and isinstance(value, str):
                yield value
            elif key not in ("edit", "messages", "arguments", "candidates", "sizes"):
                yield from shown_in(value)


async def test_no_control_characters(client: Client, tmp_path: Path) -> None:
    folder, paths = hostile_folder(tmp_path, random.Random(0))  # noqa: S311 - the same each time
    await client.start({}, [str(folder)], {"urls": {"enabled": False}})
    answers: list[Any] = []
    opened = (folder / "CLAUDE.md", folder / "opencode.json", *paths[5:7])
    texts = {uri_of(str(path)): path.read_bytes().decode() for path in opened}
    found: dict[str, Any] = {}
    for uri, text in texts.items():
        await client.open(uri, text)
    while set(texts) - set(found):
        published = await client.next("textDocument/publishDiagnostics")
        found[published["uri"]] = published
    for uri in texts:
        document = {"textDocument": {"uri": uri}}
        answers.append(problems := found[uri])
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("textDocument/codeAction", {"range": whole, "context": {"diagnostics": problems["diagnostics"]}}),
            ("textDocument/codeLens", {}),
            ("textDocument/documentLink", {}),
            ("prompt/preview", {"harness": "claude-code"}),
            ("prompt/preview", {"harness": "opencode"}),
            *(("textDocument/hover", {"position": each["range"]["start"]}) for each in problems["diagnostics"]),
            ("textDocument/hover", {"position": {"line": 0, "character": 0}}),
        ]
        for method, more in asked:
            answers.append(await client.request(method, {**document, **more}))
    shown = list(shown_in(answers))
    client.inbox.clear()
    assert len(shown) > 10
    for each in shown:
        odd = {letter for letter in each if unicodedata.category(letter) == "Cc" or letter in BIDI + BREAKS}
        assert odd <= {"\n", "\t"}, each
