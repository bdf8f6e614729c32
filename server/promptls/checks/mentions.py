"""import-unrecognised: an @ before a file that exists, where the harness does not take it for an import."""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath

from promptls.checks.rules import problem
from promptls.checks.tree import USED
from promptls.core.formats import markdown
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings

# The harnesses whose imports are looked over here; others tell it themselves.
IMPORTERS = ("gemini-cli", "copilot-cli")
_MENTION = re.compile(r"@((?:~/|\.{0,2}/)?[\w./-]*\w\.\w+)")


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each mention that is none of the harness's imports, with the reason where it is known."""
    told: set[tuple[str, str]] = set()
    for prompt in tree.prompts:
        harness = prompt.session.harness
        if harness not in IMPORTERS:
            continue
        for path in dict.fromkeys(each.path for each in prompt.candidates if each.outcome in USED):
            if path is None or not tree.holds(path) or (path, harness) in told or not path.endswith(".md"):
                continue
            told.add((path, harness))
            yield from _of_file(tree, prompt, path)


def _of_file(tree: Tree, prompt: Prompt, path: str) -> Iterator[Problem]:
    text = tree.text(path) or ""
    if "@" not in text:
        return
    harness = prompt.session.harness
    lines = LineIndex(text)
    taken = {
        (each.origin.range.start_line, each.origin.range.start_character)
        for each in prompt.candidates
        if each.origin.path == path and each.origin.kind == "file" and each.origin.range
    }
    code = markdown.code(text)
    for found in _MENTION.finditer(text):
        target = found[1]
        where = join(dirname(path), target) if not target.startswith("~/") else target
        in_home = target.startswith("~/") and tree.host.kind(join(tree.host.home, target[2:])) == "file"
        if not in_home and tree.host.kind(normpath(where)) != "file":
            continue
        place = lines.range(found.start(), found.end())
        if (place.start_line, place.start_character) in taken:
            continue
        inside = [span for span in code if span.start <= found.start() < span.end]
        # A fence shows how something is written; a span that is nothing but the mention was meant.
        is_meant = all(span.kind == "code" and text[span.start : span.end].strip("`") == found[0] for span in inside)
        before = text[found.start() - 1 : found.start()]
        reason = (
            "it stands in code"
            if inside
            else "it does not know ~"
            if in_home
            else "there is no white space before the @"
            if before.strip()
            else ""
        )
        if is_meant and reason:
            says = f"{harness} does not import {target}: {reason}. Write it with white space around it."
            yield problem("import-unrecognised", path, place, says, harness=harness)
