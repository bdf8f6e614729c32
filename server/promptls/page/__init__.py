"""A map as one page of HTML, without network: a treemap, the files, the directories and the problems.

The page works in a browser and in a webview of VS Code. It has one style and one script, both with a nonce, and a
strict content policy. A link to a file has its path below the folder in ``data-path``, and a line from 0 in
``data-line``; in a webview, a click posts ``{"command": "open", "path": ..., "line": ...}``.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from promptls.core import files
from promptls.core.paths import name
from promptls.page.elements import document, element, raw
from promptls.page.links import Links
from promptls.page.sections import directories, problems, sizes
from promptls.page.treemap import treemap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from promptls.core.model import Problem
    from promptls.workspace.folder_map import FolderMap


def page(found: FolderMap, reported: Sequence[Problem], *, nonce: str, base: str | None = None) -> str:
    """The page of a map, and of the problems of its folder.

    ``nonce``: a random word of letters, digits, ``+``, ``/``, ``-`` and ``_``. ``base``: the directory that links are
    relative to, the folder itself by default.
    """
    root = found.map.root
    links = Links(root, base or root)
    picture, style = treemap(found, links)
    title = f"Prompt map of {name(root) or root}"
    return document(
        element(
            "html",
            _head(title, nonce, _asset("page.css") + style),
            element(
                "body",
                element("header", element("h1", title), _contents()),
                element("main", picture, sizes(found, links), directories(found, links), problems(reported, links)),
                raw("script", _asset("page.js"), nonce=nonce),
            ),
            lang="en",
        )
    )


def _head(title: str, nonce: str, style: str) -> Element:
    own = f"style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'"
    policy = f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", **{"http-equiv": "Content-Security-Policy", "content": policy}),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        raw("style", style, nonce=nonce),
    )


def _contents() -> Element:
    sections = ("tokens", "Tokens"), ("files", "Files"), ("directories", "Directories"), ("problems", "Problems")
    return element("nav", *(element("a", text, href=f"#{anchor}") for anchor, text in sections), aria_label="Sections")


@lru_cache(maxsize=2)
def _asset(file: str) -> str:
    return files.read(os.path.join(os.path.dirname(__file__), file)).data.decode("utf-8")
