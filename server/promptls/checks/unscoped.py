"""scope-empty, front-matter-type: instructions files that VS Code only lists, as they say for no file that they apply.

Another harness may send the same files whole, so it goes unnoticed.
"""

from __future__ import annotations

from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.formats.header import header
from promptls.core.model import USED, Edit, Fix, Range
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.formats.header import Header
    from promptls.core.model import Problem
    from promptls.core.settings import Settings
    from promptls.core.spec import RuleFile


def check_tree(tree: Tree, _settings: Settings) -> Iterator[Problem]:
    """A problem for each instructions file without patterns that VS Code can use."""
    for harness in in_use(tree.prompts):
        for each in specs.of(harness).rule_files:
            if each.needs_scope:
                yield from _without(tree, harness, each)


def _without(tree: Tree, harness: str, rule: RuleFile) -> Iterator[Problem]:
    own = [each for name, each in tree.candidates() if name == harness and each.path is not None]
    sent = {each.path for each in own if each.outcome in USED}
    for path in dict.fromkeys(each.path or "" for each in own if each.outcome == "unscoped"):
        text = tree.text(path) if path.endswith(rule.ending) and path not in sent and tree.holds(path) else None
        found = header(text) if text else None
        # A broken one is reported as such.
        if found is None or (found.document is not None and found.document.flaw is not None):
            continue
        if found.document is None and found.text.startswith("---"):
            continue
        value = found.value(rule.scope)
        if value is not None and value.kind == "array":
            yield _list(harness, rule.scope, path, found)
        # Patterns under the key of another program are reported as those.
        elif not found.patterns(rule.scope) and not any(map(found.value, specs.scope_keys())):
            yield _none(harness, rule.scope, path, found)


def _list(harness: str, key: str, path: str, found: Header) -> Problem:
    where, text = found.range(key) or Range(), ",".join(found.patterns(key))
    message = f"{harness} ignores {key} if it is a list, so this file is never added automatically. Write a string."
    fixes = (Fix(f'Write "{text}"', (Edit(path, where, f'"{text}"'),)),) if text and '"' not in text else ()
    # Copilot CLI reads it.
    return problem("front-matter-type", path, where, message, harness=harness, fixes=fixes, severity="warning")


def _none(harness: str, key: str, path: str, found: Header) -> Problem:
    described = found.word("description")
    says = f"{harness} never adds this file by itself, because it has no {key}"
    by_hand = "; the model only sees its description, and may read it" if described else ""
    message = f"{says}{by_hand}. Say which files it is for, or write {everything(key)} for all."
    return problem(
        "scope-empty",
        path,
        Range(),
        message,
        harness=harness,
        fixes=(Fix(f"Write {everything(key)}", (_for_everything(key, path, found),)),),
        severity="information" if described else None,
    )


def everything(key: str) -> str:
    """The line that says that a rule is for all files."""
    return f'{key}: "**"'


def _for_everything(key: str, path: str, found: Header) -> Edit:
    newline = "\r\n" if "\r\n" in found.text else "\n"
    if found.document is None:
        return Edit(path, Range(), newline.join(("---", everything(key), "---", "", "")))
    start = found.start
    return Edit(path, LineIndex(found.text).range(start, start), everything(key) + newline)
