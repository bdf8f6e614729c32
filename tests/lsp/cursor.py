"""Positions in texts, as a client counts them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from promptls.core.text import LineIndex
from promptls.lsp.uris import uri_of
from tests.lsp.client import Client


def at(text: str, word: str, encoding: Any = "utf-16", *, end: bool = False) -> dict[str, int]:
    """The position of the first ``word``, or of its end."""
    offset = text.index(word) + (len(word) if end else 0)
    line, character = LineIndex(text, encoding).position(offset)
    return {"line": line, "character": character}


def inside(text: str, where: Any, encoding: Any = "utf-16") -> str:
    """The text of a range."""
    index = LineIndex(text, encoding)
    start, end = (index.offset(**where[side]) for side in ("start", "end"))
    return text[start:end]


def text_of(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")


async def opened(client: Client, path: Path, language: str = "json") -> dict[str, Any]:
    """Open the file at ``path``; the parameters of a request about it."""
    uri = uri_of(str(path))
    await client.open(uri, text_of(path), language)
    return {"textDocument": {"uri": uri}}
