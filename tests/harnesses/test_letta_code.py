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


def agent(front: str, body: str = "x") -> str:
    return f"---\n{front}\n---\n{body}\n"


def test_agents_are_in_the_definition_of_the_tool_agent(tmp_path: Path) -> None:
    """By the names of their files, those of the home directory first; one without a text changes another one."""
    files: Files = {
        "~/.letta/agents/z.md": agent("name: both\ndescription: of the home\nmodel: m1"),
        "~/.letta/agents/y.md": agent("name: y\ndescription: y"),
        ".letta/agents/a.md": agent("name: both\ndescription: of the project", ""),
    }
    bare = preview(tmp_path / "bare", "letta-code", {}).tools
    prompt = preview(tmp_path, "letta-code", files)
    (said,) = [each.text for each in prompt.messages if each.role == "tools"]
    first = "\n\n### y\n- **Purpose**: y\n- **Recommended model**: inherit"
    second = "\n\n### both\n- **Purpose**: of the project\n- **Recommended model**: m1"
    assert first + second in said
    sizes = [{each.name: each.size or 0 for each in tools or ()}["Agent"] for tools in (bare, prompt.tools)]
    assert sizes[1] - sizes[0] == len(json.dumps(first + second)) - 2
    changed = preview(tmp_path / "own", "letta-code", {".letta/agents/r.md": agent("name: recall\nmodel: opus", "")})
    (said,) = [each.text for each in changed.messages if each.role == "tools"]
    assert re.search(r"### recall\n- \*\*Purpose\*\*: ⟪[^⟫]+⟫\n- \*\*Recommended model\*\*: opus", said)
    assert changed.tools is None


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("name: a\ndescription: 'd'", "'d'"),
        ("name: a\ndescription: d # c", "d # c"),
        ("name: a\ndescription: one\n  two", "one"),
        ("name: a\ndescription: |\n  one\n  two", "one\ntwo\n"),
        ("name: a\ndescription:\n  - one", None),
        ("name: a\ndescription:", None),
        ("name: A\ndescription: d", None),
        ("name: a_b\ndescription: d", None),
        ("name: 'a'\ndescription: d", None),
        ("description: d", None),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_form_of_an_agent(tmp_path: Path, front: str, said: str | None, end: str) -> None:
    """Line by line, with the quotes of a value; names are lower-case letters, digits and dashes."""
    text = agent(front).replace("\n", end).encode()
    prompt = preview(tmp_path, "letta-code", {".letta/agents/x.md": text})
    found = [each.text for each in prompt.messages if each.role == "tools"]
    shown = [each.partition("**Purpose**: ")[2].partition("\n- **Recommended")[0] for each in found]
    assert shown == ([said] if said is not None else [])
    assert outcome(prompt, ".letta/agents/x.md") == ("loaded" if said is not None else "failed")


def test_a_linked_agent_is_none(tmp_path: Path) -> None:
    (tmp_path / "folder/.letta/agents").mkdir(parents=True)
    (tmp_path / "folder/.letta/agents/l.md").symlink_to("../../l.md")
    prompt = preview(tmp_path, "letta-code", {"l.md": agent("name: l\ndescription: d")})
    assert outcome(prompt, ".letta/agents/l.md") == "failed"


@pytest.mark.parametrize(
    ("args", "model", "env"),
    [(("--toolset", "codex"), None, {}), ((), "openai/gpt-5.4", {}), ((), None, {"LETTA_ENABLE_LSP": "1"})],
)
def test_other_tools_are_not_counted(
    tmp_path: Path, args: tuple[str, ...], model: str | None, env: dict[str, str]
) -> None:
    assert preview(tmp_path, "letta-code", {}, args=args, model=model, env=env).tools is None


@pytest.mark.parametrize(
    ("args", "end", "reminders"),
    [
        (("--no-skills",), "\n</memory_metadata>", 4),
        (("--no-bundled-skills",), "<available_skills>\n- `s`: does s\n</available_skills>", 4),
        (("--no-system-info-reminder",), "</available_skills>", 2),
    ],
)
def test_what_options_leave_out(tmp_path: Path, args: tuple[str, ...], end: str, reminders: int) -> None:
    """As verify saw it, to the last line feed."""
    files: Files = {".agents/skills/s/SKILL.md": "---\nname: s\ndescription: does s\n---\nx\n"}
    prompt = preview(tmp_path, "letta-code", files, args=args, turns=(Turn("a"),))
    of_user = [each for each in prompt.messages if each.role == "user"]
    assert (prompt.messages[0].text.endswith(end), len(of_user) - 1) == (True, reminders)
