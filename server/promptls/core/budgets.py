"""Budgets of the user's own text: what one session gets at most of the text in a directory, and whose it is.

A text counts for each directory that holds its file, or the configuration that names its URL: so the text of the root
is not counted against those who own a directory below it. A rule that is only for files of a directory counts for it,
wherever the rule is kept. What a program puts around a text does not count: it names
the absolute path, and a budget must mean the same on every machine.
"""

from __future__ import annotations

from promptls.core.formats import codeowners
from promptls.core.paths import is_absolute, is_below, is_in_hidden, join, relative
from promptls.core.render import Line
from promptls.core.sizes import sizes
from promptls.core.text import decode
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt
    from promptls.core.prompt_json import Json
    from promptls.core.settings import Budget
    from promptls.core.sizes import Kind, Size

# What counts, by what a budget is of, and how it is called.
KINDS: Mapping[str, tuple[Kind, ...]] = {
    "own": ("file", "url", "skills", "commands", "agents", "servers", "hooks"),
    "files": ("file", "url"),
    "lists": ("skills", "commands", "agents"),
    "servers": ("servers",),
}
WHAT = {"own": "", "files": "files", "lists": "lists", "servers": "servers"}


@dataclass(frozen=True, slots=True)
class Spent:
    """What is used of a budget: the tokens of the session that gets most, and what they are made of, largest first.

    ``prompt``: of that session; None where no program of the budget is in use. ``owners``: the budget's, or else those
    of CODEOWNERS.
    """

    budget: Budget
    tokens: int
    is_at_least: bool = False
    prompt: Prompt | None = None
    parts: tuple[Size, ...] = ()
    owners: tuple[str, ...] = ()
    is_missing: bool = False

    @property
    def is_over(self) -> bool:
        """Whether it is more than the budget."""
        return self.tokens > self.budget.most


def spent(
    budgets: Sequence[Budget], prompts: Iterable[Prompt], host: Host, top: str, scopes: Mapping[str, Sequence[str]]
) -> list[Spent]:
    """What is used of each budget in the sessions of ``prompts``; ``top``: the repository, for CODEOWNERS.

    ``scopes``: the directories that rules are for, by the path of the rule.
    """
    if not budgets:
        return []
    most: list[Spent] = [Spent(each, 0) for each in budgets]
    for prompt in prompts:
        # Nobody starts a program in a folder of some program's, such as .agents.
        if is_in_hidden(prompt.session.cwd, top):
            continue
        rows, named_by = sizes(prompt, is_by_file=True, with_frames=False), _named_by(prompt)
        for at, budget in enumerate(budgets):
            if budget.harness in (None, prompt.session.harness):
                found = _of(budget, prompt, rows, named_by, host, scopes)
                # Of the same number, that to which something unknown is added is more.
                is_more = (found.tokens, found.is_at_least) > (most[at].tokens, most[at].is_at_least)
                most[at] = found if most[at].prompt is None or is_more else most[at]
    return [_owned(each, host, top) for each in most]


def _of(  # noqa: PLR0917 - a budget, a prompt, and what is known of both
    budget: Budget,
    prompt: Prompt,
    rows: Iterable[Size],
    named_by: Mapping[str, str],
    host: Host,
    scopes: Mapping[str, Sequence[str]],
) -> Spent:
    directory = budget.directory

    def counts(path: str) -> bool:
        scope = scopes.get(path)
        return _is_in(directory, path, host) or (bool(scope) and all(is_below(each, directory) for each in scope or ()))

    kinds = KINDS[budget.of]
    parts = [each for each in rows if each.kind in kinds and counts(named_by.get(each.name, each.name))]
    total = sum(each.tokens for each in parts)
    return Spent(budget, total, any(each.is_at_least for each in parts), prompt, tuple(parts))


def _is_in(directory: str, path: str, host: Host) -> bool:
    # What has no file is named by a word.
    return is_absolute(path, directory) and (is_below(path, directory) or is_below(host.realpath(path), directory))


def _named_by(prompt: Prompt) -> dict[str, str]:
    """Each URL with the file that names it."""
    return {
        each.url: each.origin.path
        for each in prompt.candidates
        if each.url is not None and each.origin.path is not None
    }


def _owned(found: Spent, host: Host, top: str) -> Spent:
    owners = found.budget.owners or owners_of(found.budget.directory, host, top)
    return replace(found, owners=owners, is_missing=host.kind(found.budget.directory) != "directory")


def owners_of(directory: str, host: Host, top: str) -> tuple[str, ...]:
    """Who owns an AGENTS.md in ``directory``, by the CODEOWNERS of the repository at ``top``."""
    place = next((path for path in (join(top, each) for each in codeowners.PLACES) if host.kind(path) == "file"), None)
    if place is None or not is_below(directory, top):
        return ()
    contents = host.read(place)
    # Of a longer one the last line is not known.
    if contents.state != "file" or contents.size > min(codeowners.MOST, len(contents.data)):
        return ()
    return codeowners.owners(decode(contents.data, keep_bom=False), relative(join(directory, "AGENTS.md"), top))


def says(found: Spent, root: str, before: Spent | None = None) -> str:
    """``packages/api: 1,840 of 2,000, +120``: what is used, and by how much more than ``before``."""
    budget = found.budget
    name = name_of(budget, root)
    if found.prompt is None:
        return f"{name}: ? of {budget.most:,}, as no such program is in use"
    parts = [f"{name}: {'at least ' if found.is_at_least else ''}{found.tokens:,} of {budget.most:,}"]
    if before is not None:
        parts[0] += f" (was {before.budget.most:,})" if before.budget.most != budget.most else ""
        by = found.tokens - before.tokens
        parts.append(f"{by:+,}" if by else "±0")
    if found.is_over:
        parts.append(f"{found.tokens - budget.most:,} over")
    if found.is_missing:
        parts.append("there is no such directory")
    return ", ".join((*parts, *found.owners))


def budget_lines(every: Sequence[Spent], root: str) -> Iterator[Line]:
    """A line for each budget, and an empty one."""
    for each in every:
        yield Line(says(each, root), "problem" if each.is_over else "note")
    if every:
        yield Line("")


def key(budget: Budget) -> tuple[str, str, str | None]:
    """What makes it the same budget before and after a change."""
    return budget.directory, budget.of, budget.harness


def name_of(budget: Budget, root: str) -> str:
    """``packages/api (files)``, or with the name of a harness; the root has no name of its own."""
    path = relative(budget.directory, root)
    path = "whole folder" if path == "." else path
    limits = ", ".join(filter(None, (WHAT[budget.of], budget.harness)))
    return f"{path} ({limits})" if limits else path


def spent_json(found: Spent, root: str) -> Json:
    """A budget and what is used of it; ``path`` is relative to ``root``."""
    session = found.prompt.session if found.prompt is not None else None
    return {
        "path": relative(found.budget.directory, root),
        "of": found.budget.of,
        "harness": found.budget.harness,
        "budget": found.budget.most,
        # No program of the budget is in use: that is not 0.
        "tokens": found.tokens if session is not None else None,
        "at_least": found.is_at_least,
        "over": found.is_over,
        # The budget limits nothing then.
        "missing": found.is_missing,
        "owners": list(found.owners),
        "by": session and {"harness": session.harness, "version": session.version, "cwd": session.cwd},
    }
