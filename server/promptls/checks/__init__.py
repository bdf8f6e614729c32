"""Checks: each turns what a preview saw, candidates and origins, into problems.

Every problem can therefore be traced to the prompt it concerns and never contradicts it. What one prompt
cannot show, such as a file that no session loads, is said of a whole folder.
"""

from __future__ import annotations

from promptls.core.lazy import module
from promptls.core.paths import is_below, is_in_hidden, parent
from promptls.core.settings import DEFAULT
from promptls.core.totals import server_tools
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Prompt, Session
    from promptls.core.settings import Settings

# The modules that check one prompt, in the order of their problems.
FAMILIES = (
    *("config", "instructions", "loading", "limits", "imports", "urls", "agents", "listings", "security"),
    *("plain_headers", "servers"),
)
# What comes of a skill or command that is not listed.
UNLISTED = ("failed", "empty", "shadowed", "cut", "dropped")


def prompt_problems(prompt: Prompt, settings: Settings = DEFAULT) -> list[Problem]:
    """Every problem that the prompt's candidates show, each once, by file and place."""
    families = concerned(prompt, settings)
    return _ordered(dict.fromkeys(problem for name in families for problem in check_of(name)(prompt, settings)))


def concerned(prompt: Prompt, settings: Settings) -> list[str]:
    """The families that may find something in ``prompt``: most prompts need few, and only those are imported."""
    candidates = prompt.candidates
    kinds = {each.origin.kind for each in candidates}
    outcomes = {each.outcome for each in candidates}
    states = {each.state for each in candidates} - {None, "missing"}
    has_budget = settings.token_budget is not None or settings.window_budget is not None
    segments = [segment for message in prompt.messages for segment in message.segments]
    is_cut = any(segment.cut is not None for segment in segments)
    may_find = {
        "config": prompt.stopped is not None or any(each.faults for each in candidates),
        "instructions": "config" in kinds or bool(states),
        "limits": has_budget or is_cut or "dropped" in outcomes,
        "imports": "file" in kinds,
        "urls": any(each.fetched is not None for each in candidates),
        "agents": "argument" in kinds,
        "plain_headers": any(each.text.startswith("---") and not each.frame for each in segments),
        "servers": any(each.size is not None for each in server_tools(prompt)),
        "listings": not outcomes.isdisjoint(UNLISTED),
    }
    return [name for name in FAMILIES if may_find.get(name, True)]


def check_of(family: str) -> Callable[[Prompt, Settings], Iterable[Problem]]:
    """What checks a prompt for the problems of a family."""
    found: Callable[[Prompt, Settings], Iterable[Problem]] = module(f"{__name__}.{family}").check
    return found


def tree_problems(tree: Tree, settings: Settings = DEFAULT) -> list[Problem]:
    """The problems that only a look at the whole folder shows; those of its prompts not."""
    # Late: a preview needs none of them.
    from promptls.checks import (  # noqa: PLC0415 - see above
        budgets,
        compactions,
        elsewhere,
        environments,
        headers,
        keys,
        mentions,
        misplaced,
        places,
        specification,
        texts,
        unscoped,
    )
    from promptls.checks.rules import rule_of  # noqa: PLC0415 - the same

    families = (
        places.check_tree,
        headers.check_tree,
        unscoped.check_tree,
        keys.check_tree,
        misplaced.check_tree,
        mentions.check_tree,
        environments.check_tree,
        texts.check_tree,
        compactions.check_tree,
        budgets.check_tree,
        specification.check_tree,
        elsewhere.check_tree,
    )
    found = [problem for family in families for problem in family(tree, settings)]
    # A file that nobody loads because its front matter is broken is one problem.
    broken = {(problem.path, problem.code) for problem in found}
    return [each for each in found if not any((each.path, code) in broken for code in rule_of(each.code).yields_to)]


def merged_problems(tree: Tree, settings: Settings = DEFAULT) -> list[Problem]:
    """All problems of a folder: of its prompts and of the whole, each place once, by file and place."""
    from promptls.checks.advice import Advice  # noqa: PLC0415 - not needed for a preview
    from promptls.checks.merge import GRAVITY, merge  # noqa: PLC0415 - the same
    from promptls.checks.retractions import Retractions  # noqa: PLC0415 - the same

    of_tree = tree_problems(tree, settings)
    # Nobody starts a harness in a folder of some program's, such as .claude.
    started = [prompt for prompt in tree.prompts if not is_in_hidden(prompt.session.cwd, tree.root)]
    found_in = [(prompt, prompt_problems(prompt, settings)) for prompt in started]
    retractions = Retractions(tree, of_tree, [each for _, found in found_in for each in found])
    advice = Advice(tree)

    def settled(found: Iterable[Problem]) -> list[Problem]:
        return [retractions.at_the_file(replace(each, message=advice.on(each))) for each in found]

    left = [
        (prompt.session, settled(each for each in found if not retractions.hold(each, prompt)))
        for prompt, found in found_in
    ]
    of_prompts = _with_starts(left, tree.root)
    of_tree = settled(of_tree)
    # A look at the whole may find it graver, and has then more to say of the same harness than its prompts.
    graver = {(each.path, each.range, each.code, name): each for each in of_tree for name in each.harnesses}
    gravity = {(each.path, each.range, each.code): each.severity for each in of_tree}
    seen: set[object] = set()
    for name, found in of_prompts:
        for at, each in enumerate(found):
            key = (each.path, each.range, each.code)
            seen.add((*key, name))
            if key in gravity and GRAVITY.index(gravity[key]) < GRAVITY.index(each.severity):
                own = replace(graver.get((*key, name), each), harnesses=each.harnesses)
                found[at] = replace(own, severity=gravity[key])
    rest = [
        each for each in of_tree if not any((each.path, each.range, each.code, name) in seen for name in each.harnesses)
    ]
    return _ordered(merge([*of_prompts, ("", rest)]))


def _with_starts(found_in: Sequence[tuple[Session, list[Problem]]], root: str) -> list[tuple[str, list[Problem]]]:
    """The problems by harness: those that no start at the top of the folder has say which start has them."""
    from promptls.checks.rules import rule_of  # noqa: PLC0415 - not needed for a preview

    def key(harness: str, each: Problem) -> object:
        return harness, each.path, each.range, each.code

    # Of several starts, the one that is furthest up.
    starts: dict[object, str] = {}
    for session, found in found_in:
        for each in found:
            before = starts.setdefault(key(session.harness, each), session.cwd)
            if session.cwd.count("/") < before.count("/") or session.cwd == root:
                starts[key(session.harness, each)] = session.cwd

    def with_start(session: Session, each: Problem) -> Problem:
        start = starts[key(session.harness, each)]
        # What is wrong in a text is so for a start beside it already, though no session was needed to show that.
        if rule_of(each.code).of_text and is_below(start, parent(each.path)) and is_below(parent(each.path), root):
            start = parent(each.path)
        is_said = start == root or f"tarted in {session.cwd}" in each.message
        return each if is_said else replace(each, start=start)

    return [(session.harness, [with_start(session, each) for each in found]) for session, found in found_in]


def _ordered(found: Iterable[Problem]) -> list[Problem]:
    return sorted(found, key=lambda problem: (problem.path, problem.range.start_line, problem.range.start_character))
