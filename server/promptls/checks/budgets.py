"""own-budget: more of the user's own text in a directory than its budget."""

from __future__ import annotations

from promptls.checks.rules import problem
from promptls.core.budgets import spent
from promptls.core.model import Range
from promptls.core.paths import is_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.checks.tree import Tree
    from promptls.core.budgets import Spent
    from promptls.core.model import Problem
    from promptls.core.settings import Settings

WHAT = {
    "own": "your own text in {place}",
    "files": "the files in {place}",
    "lists": "the lists of skills, commands and agents in {place}",
    "servers": "the MCP servers in {place}",
}


def check_tree(tree: Tree, settings: Settings) -> Iterator[Problem]:
    """Each budget that the session which gets most exceeds, at the file that costs most."""
    for each in spent(settings.budgets, tree.prompts, tree.host, tree.workspace or tree.root, tree.scopes):
        if each.is_over:
            yield _problem(each)


def _problem(found: Spent) -> Problem:
    budget, prompt, largest = found.budget, found.prompt, found.parts[0]
    assert prompt is not None  # noqa: S101 - without one, nothing is over
    session = prompt.session
    what = WHAT[budget.of].format(place=budget.directory)
    start = f"{session.cwd}{_reading(session.reads, budget.directory)}"
    least = "at least " if found.is_at_least else ""
    owners = f" Owned by {', '.join(found.owners)}." if found.owners else ""
    message = (
        f"A session of {session.harness} in {start} gets {least}{found.tokens:,} tokens of {what}, and the budget is "
        f"{budget.most:,}; {largest.tokens:,} of them are this file's. Shorten it or raise the budget.{owners}"
    )
    return problem("own-budget", largest.name, Range(), message, harness=session.harness)


def _reading(reads: Sequence[str], directory: str) -> str:
    """What the session reads: the file in ``directory`` is named, as it is what counts."""
    if not reads:
        return ""
    named = next((each for each in reads if is_below(each, directory)), reads[0])
    others = len(set(reads)) - 1
    return f" that reads {named}" + (f" and {others} {'others' if others > 1 else 'other file'}" if others else "")
