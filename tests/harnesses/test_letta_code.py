"""Letta Code: what its tools bring, and which skills are listed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from promptls.core.model import Call, Turn
from tests.harnesses.shown import Files, outcome, preview

SKILL = "---\nname: {}\ndescription: |\n  {}\n  more\n---\nbody\n"


def calling(tool: str, **given: str) -> tuple[Turn, ...]:
    return (Turn("x", steps=((Call(tool=tool, input=json.dumps(given)),),)),)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (" rules \n", "\n--- BEGIN AGENTS.md ---\nrules\n--- END AGENTS.md ---"),
        (" \n", ""),
        (None, ""),
    ],
)
def test_a_new_worktree_shows_the_file_of_its_root(tmp_path: Path, text: str | None, ends: str) -> None:
    files: Files = {"sub/AGENTS.md": "sub", "CLAUDE.md": "other"}
    files |= {"AGENTS.md": text} if text is not None else {}
    prompt = preview(tmp_path, "letta-code", files, cwd="sub", turns=calling("EnterWorktree", name="wt1"))
    (said,) = [each.text for each in prompt.messages if each.role == "tool"]
    assert said.endswith(f"Path: {tmp_path}/folder/.letta/worktrees/wt1\n{ends}" if ends else "⟫")
    assert outcome(prompt, "sub/AGENTS.md") == "excluded"


def test_a_long_file_is_cut_in_a_new_worktree(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "letta-code", {"AGENTS.md": "y" * 40_000}, turns=calling("EnterWorktree"))
    (said,) = [each.text for each in prompt.messages if each.role == "tool"]
    assert said.count("y" * 15_000) == 1


def test_a_skill_that_is_called(tmp_path: Path) -> None:
    files: Files = {".agents/skills/a/SKILL.md": SKILL.format("s", "d")}
    prompt = preview(tmp_path, "letta-code", files, turns=calling("Skill", skill="s"))
    last = prompt.messages[-1]
    assert last.role == "user"
    assert last.text.endswith(f"\n{SKILL.format('s', 'd')}\n\nSkill directory: {tmp_path}/folder/.agents/skills/a\n")
    assert len(preview(tmp_path / "2", "letta-code", files, turns=calling("Skill", skill="a")).messages) == 7


@pytest.mark.parametrize(
    ("args", "listed"),
    [
        ((), "acs"),
        (("--skill-sources", "project"), "as"),
        (("--skill-sources", "global,bundled"), "c"),
        (("--skills", "team"), "acst"),
        (("--no-skills",), ""),
    ],
)
def test_which_skills_are_listed(tmp_path: Path, args: tuple[str, ...], listed: str) -> None:
    files: Files = {".agents/skills/x/y/skill.md": SKILL.format("a", "of a"), "team/t/SKILL.md": SKILL.format("t", "t")}
    files |= {".skills/a/SKILL.md": SKILL.format("a", "no"), ".skills/s/SKILL.md": SKILL.format("s", "s")}
    files |= {"~/.letta/skills/c/SKILL.md": "first\nsecond", ".letta/skills/n/SKILL.md": SKILL.format("n", "n")}
    files |= {".agents/skills/h/SKILL.md": "---\nname: h\ndisable-model-invocation: true\n---\nx"}
    system = preview(tmp_path, "letta-code", files, args=args).messages[0].text
    assert [each for each in "achnst" if f"- `{each}`: " in system] == list(listed)
    assert ("of a\n" in system) is ("a" in listed)
    assert "more" not in system
    assert "second" not in system


def test_the_list_of_skills(tmp_path: Path) -> None:
    """Its own stand among the others; a description that is no block ends with its line."""
    said = {"a": "'one'", "Mine": "two\n  more", "letta-guide": "three # four", "x": ">\n  five\n  six"}
    skill = "---\nname: {}\ndescription: {}\n---\nbody\n"
    files: Files = {f".agents/skills/{each}/SKILL.md": skill.format(each, text) for each, text in said.items()}
    text = preview(tmp_path, "letta-code", files).messages[0].text
    rows = re.findall(r"\n- `(.+)|skills that (it) brings", text)
    assert ["".join(each) for each in rows] == [
        "a`: one",
        "it",
        "letta-guide`: three # four",
        "it",
        "Mine`: two",
        "it",
        "x`: five six",
    ]
