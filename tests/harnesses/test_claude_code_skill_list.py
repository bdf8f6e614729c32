"""Which lines of Claude Code's list of skills keep their words (cases skills-budget-*)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import COMPUTED, Segment, Session, Turn
from promptls.harnesses.claude_code.listing import skill_list
from promptls.harnesses.claude_code.listing.skill_list import Entry, within_budget
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
WORDS = (Segment("tools", "words", "words", COMPUTED, "why"),)
# The names alone have three columns each, and between two lines there is one.
A, B = Entry("a", "a", WORDS, 10), Entry("b", "b", WORDS, 5)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (16, [A, B]),
        (15, [A, B.alone()]),
        (14, [A, B.alone()]),
        (13, [A.alone(), B]),
        (9, [A.alone(), B]),
        (8, [A.alone(), B.alone()]),
    ],
)
def test_words_that_just_fit(monkeypatch: pytest.MonkeyPatch, budget: int, expected: list[Entry]) -> None:
    monkeypatch.setattr(skill_list, "list_budget", lambda _: budget)
    monkeypatch.setattr(skill_list, "_usage", lambda *_: {})
    setup: Any = None
    assert within_budget(setup, [A, B]) == expected


def test_what_is_used_most_keeps_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skill_list, "list_budget", lambda _: 15)
    monkeypatch.setattr(skill_list, "_usage", lambda *_: {"b": 2.0, "a": 1.0})
    setup: Any = None
    assert within_budget(setup, [A, B]) == [A.alone(), B]


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "used", "expected"),
    [
        ("say ok", {}, "aa bb"),
        ("/cc x", {}, "aa cc"),
        ("/dd x", {}, "aa dd"),
        ("/cc x", {"bb": (50, 1)}, "bb cc"),
        # What was used long ago counts less: half after a week, and a tenth at least.
        ("/cc x", {"aa": (2, 40), "bb": (1, 1)}, "bb cc"),
        ("say ok", {"bb": (50, 10), "aa": (1, 1), "cc": (1, 2)}, "aa bb"),
        ("say ok", {"aa": (100, 7), "bb": (48, 0), "cc": (99, 0)}, "aa cc"),
        ("say ok", {"aa": (100, 7), "bb": (52, 0), "cc": (99, 0)}, "bb cc"),
        ("say ok", {"aa": (100, 365), "bb": (9, 0), "cc": (99, 0)}, "aa cc"),
        ("say ok", {"aa": (100, 365), "bb": (11, 0), "cc": (99, 0)}, "bb cc"),
        # A use counts in full, however soon after the last.
        ("/dd x", {"aa": (99, 0), "cc": (2, 2.9), "dd": (1, 0)}, "aa dd"),
        # Numbers that nobody wrote.
        ("say ok", {"bb": (1, -1e12), "cc": (1, 1e300)}, "bb cc"),
    ],
)
def test_what_is_typed_and_what_was_used_lately_keep_their_words(
    typed: str, used: dict[str, tuple[float, float]], expected: str, tmp_path: Path
) -> None:
    head = "---\ndescription: {}\n---\nBody.\n"
    kept = {
        name: {"usageCount": count, "lastUsedAt": (NOW.timestamp() - days * 86_400) * 1000}
        for name, (count, days) in used.items()
    }
    files: dict[str, str | bytes | dict[str, object]] = {
        f"project/.claude/skills/{name}/SKILL.md": head.format(f"{name} words " * 80) for name in ("aa", "bb", "cc")
    }
    files["project/.claude/commands/dd.md"] = head.format("dd words " * 80)
    files["project/.claude/settings.json"] = json.dumps({"skillListingBudgetFraction": 0.0027})
    files["home/.claude.json"] = json.dumps({"skillUsage": kept})
    lay_out(tmp_path, files)
    host = Host(home=str(tmp_path / "home"), env={}, sysroot=str(tmp_path), clock=lambda: NOW)
    session = Session("claude-code", str(tmp_path / "project"), "2.1.332", turns=(Turn(typed),))
    text = "".join(each.text for each in harnesses.preview(session, host).messages)
    assert " ".join(each for each in ("aa", "bb", "cc", "dd") if f"- {each}: {each} words" in text) == expected
