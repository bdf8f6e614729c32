"""What is reported for a folder or prompt: merged, without what comments suppress, as severe as the settings say."""

from __future__ import annotations

from promptls import checks
from promptls.checks.rules import find_rule, problem, rule_of
from promptls.checks.suppressions import unsuppressed
from promptls.core.settings import DEFAULT
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from promptls.checks.tree import Tree
    from promptls.core.host import Host
    from promptls.core.model import Fault, Problem, Prompt
    from promptls.core.settings import Settings

    # A prompt, and the problems that it shows by itself.
    Found = tuple[Prompt, Sequence[Problem]]


# The reasons to retract a problem for which no other session counts.
ALONE = frozenset(("one-file", "no-file"))


def reported_problems(
    tree: Tree, settings: Settings = DEFAULT, settings_file: tuple[str, tuple[Fault, ...]] = ("", ())
) -> list[Problem]:
    """Every problem of the tree, each once, by file and place; ``settings_file``: its path and what is wrong in it."""
    path, faults = settings_file
    found = [
        *checks.merged_problems(tree, settings),
        *(problem(fault.code, path, fault.range, fault.message) for fault in faults),
    ]
    levels = dict(settings.rules)

    def is_off(code: str) -> bool:
        # Those that are off by default fire where a setting asks for them.
        rule = find_rule(code)
        by_default = rule.severity if rule else ""
        return "off" in (levels.get(code), by_default) or (code.startswith("url-") and not settings.urls_enabled)

    left = leveled(unsuppressed(found, tree.host, _texts(tree), is_off), settings)
    if not left:
        return []
    from promptls.checks.fixes import with_fixes  # noqa: PLC0415 - only where there is something to fix

    return by_place(with_fixes(left, tree.host, tree.files))


def session_problems(
    own: Found, settings: Settings, host: Host, folder: tuple[str, str], beside: Callable[[], Iterable[Found]]
) -> list[Problem]:
    """The problems of one prompt that a check of its folder has, too, as severe as the settings say.

    ``folder``: the one that it is of, and the repository that this is in; ``beside``: those of other sessions, which
    are asked for only where they may disprove a problem.
    """
    prompt, found = own
    if not found:
        return []
    from promptls.checks.retractions import Retractions  # noqa: PLC0415 - most prompts have no problem
    from promptls.checks.tree import Tree  # noqa: PLC0415 - the same

    needs_others = any(not ALONE.issuperset(rule_of(each.code).retracted_if) for each in found)
    looked_at = (own, *beside()) if needs_others else (own,)
    every = [problem for _, problems in looked_at for problem in problems]
    tree = Tree(folder[0], (), tuple(each for each, _ in looked_at), host, folder[1])
    misspelt = _misspelt(tree, prompt.session.harness)
    retractions = Retractions(tree, misspelt, every)
    # That a program stops is no problem of the folder; of its prompt it is the first.
    left = [each for each in found if each.path == prompt.session.cwd or not retractions.hold(each, prompt)]
    found = list(dict.fromkeys(map(retractions.at_the_file, (*left, *misspelt))))
    return leveled(unsuppressed(found, host), settings)


def _misspelt(tree: Tree, harness: str) -> list[Problem]:
    """The entries and imports that miss a file by its spelling, as a check of the folder reports them."""
    is_missed = any(
        each.outcome == "missing" and each.origin.kind in ("config", "file") and name == harness
        for name, each in tree.candidates()
    )
    if not is_missed:
        return []
    from promptls.checks.places import misspelt  # noqa: PLC0415 - most prompts miss nothing

    return [each for each in misspelt(tree) if harness in each.harnesses]


def leveled(found: Iterable[Problem], settings: Settings) -> list[Problem]:
    """The problems with the severity that the settings give their codes, without those that are off."""
    levels: dict[str, Any] = dict(settings.rules)
    return [
        replace(each, severity=levels[each.code]) if each.code in levels else each
        for each in found
        if levels.get(each.code) != "off"
    ]


def by_place(found: Iterable[Problem]) -> list[Problem]:
    """The problems by file, then place, then code."""
    return sorted(found, key=lambda each: (each.path, each.range.start_line, each.range.start_character, each.code))


def _texts(tree: Tree) -> list[str]:
    """The files of the tree that a prompt carries."""
    top = tree.root.rstrip("/") + "/"
    return list(
        dict.fromkeys(
            candidate.path
            for prompt in tree.prompts
            for candidate in prompt.candidates
            if candidate.path is not None and candidate.outcome in ("loaded", "cut") and candidate.path.startswith(top)
        )
    )
