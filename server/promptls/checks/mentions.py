"""import-unrecognised: an @ before a file that exists, where the harness does not take it for an import."""

from __future__ import annotations

from posixpath import normpath

from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats import markdown
from promptls.core.lazy import regex
from promptls.core.model import USED
from promptls.core.paths import join, parent
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings

_MENTION = regex(r"@((?:~/|\.{0,2}/)?[\w./-]*\w\.\w+)")


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each mention that is none of the harness's imports, with the reason where it is known."""
    seen: set[tuple[str, str]] = set()
    for prompt in tree.prompts:
        harness = prompt.session.harness
        imports = specs.of(harness).imports
        if imports is None or imports.tells_unrecognised:
            continue
        taken = _taken(prompt)
        for path in dict.fromkeys(each.path for each in prompt.candidates if each.outcome in USED):
            if path is None or not tree.holds(path) or (path, harness) in seen or not path.endswith(".md"):
                continue
            seen.add((path, harness))
            yield from _of_file(tree, harness, path, taken)


def _taken(prompt: Prompt) -> set[tuple[str, int, int]]:
    """Where files name others: path, line and character."""
    return {
        (each.origin.path, each.origin.range.start_line, each.origin.range.start_character)
        for each in prompt.candidates
        if each.origin.path and each.origin.range
    }


def _of_file(tree: Tree, harness: str, path: str, taken: set[tuple[str, int, int]]) -> Iterator[Problem]:
    text = tree.text(path) or ""
    if "@" not in text:
        return
    lines = LineIndex(text)
    code = markdown.Inside(markdown.code(text))
    for found in _MENTION.finditer(text):
        target = found[1]
        where = join(parent(path), target) if not target.startswith("~/") else target
        in_home = target.startswith("~/") and tree.host.kind(join(tree.host.home, target[2:])) == "file"
        if not in_home and tree.host.kind(normpath(where)) != "file":
            continue
        place = lines.range(found.start(), found.end())
        if (path, place.start_line, place.start_character) in taken:
            continue
        inside = code.at(found.start())
        # A fence shows how something is written; a span that is nothing but the mention was meant.
        is_meant = inside is None or (inside.kind == "code" and text[inside.start : inside.end].strip("`") == found[0])
        before = text[found.start() - 1 : found.start()]
        reason = (
            "it is in code"
            if inside
            else "it does not know ~"
            if in_home
            else "there is no white space before the @"
            if before.strip()
            else ""
        )
        if is_meant and reason:
            advice = "Write the path relative to this file." if in_home else "Write it with white space around it."
            says = f"{harness} does not import {target}: {reason}. {advice}"
            yield problem("import-unrecognised", path, place, says, harness=harness)
