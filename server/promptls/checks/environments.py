"""prompt-unused, tool-conflict: agents and their prompts in folders of environments."""

from __future__ import annotations

import re
from posixpath import basename

from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import front_matter, parse_json
from promptls.core.model import Range
from promptls.core.paths import parent
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.tree import Value
    from promptls.core.model import Problem
    from promptls.core.settings import Settings
    from promptls.core.spec import Environments


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """What the profiles and prompts of each environment say about each other."""
    for harness in in_use(tree.prompts):
        environments = specs.of(harness).environments
        if environments is not None:
            yield from _of_environments(tree, harness, environments)


def _of_environments(tree: Tree, harness: str, known: Environments) -> Iterator[Problem]:
    is_config, is_prompt = re.compile(known.config).search, re.compile(known.prompt).search
    named: set[str] = set()
    with_profiles: set[str] = set()
    for path in tree.files:
        if not is_config(tree.relative(path)):
            continue
        text = tree.text(path) or ""
        root = parse_json(text, comments=True).root
        objects = list(_objects(root)) if root else []
        for each in objects:
            named |= {word for key in ("id", "promptId") if (word := each.text(key))}
            yield from _conflicts(harness, path, text, 0, each)
        if any(each.get("primaryAgents") or each.get("subAgents") for each in objects):
            with_profiles.add(parent(path))
    loaded = tree.loaded()
    for path in tree.files:
        if not is_prompt(tree.relative(path)):
            continue
        text = tree.text(path) or ""
        matter = front_matter.split(text)
        root = matter.document.root if matter.document else None
        if root is not None:
            yield from _conflicts(harness, path, text, matter.start, root)
        own = (root.text("id") if root else None) or basename(path).removesuffix(known.suffix)
        is_used = own in named or own in known.built_in or path in loaded
        if parent(parent(path)) in with_profiles and not is_used:
            message = f"No agent here uses the prompt {own}, so {harness} never sends it. Name it or remove it."
            yield problem("prompt-unused", path, Range(), message, harness=harness)


def _objects(value: Value) -> Iterator[Value]:
    """``value`` and all below it that are objects."""
    if value.kind == "object":
        yield value
    for item in (*value.items, *(member for _, member in value.members)):
        yield from _objects(item)


def _conflicts(harness: str, path: str, text: str, start: int, where: Value) -> Iterator[Problem]:
    allowed, denied = where.get("allowedTools"), where.get("deniedTools")
    names = {item.data for item in allowed.items} if allowed else set()
    if not names or denied is None:
        return
    lines = LineIndex(text)
    for item in denied.items:
        if item.data in names:
            message = f"{item.data} is both allowed and denied, so {harness} removes it. Remove it from one list."
            place = lines.range(start + item.start, start + item.end)
            yield problem("tool-conflict", path, place, message, harness=harness)
