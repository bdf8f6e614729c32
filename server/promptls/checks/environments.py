"""prompt-unused, tool-conflict: agents of agent-core's environments."""

from __future__ import annotations

import re
from posixpath import basename, dirname

from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core.formats import front_matter, jsonc
from promptls.core.model import Range
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.tree import Value
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

AGENT_CORE = "agent-core"
CONFIG = re.compile(r"(?:^|/)(?:config|\.tong_work)/environments/[^/]+/config\.jsonc$")
PROMPT = re.compile(r"(?:^|/)(?:config|\.tong_work)/environments/[^/]+/prompts/[^/]+\.prompt$")
SUFFIX = ".prompt"
# Agents that need no entry.
BUILT_IN = ("system", "default")


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """What the profiles and prompts of each environment say about each other."""
    if AGENT_CORE not in in_use(tree.prompts):
        return
    named: set[str] = set()
    with_profiles: set[str] = set()
    for path in tree.files:
        if not CONFIG.search(tree.relative(path)):
            continue
        text = tree.text(path) or ""
        root = jsonc.parse(text, comments=True).root
        objects = list(_objects(root)) if root else []
        for each in objects:
            named |= {word for key in ("id", "promptId") if (word := each.text(key))}
            yield from _conflicts(path, text, 0, each)
        if any(each.get("primaryAgents") or each.get("subAgents") for each in objects):
            with_profiles.add(dirname(path))
    loaded = tree.loaded()
    for path in tree.files:
        if not PROMPT.search(tree.relative(path)):
            continue
        text = tree.text(path) or ""
        matter = front_matter.split(text)
        root = matter.document.root if matter.document else None
        if root is not None:
            yield from _conflicts(path, text, matter.start, root)
        own = (root.text("id") if root else None) or basename(path).removesuffix(SUFFIX)
        is_used = own in named or own in BUILT_IN or path in loaded
        if dirname(dirname(path)) in with_profiles and not is_used:
            message = f"No agent here uses the prompt {own}, so agent-core never sends it. Name it or remove it."
            yield problem("prompt-unused", path, Range(), message, harness=AGENT_CORE)


def _objects(value: Value) -> Iterator[Value]:
    """``value`` and all below it that are objects."""
    if value.kind == "object":
        yield value
    for item in (*value.items, *(member for _, member in value.members)):
        yield from _objects(item)


def _conflicts(path: str, text: str, start: int, where: Value) -> Iterator[Problem]:
    allowed, denied = where.get("allowedTools"), where.get("deniedTools")
    names = {item.data for item in allowed.items} if allowed else set()
    if not names or denied is None:
        return
    lines = LineIndex(text)
    for item in denied.items:
        if item.data in names:
            message = f"{item.data} is allowed and denied, and agent-core takes it away. Remove it from one list."
            place = lines.range(start + item.start, start + item.end)
            yield problem("tool-conflict", path, place, message, harness=AGENT_CORE)
