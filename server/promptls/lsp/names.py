"""Names in an open document: those of files that prompts know, of agents and of skills, and links."""

from __future__ import annotations

import os
from urllib.parse import unquote

from promptls.core import places
from promptls.core.formats import parse_json
from promptls.core.formats.header import header
from promptls.core.lazy import regex
from promptls.core.model import USED
from promptls.core.paths import parent, resolve
from promptls.core.text import decode
from promptls.kit import config_keys as keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats import markdown
    from promptls.core.formats.header import Header
    from promptls.core.formats.tree import Value
    from promptls.core.model import Use
    from promptls.core.places import Named
    from promptls.lsp.documents import Document
    from promptls.lsp.view import View


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


_AGENT_ENDING = regex(r"(?:(?:\.agent|\.chatmode)?\.md|\.toml)\Z")
# Keys whose values name agents, in front matter and in JSON, and those that name skills.
AGENTS, SKILLS = ("agent", "agents", "default_agent"), ("skills",)


def agents(view: View) -> Iterator[tuple[str, str]]:
    """The agents of files that a session knows, by name, and their files."""
    for path, head in used(view, "agent"):
        named = head.word("name") if "name" in keys.front_matter(path) else ""
        yield named or _of_toml(view, path) or _AGENT_ENDING.sub("", os.path.basename(path)), path


def _of_toml(view: View, path: str) -> str:
    """The name in a file of TOML, which begins with no front matter."""
    if not path.endswith(".toml"):
        return ""
    from promptls.core.formats import parse_toml  # noqa: PLC0415 - few agents are in one

    root = parse_toml(decode(view.host.read(path).data, keep_bom=False)).root
    return (root.text("name") or "") if root is not None else ""


def used(view: View, *uses: Use) -> Iterator[tuple[str, Header]]:
    """The files that a session uses so, and what they begin with."""
    for each in view.prompt.candidates:
        if each.use in uses and each.path is not None and each.outcome in USED:
            yield each.path, header(decode(view.host.head(each.path).data, keep_bom=False))


def called_in(document: Document, views: Sequence[View]) -> Iterator[tuple[int, int, str]]:
    """Where a document that a session looks at names an agent or a skill: offsets without quotes, and the file."""
    is_asked = any(each.path == document.path for view in views for each in view.prompt.candidates)
    named = list(_named(document)) if is_asked else []
    for is_agent in {is_agent for is_agent, _, _ in named}:
        known = {name: path for view in views for name, path in (agents(view) if is_agent else _skills(view))}
        for each, start, end in named:
            path = known.get(document.text[start:end]) if each == is_agent else None
            if path is not None and path != document.path:
                yield start, end, path


def _skills(view: View) -> Iterator[tuple[str, str]]:
    return ((head.word("name") or os.path.basename(parent(path)), path) for path, head in used(view, "skill"))


def _named(document: Document) -> Iterator[tuple[bool, int, int]]:
    """Whether it is the name of an agent or of a skill, and its offsets."""
    path, text = document.path or "", document.text
    if path.endswith(".md"):
        head = header(text)
        for key in (*AGENTS, *SKILLS):
            value = head.value(key)
            for each in (value.items or (value,)) if value is not None else ():
                yield key in AGENTS, *_inside(text, head.start, each)
    elif path.endswith((".json", ".jsonc")):
        root = parse_json(text, comments=True).root
        for each in _of_agents(root) if root is not None else ():
            yield True, *_inside(text, 0, each)


def _of_agents(root: Value) -> Iterator[Value]:
    waiting = [root]
    while waiting:
        for key, value in waiting.pop().members:
            if value.kind == "object":
                waiting.append(value)
            elif key.data in AGENTS and value.kind == "string":
                yield value


def _inside(text: str, offset: int, value: Value) -> tuple[int, int]:
    start, end = offset + value.start, offset + value.end
    return (start + 1, end - 1) if text[start : start + 1] in ("'", '"') else (start, end)
