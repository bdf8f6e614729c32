"""The names of files in an open document: those that prompts know, and the links of an instruction file."""

from __future__ import annotations

import os
from urllib.parse import unquote

from promptls.core import places
from promptls.core.paths import parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats import markdown
    from promptls.core.places import Named
    from promptls.lsp.documents import Document
    from promptls.lsp.previews import View


def named_in(document: Document, views: Sequence[View]) -> list[Named]:
    """Every stretch of a document that means something to the harnesses of ``views``."""
    return places.named_in((view.prompt for view in views), document.path or "")


def markdown_links(document: Document, views: Sequence[View]) -> Iterator[tuple[markdown.Link, str]]:
    """The links of an instruction file to existing files, each with its path."""
    from promptls.core.formats.markdown import links  # noqa: PLC0415 - too slow for the start

    path = document.path or ""
    if not places.is_read((view.prompt for view in views), path):
        return
    for link in links(document.text):
        name = unquote(link.target.partition("#")[0])
        if name and ":" not in name and "\0" not in name:
            target = resolve(parent(path), name)
            if os.path.isfile(target):
                yield link, target
