"""What is around a page, which needs no network, in a browser and in a webview of VS Code.

It has one style and one script, both with a nonce, and a strict content policy. A link to a file has its path below the
folder in ``data-path``, and a line from 0 in ``data-line``; in a webview, a click posts ``{"command": "open", "path":
..., "line": ...}``.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from promptls.core import files
from promptls.page.elements import document, element, raw

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from xml.etree.ElementTree import Element

    from promptls.core.sizes import Kind

LEGEND: dict[Kind, str] = {
    "file": "your instruction files",
    "url": "URLs",
    "skills": "skills",
    "commands": "commands",
    "agents": "agents",
    "servers": "MCP servers",
    "hooks": "hooks",
    "typed": "typed and read",
    "tools": "tools of the coding agent",
    "harness": "its own prompt",
}


def framed(
    title: str, sections: Sequence[tuple[str, str]], parts: Iterable[Element], *, nonce: str, name: str, style: str = ""
) -> str:
    """The page of these parts, which ``sections`` lead to, by anchor and text; ``name`` is that of its own assets."""
    contents = element("nav", *(element("a", text, href=f"#{anchor}") for anchor, text in sections))
    contents.set("aria-label", "Sections")
    return document(
        element(
            "html",
            _head(title, nonce, _asset("page.css") + _asset(f"{name}.css") + style),
            element(
                "body",
                element("header", element("h1", title), contents),
                element("main", *parts),
                raw("script", _asset(f"{name}.js") + _asset("page.js"), nonce=nonce),
            ),
            lang="en",
        )
    )


def legend(kinds: Iterable[Kind], says: dict[Kind, str] = LEGEND) -> Element:
    """What the colours mean, in an order that is the same on every page."""
    shown = {*kinds}
    spans = (element("span", text, class_=kind) for kind, text in says.items() if kind in shown)
    return element("p", *spans, class_="legend")


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


@lru_cache(maxsize=12)
def _asset(file: str) -> str:
    return files.read(os.path.join(os.path.dirname(__file__), file)).data.decode("utf-8")
