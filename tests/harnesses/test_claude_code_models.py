"""A new process of Claude Code that takes a session up with another model (each of these seen by verify)."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Prompt, Segment, Turn
from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere
OPUS, HAIKU, SONNET = "claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-5"
TASKS = {"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}
SYSTEM = ("billing line", "identity line", "own prompt")


def _shown(top: Path, first: str, *later: str | None, compacts: bool = False) -> Prompt:
    """A session that a process began, and others took up, each with its model or without one."""
    turns = [Turn("one"), *([Turn(compact="")] if compacts else [])]
    for number, model in enumerate(later, 2):
        turns.append(Turn(f"prompt {number}", resumes=True, args=("--model", model) if model else ()))
    return preview(top, "claude-code", {"CLAUDE.md": "MARK\n"}, args=("--model", first), turns=tuple(turns))


def _segments(prompt: Prompt) -> list[Segment]:
    return [segment for message in prompt.messages for segment in message.segments]


def _told(prompt: Prompt) -> list[str]:
    """The models of which it is told, in order."""
    says = [each.text for each in _segments(prompt) if each.title == "model"]
    return [text.partition(" named ")[2].partition(". The exact")[0] for text in says]


def _size(prompt: Prompt) -> int | None:
    return next(each.elided.size for each in _segments(prompt) if each.title == "own prompt" and each.elided)


def _named(prompt: Prompt) -> set[str]:
    return TASKS & {tool.name for tool in prompt.tools or () if tool.enabled and tool.size == 0}


def _end(prompt: Prompt, roles: int = 2) -> list[list[str]]:
    """The titles of the last messages, without frames."""
    return [[each.title for each in one.segments if not each.frame] for one in prompt.messages[-roles:]]


# Of another length, it would have another path of its memory.
BEGUN = "abc"


@pytest.mark.parametrize(("first", "then"), [(OPUS, HAIKU), (OPUS, SONNET), (SONNET, OPUS), (HAIKU, SONNET)])
def test_its_own_prompt_and_tools_stay_those_of_the_first(first: str, then: str, tmp_path: Path) -> None:
    alone, other, prompt = (
        _shown(tmp_path / name, *models) for name, models in zip(BEGUN, ((first,), (then,), (first, then)), strict=True)
    )
    assert prompt.model == then
    assert _size(prompt) == _size(alone) != _size(other)
    sizes = [sum(tool.size or 0 for tool in each.tools or () if tool.enabled) for each in (prompt, alone)]
    assert sizes[0] == sizes[1]


def test_it_is_told_of_its_name_and_how_commits_end(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, OPUS, HAIKU)
    assert _told(prompt) == ["Opus 5.5", "Haiku 5.5"]
    assert _end(prompt, 3) == [
        ["note on attribution", "end of commits", "end of pull requests"],
        ["prompt of the user"],
        ["model", "knowledge of the model", "token counter"],
    ]
    assert "not modelled" not in " ".join(prompt.notes)


def test_each_that_is_another_is_told(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, OPUS, HAIKU, OPUS, OPUS, None)
    assert _told(prompt) == ["Opus 5.5", "Haiku 5.5", "Opus 5.5"]
    counters = [each for each in _segments(prompt) if each.title == "token counter"]
    assert len(counters) == 1, "with the prompt of the one model that has it"


def test_without_one_it_stays(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, HAIKU, None)
    assert prompt.model == HAIKU
    assert _told(prompt) == ["Haiku 5.5"]


def test_tools_that_only_the_new_one_has_are_named(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, OPUS, SONNET)
    assert _named(prompt) == TASKS
    assert [message.role for message in prompt.messages].count("system") == len(SYSTEM), "its reminders are inside"
    assert _end(prompt, 5) == [
        ["model", "knowledge of the model"],
        ["how to find tools"],
        ["token counter"],
        ["note on attribution", "end of commits", "end of pull requests"],
        ["prompt of the user"],
    ]


def test_tools_that_only_the_first_one_had_are_gone(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, SONNET, OPUS)
    last = prompt.messages[-1]
    assert last.role == "system"
    assert _end(prompt, 1) == [
        ["model", "knowledge of the model", "note on tools that are gone", "end of the note"],
    ]
    assert "\nTaskCreate\nTaskGet\nTaskList\nTaskUpdate\n\n" in last.text


def test_after_a_compaction_all_but_one_line_is_of_the_new_one(tmp_path: Path) -> None:
    prompt = _shown(tmp_path / "a", OPUS, HAIKU, compacts=True)
    assert _size(prompt) == _size(_shown(tmp_path / "b", HAIKU))
    assert _told(prompt) == ["Opus 5.5", "Haiku 5.5"], "the process that compacts has said the first"
    assert [each.title for each in _segments(prompt)].count("note on attribution") == 1
