"""lost-in-long-sessions: instruction files that only a read brings, which a compaction takes away again.

Off unless the settings ask for it: whether that matters is for the team to say.
"""

from __future__ import annotations

from posixpath import basename

from promptls.checks.names import in_use
from promptls.checks.rules import problem
from promptls.core import specs
from promptls.core.model import START, USED, Edit, Fix, Range
from promptls.core.paths import parent
from promptls.core.text import LineIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem
    from promptls.core.settings import Settings
    from promptls.core.spec import Spec

CODE = "lost-in-long-sessions"
UNTIL_READ = "until the next such read"


def check_tree(tree: Tree, settings: Settings) -> Iterator[Problem]:
    """A problem for each file that a session in the folder gets by a read only, where compactions are known."""
    if dict(settings.rules).get(CODE, "off") == "off":
        return
    for harness in in_use(tree.prompts):
        spec = specs.of(harness)
        if "compact" not in spec.later:
            continue
        prompts = [each for each in tree.prompts if each.session.harness == harness and each.session.cwd == tree.root]
        used = [each for prompt in prompts for each in prompt.candidates if each.use == "instruction"]
        loaded = [each for each in used if each.outcome in USED and each.path is not None and tree.holds(each.path)]
        at_start = dict.fromkeys(each.path or "" for each in loaded if each.at == START)
        importer = next((path for path in at_start if spec.imports and parent(path) == tree.root), None)
        for path in dict.fromkeys(each.path or "" for each in loaded if each.at != START):
            if path not in at_start:
                yield _lost(tree, spec, path, importer)


def _lost(tree: Tree, spec: Spec, path: str, importer: str | None) -> Problem:
    until = "and no later read brings it until the program is started again" if spec.brings_once else UNTIL_READ
    how = f"Import it in {basename(importer)}" if importer else "Move it to a file that is loaded at start"
    message = (
        f"{spec.title} sends this file only when a file near it is read, so a compaction removes it "
        f"{until}. {how} if it must always hold."
    )
    fixes = (_imported(tree, path, importer),) if importer else ()
    return problem(CODE, path, Range(), message, harness=spec.name, fixes=fixes)


def _imported(tree: Tree, path: str, importer: str) -> Fix:
    text = tree.text(importer) or ""
    line = f"@{tree.relative(path)}"
    written = f"{line}\n" if not text or text.endswith("\n") else f"\n{line}\n"
    return Fix(
        f"Import it in {basename(importer)}", (Edit(importer, LineIndex(text).range(len(text), len(text)), written),)
    )
