"""Checks: each turns what a preview saw, candidates and origins, into problems.

A problem can so always be shown in the prompt that it speaks of, and never disagrees with it.
"""

from __future__ import annotations

from promptls.checks import agents, config, imports, instructions, limits, loading, security, urls
from promptls.core.settings import DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
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


def problems(prompt: Prompt, settings: Settings = DEFAULT) -> list[Problem]:
    """Every problem that the prompt's candidates show, each once, by file and place."""
    found = dict.fromkeys(problem for family in FAMILIES for problem in family(prompt, settings))
    return sorted(found, key=lambda problem: (problem.path, problem.range.start_line, problem.range.start_character))
