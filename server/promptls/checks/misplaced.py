"""misplaced: hooks, MCP servers and commands where no harness in use reads them."""

from __future__ import annotations

import re

from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import jsonc
from promptls.core.model import Range
from promptls.core.uses import is_in_effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Use
    from promptls.core.settings import Settings
    from promptls.core.spec import Misplaced

NOUNS: dict[Use, str] = {"server": "MCP servers", "hook": "hooks", "command": "commands"}


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each such place, unless another harness in use reads it."""
    read = {(each.path, each.use) for _, each in tree.candidates() if is_in_effect(each)}
    for harness in in_use(tree.prompts):
        spec = specs.of(harness)
        for known in spec.misplaced:
            is_there = re.compile(rf"(?:^|/){re.escape(known.holder)}/{known.place}$").search
            for path in [each for each in tree.files if f"/{known.holder}/" in each]:
                where = _place(tree, path, known) if is_there(tree.relative(path)) else None
                if where is not None and (path, known.use) not in read:
                    message = f"{spec.title} reads no {NOUNS[known.use]} here. {known.instead}"
                    yield problem("misplaced", path, where, message, harness=harness)


def _place(tree: Tree, path: str, known: Misplaced) -> Range | None:
    """Where the file says it; None if it does not."""
    if not known.key:
        return Range()
    document = jsonc.parse(tree.text(path) or "", comments=True)
    keys = (key for key, _ in document.root.members if key.data == known.key) if document.root is not None else ()
    return next((document.range(key) for key in keys), None)
