"""Checks: each turns what a preview saw, candidates and origins, into problems.

A problem can so always be shown in the prompt that it speaks of, and never disagrees with it. What one prompt
cannot show, such as a file that no session loads, is said of a whole folder.
"""

from __future__ import annotations

from promptls.checks import agents, config, imports, instructions, limits, loading, security, urls
from promptls.checks.merge import merge
from promptls.core.settings import DEFAULT
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.checks.tree import Tree
    from promptls.core.model import Problem, Prompt
    from promptls.core.settings import Settings

FAMILIES = (
    config.check,
    instructions.check,
    loading.check,
    limits.check,
    imports.check,
    urls.check,
    agents.check,
    security.check,
)
GRAVITY = ("error", "warning", "information", "hint")


def problems(prompt: Prompt, settings: Settings = DEFAULT) -> list[Problem]:
    """Every problem that the prompt's candidates show, each once, by file and place."""
    return _ordered(dict.fromkeys(problem for family in FAMILIES for problem in family(prompt, settings)))


def tree_problems(tree: Tree, settings: Settings = DEFAULT) -> list[Problem]:
    """The problems that only a look at the whole folder shows, by file and place; those of its prompts not."""
    # Late: a preview needs none of them.
    from promptls.checks import environments, headers, keys, mentions, places, texts  # noqa: PLC0415 - see above

    families = (
        places.check_tree,
        headers.check_tree,
        keys.check_tree,
        mentions.check_tree,
        environments.check_tree,
        texts.check_tree,
    )
    found = [problem for family in families for problem in family(tree, settings)]
    # A file that nobody loads because its front matter is broken is one problem.
    broken = {problem.path for problem in found if problem.code == "front-matter-invalid"}
    return merged(each for each in found if not (each.code == "never-loaded" and each.path in broken))


def every_problem(tree: Tree, settings: Settings = DEFAULT) -> list[Problem]:
    """All problems of a folder: of its prompts and of the whole, each place once, by file and place."""
    from promptls.checks.doubts import Doubts  # noqa: PLC0415 - a preview needs it not

    of_tree = tree_problems(tree, settings)
    found_in = [(prompt, problems(prompt, settings)) for prompt in tree.prompts]
    doubts = Doubts(tree, of_tree, [each for _, found in found_in for each in found])
    of_prompts = [
        (prompt.session.harness, [doubts.at_the_file(each) for each in found if not doubts.takes_back(each, prompt)])
        for prompt, found in found_in
    ]
    of_tree = [doubts.at_the_file(each) for each in of_tree]
    # A look at the whole may find it graver, and has then more to say than the prompts.
    graver = {(each.path, each.range, each.code): each for each in of_tree}
    told: set[object] = set()
    for _, found in of_prompts:
        for at, each in enumerate(found):
            key = (each.path, each.range, each.code)
            told.add(key)
            if key in graver and GRAVITY.index(graver[key].severity) < GRAVITY.index(each.severity):
                found[at] = replace(graver[key], harnesses=each.harnesses)
    rest = [each for each in of_tree if (each.path, each.range, each.code) not in told]
    return _ordered(merge([*of_prompts, ("", merged(rest))]))


def merged(found: Iterable[Problem]) -> list[Problem]:
    """One problem for each code and place: the gravest, with the harnesses of all, by file and place."""
    kept: dict[object, Problem] = {}
    for problem in found:
        key = (problem.path, problem.range, problem.code)
        other = kept.get(key, problem)
        gravest = min(other, problem, key=lambda each: GRAVITY.index(each.severity))
        kept[key] = replace(gravest, harnesses=tuple(dict.fromkeys((*other.harnesses, *problem.harnesses))))
    return _ordered(kept.values())


def _ordered(found: Iterable[Problem]) -> list[Problem]:
    return sorted(found, key=lambda problem: (problem.path, problem.range.start_line, problem.range.start_character))
