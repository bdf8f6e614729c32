"""Front matter as the strict reader of Copilot CLI takes it."""

from __future__ import annotations

import re

from promptls.core.formats import front_matter
from promptls.core.formats.header import Header
from promptls.core.formats.tree import Flaw
from promptls.core.lazy import regex
from promptls.core.values import replace
from promptls.kit.yaml_anchors import odd_anchor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
