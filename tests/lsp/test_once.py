"""Problems of a document come from its previews and from a check of the folder: each is shown once."""

from __future__ import annotations

from promptls.core.model import Edit, Fix, Problem, Range
from promptls.lsp.features.diagnostics import once


def shadowed(harness: str, message: str = "x", *fixes: Fix) -> Problem:
    return Problem("/w/AGENTS.md", Range(), "shadowed", "warning", message, (harness,), fixes=fixes)


def test_two_harnesses_say_two_things_of_one_place() -> None:
    found = once([shadowed("codex", "The override wins."), shadowed("claude-code", "CLAUDE.md is there.")])
    assert [each.message for each in found] == ["The override wins.", "CLAUDE.md is there."]


def test_the_first_of_a_harness_counts_and_takes_the_fixes_of_another() -> None:
    fix = Fix("Write it", (Edit("/w/CLAUDE.md"),))
    found = once([shadowed("codex", "now"), shadowed("codex", "before", fix)])
    assert [(each.message, each.fixes) for each in found] == [("now", (fix,))]
