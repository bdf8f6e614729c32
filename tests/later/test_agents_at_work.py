"""What a compaction of Claude Code leaves of agents that work in the background (seen by verify of 2.1.330)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.harnesses.claude_code.files.at_start import slug
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
FORKED = "---\nname: fork\ndescription: forks\ncontext: fork\n---\nDo it.\n"
NOTE = "note on an agent that is still at work"
SKILL = "---\nname: own\ndescription: own\n---\nOwn text.\n"


def agent(*steps: tuple[Call, ...], kind: str = "Explore", **given: object) -> tuple[Call, ...]:
    given = {"description": "first one", "prompt": "look", "subagent_type": kind, **given}
    return (Call(tool="Agent", input=json.dumps(given), steps=steps),)


def skill(name: str) -> tuple[Call, ...]:
    return (Call(tool="Skill", input=json.dumps({"skill": name}), steps=()),)


def prompt(tmp_path: Path, *steps: tuple[Call, ...], on_screen: bool = True, resumes: bool = False) -> Prompt:
    skills = {f".claude/skills/{name}/SKILL.md": text for name, text in (("fork", FORKED), ("own", SKILL))}
    root = lay_out(tmp_path / "w", {"a.py": "1\n", **skills})
    ran = (Call(tool="Bash", input='{"command": "true"}'),)
    turns = (Turn("one", steps=(*steps, ran)), Turn(compact="", resumes=resumes), Turn("two", resumes=resumes))
    session = Session("claude-code", str(root), turns=turns, interactive=on_screen, is_trusted=True)
    return harnesses.preview(session, Host(home=str(tmp_path), env={}))


def notes(found: Prompt) -> list[int | None]:
    every = (segment for message in found.messages for segment in message.segments)
    return [each.elided.size for each in every if each.elided is not None and each.title == NOTE]


def test_each_has_a_note_as_long_as_its_description(tmp_path: Path) -> None:
    first, second = notes(prompt(tmp_path, agent(), agent(description="second")))
    assert first is not None
    assert second == first - 3
    (forked,) = notes(prompt(tmp_path / "b", skill("fork")))
    assert forked == first - len("first one") + len("/fork") + len("/b")


@pytest.mark.parametrize(
    ("descriptions", "size"), [(["task"], 1202), (["task", "task"], 1215), (["task", "second one", "x"], 1283)]
)
def test_a_process_that_takes_the_session_up_says_which_have_not_ended(
    tmp_path: Path, descriptions: list[str], size: int
) -> None:
    """Before what is typed; of one, the directory of its file is named."""
    root = lay_out(tmp_path, {"a.py": "1\n"})
    step = tuple(call for each in descriptions for call in agent(description=each))
    turns = (Turn("one", steps=(step,)), Turn("two", resumes=True))
    session = Session("claude-code", str(root), turns=turns, interactive=True, is_trusted=True)
    found = harnesses.preview(session, Host(home="/h", env={}))
    *_, notice, typed = (each for message in found.messages for each in message.segments if each.layer == "runtime")
    assert (notice.title, typed.text) == ("notice of agents that have not ended", "two")
    place = len("/tmp/" + slug(str(root))) if len(descriptions) == 1 else 0  # noqa: S108 - the text says so
    assert notice.elided is not None
    assert notice.elided.size == size + place


def test_that_its_end_is_not_shown_is_said_once(tmp_path: Path) -> None:
    def says(found: Prompt) -> int:
        return sum("When it ends, Claude Code goes on by itself" in note for note in found.notes)

    assert says(prompt(tmp_path, agent(), agent(description="second"))) == 1
    assert says(prompt(tmp_path / "b", skill("fork"))) == 1
    assert says(prompt(tmp_path / "c", agent(), on_screen=False)) == 1
    assert not says(prompt(tmp_path / "d", agent(run_in_background=False), on_screen=False))


def test_it_stands_before_the_skills_that_were_used(tmp_path: Path) -> None:
    found = prompt(tmp_path, skill("own"), agent(), skill("simplify"))
    sections = found.messages[-1]
    assert sections.segments[0].title == NOTE
    assert "### Skill: simplify\nPath: bundled:simplify\n\n" in sections.text
    assert sections.text.index("bundled:simplify") < sections.text.index("Path: projectSettings:own")


@pytest.mark.parametrize(
    ("steps", "on_screen", "resumes"),
    [(agent(kind="nobody"), True, False), (agent(), True, True), (agent(run_in_background=False), False, False)],
)
def test_one_that_was_not_started_or_that_another_process_knows_has_none(
    steps: tuple[Call, ...], on_screen: bool, resumes: bool, tmp_path: Path
) -> None:
    assert notes(prompt(tmp_path, steps, on_screen=on_screen, resumes=resumes)) == []


def test_the_tools_that_an_agent_has_used_are_named(tmp_path: Path) -> None:
    found = prompt(tmp_path, agent((Call(read=str(tmp_path / "w/a.py")),)))
    assert any("<tools-used-before-summary>Agent, Bash, Read<" in message.text for message in found.messages)


@pytest.mark.parametrize("in_background", [True, False])
def test_one_in_the_background_has_no_tool_that_needs_its_makers_servers(in_background: bool, tmp_path: Path) -> None:
    root = lay_out(tmp_path / "w", {"a.py": "1\n"})
    turns = (Turn("one", steps=(agent(run_in_background=in_background),)),)
    session = Session("claude-code", str(root), turns=turns, interactive=False, is_trusted=True)
    found = harnesses.preview(session, Host(home=str(tmp_path), env={}))
    (tool,) = (each for each in found.tools or () if each.name == "DesignSync")
    assert tool.enabled is not in_background
