"""Front matter as Copilot CLI takes it: what its strict reader refuses, and the kinds of values that keys may have."""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.formats.tree import Flaw
from promptls.core.lazy import regex
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.header import Header
    from promptls.core.formats.tree import Document, Value


# Another document begins, or something follows the end of the first.
_NOT_ONE_DOCUMENT = regex(r"^(?:---(?=\s)|\.\.\.[ \t]*\r?\n(?=\s*[^\s#]))", re.MULTILINE)
_ANCHOR = regex(r"&([^\s,\[\]{}]+)")


def strict_header(text: str) -> Header:
    """The front matter of a skill or an agent; what is no YAML has a flaw (wire: skill-bare-patterns)."""
    matter = front_matter.split(text)
    document = matter.document
    if document is not None and (not is_strict(document) or any(_odd_anchors(document))):
        document = replace(document, flaw=document.flaw or Flaw(0, len(document.text), "this is not valid YAML"))
    return Header(text, matter.start, document, matter.body)


def _odd_anchors(document: Document) -> Iterator[Flaw]:
    """What the reader refuses, though YAML allows it (wire: skill-anchors)."""
    from promptls.core.formats.yaml_reader import odd_anchor  # noqa: PLC0415 - it has read the text

    for key, value in document.root.members if document.root else ():
        if (flaw := odd_anchor(document.text, key, value)) is not None:
            yield flaw


def is_strict(document: Document) -> bool:
    """Whether a strict reader takes it: no key twice, and no text without quotes that begins with ``*``."""
    if document.flaw is not None or _NOT_ONE_DOCUMENT.search(document.text):
        return False
    keys = [str(key.data) for key, _ in document.root.members] if document.root else []
    aliases = set(_aliases(document.root, document.text)) if document.root else set()
    return len(set(keys)) == len(keys) and aliases.issubset(_ANCHOR.findall(document.text))


def _aliases(value: Value, text: str) -> Iterator[str]:
    for item in (*value.items, *(item for _, item in value.members)):
        yield from _aliases(item, text)
    if value.kind == "string" and text.startswith("*", value.start):
        yield text[value.start + 1 : value.end]


TEXT, TEXTS, SWITCH = ("string",), ("string", "array"), ("true", "false")
# (wire: skill-front-matter-kinds)
OF_SKILLS = {
    "name": TEXT,
    "description": TEXT,
    "allowed-tools": (*TEXTS, "object"),
    "argument-hint": ("string", "null"),
    "disable-model-invocation": SWITCH,
    "user-invocable": SWITCH,
}
# (wire: agent-front-matter-kinds)
OF_AGENTS = {
    "name": TEXT,
    "tools": TEXTS,
    "model": TEXTS,
    "infer": SWITCH,
    "disable-model-invocation": SWITCH,
    "user-invocable": SWITCH,
    "mcp-servers": ("object",),
    "skills": ("array",),
}


def text_of(front: Header, value: Value) -> str:
    """The text of a value; a block that ends the front matter has no line break after it (wire: skill-blocks)."""
    text, matter = str(value.data), front.document.text if front.document is not None else ""
    is_last = not matter[value.end :].strip() and not matter.endswith("\n\n")
    return text.removesuffix("\n") if is_last else text


def wrong_key(front: Header, kinds: dict[str, tuple[str, ...]]) -> str | None:
    """The first key whose value has none of its ``kinds``, lists of other things than texts too; None if all have."""
    for key, known in kinds.items():
        value = front.value(key)
        if value is None:
            continue
        if value.kind not in known or not all(isinstance(each.data, str) for each in value.items):
            return key
    return None
