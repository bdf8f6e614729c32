"""What is reported for a folder or prompt: merged, without what comments suppress, as severe as the settings say."""

from __future__ import annotations

from promptls import checks
from promptls.checks.rules import find_rule, problem
from promptls.checks.suppressions import unsuppressed
from promptls.core.settings import DEFAULT
from promptls.core.values import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from promptls.checks.tree import Tree
    from promptls.core.host import Host
    from promptls.core.model import Fault, Problem
    from promptls.core.settings import Settings


def reported_problems(
    tree: Tree, settings: Settings = DEFAULT, settings_file: tuple[str, tuple[Fault, ...]] = ("", ())
) -> list[Problem]:
    """Every problem of the tree, each once, by file and place; ``settings_file``: its path and what is wrong in it."""
    from promptls.checks.fixes import with_fixes  # noqa: PLC0415 - not for the problems of one prompt

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
    return by_place(with_fixes(left, tree.host, tree.files))


def apply_settings(found: Iterable[Problem], settings: Settings, host: Host, root: str) -> list[Problem]:
    """The problems of one prompt, started in ``root``, as the settings and the comments in its files want them."""
    found = list(found)
    if any(each.code == "shadowed" for each in found):
        from promptls.checks.hidden import is_no_loss  # noqa: PLC0415 - only where a file is passed over

        found = [each for each in found if not is_no_loss(each, host, root)]
    return leveled(unsuppressed(found, host), settings)


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
