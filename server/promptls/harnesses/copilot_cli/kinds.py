"""The kinds of values that keys of a front matter may have in Copilot CLI: a file with others is left out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.header import Header
    from promptls.core.formats.tree import Value

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
