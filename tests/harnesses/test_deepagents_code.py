"""Deep Agents Code: what ends it, whose agent it is, and which skill of a name counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls.core.model import Turn
from promptls.sessions.later import delegating
from tests.folder import lay_out
from tests.harnesses.shown import Files, outcome, preview, text_of

SKILL = "---\nname: {}\ndescription: {}\n---\nbody\n"
LATIN_1 = "café".encode("latin-1")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"AGENTS.md": LATIN_1}, "byte 4 is not UTF-8."),
        ({".deepagents/AGENTS.md": LATIN_1}, "byte 4 is not UTF-8."),
        ({"~/.deepagents/agent/AGENTS.md": LATIN_1}, "byte 4 is not UTF-8."),
        ({".deepagents/agents/a/AGENTS.md": b"---\ndescription: d\n---\n" + LATIN_1}, "byte 27 is not UTF-8."),
        ({"AGENTS.md/x.md": "x"}, "it is a directory."),
        ({".deepagents/agents/a/AGENTS.md": "---\ndescription: d\nmodel: sonnet\n---\nx"}, "its model 'sonnet'."),
        ({".deepagents/agents/a/AGENTS.md": "---\ndescription: d\nmodel: nobody:x\n---\nx"}, "its model 'nobody:x'."),
        ({".deepagents/agents/a/AGENTS.md": "---\ndescription: d\nmodel: openai:any\n---\nx"}, ""),
        ({".deepagents/agents/a/AGENTS.md": "---\ndescription: d\nmodel: Claude-x\n---\nx"}, ""),
        ({".deepagents/agents/a/AGENTS.md": "---\ndescription: d\nmodel: ''\n---\nx"}, ""),
        ({".deepagents/agents/a/AGENTS.md": "---\ndescription: d\nmodel: 5\n---\nx"}, ""),
        ({"CLAUDE.md": LATIN_1, "sub/AGENTS.md": LATIN_1}, ""),
    ],
)
def test_what_ends_it(tmp_path: Path, files: Files, says: str) -> None:
    stopped = preview(tmp_path, "deepagents-code", files).stopped or ""
    assert says in stopped
    assert bool(stopped) is bool(says)


@pytest.mark.parametrize("target", ["dot.md", "gone.md"])
def test_a_link_of_the_user_ends_it(tmp_path: Path, target: str) -> None:
    lay_out(tmp_path / "home", {".deepagents/agent/x": "", "dot.md": "x"}, git=False)
    (tmp_path / "home/.deepagents/agent/AGENTS.md").symlink_to(tmp_path / "home" / target)
    stopped = preview(tmp_path, "deepagents-code", {}).stopped or ""
    assert "it is a link. Put the text itself there." in stopped


def test_links_of_the_project_are_followed_in_it(tmp_path: Path) -> None:
    (tmp_path / "folder/.deepagents").mkdir(parents=True)
    (tmp_path / "folder/AGENTS.md").symlink_to("docs/A.md")
    (tmp_path / "folder/.deepagents/AGENTS.md").symlink_to("../docs/A.md")
    system = preview(tmp_path, "deepagents-code", {"docs/A.md": "rules"}).messages[0].text
    assert system.count(f"{tmp_path}/folder/docs/A.md\n\nrules\n\n") == 2


@pytest.mark.parametrize(
    ("config", "agent", "read"),
    [
        ("", None, "agent"),
        ("[agents]\ndefault = 'one'\nrecent = 'two'", None, "one"),
        ("[agents]\ndefault = 'gone'\nrecent = 'two'", None, "two"),
        ("[agents]\ndefault = 'one'", "two", "two"),
        ("[agents", None, "agent"),
    ],
)
def test_whose_file_is_read(tmp_path: Path, config: str, agent: str | None, read: str) -> None:
    files: Files = {f"~/.deepagents/{each}/AGENTS.md": each for each in ("agent", "one", "two")}
    files["~/.deepagents/config.toml"] = config
    prompt = preview(tmp_path, "deepagents-code", files, agent=agent)
    assert [text_of(prompt, f"{each}/AGENTS.md") for each in ("agent", "one", "two")] == [
        each if each == read else "" for each in ("agent", "one", "two")
    ]


def test_of_a_name_the_last_skill_counts(tmp_path: Path) -> None:
    files: Files = {f"{place}/skills/s/SKILL.md": SKILL.format("s", place) for place in (".deepagents", ".claude")}
    files |= {"~/.agents/skills/s/SKILL.md": SKILL.format("s", "user"), ".agents/skills/t/SKILL.md": "no header"}
    prompt = preview(tmp_path, "deepagents-code", files)
    assert f"- **s**: .claude\n  -> Read `{tmp_path}/folder/.claude/skills/s/SKILL.md`" in prompt.messages[0].text
    assert (
        outcome(prompt, ".deepagents/skills/s/SKILL.md")
        == outcome(prompt, "home/.agents/skills/s/SKILL.md")
        == "shadowed"
    )
    assert outcome(prompt, ".agents/skills/t/SKILL.md") == "failed"


def test_a_skill_that_is_called_is_sent_whole(tmp_path: Path) -> None:
    files: Files = {".deepagents/skills/s/SKILL.md": SKILL.format("s", "d")}
    prompt = preview(tmp_path, "deepagents-code", files, args=("--skill", "s"), turns=(Turn("go"), Turn("on")))
    first, second = (each.text for each in prompt.messages if each.role == "user")
    assert first.endswith(f"\n\n---\n{SKILL.format('s', 'd')}\n---\n\n**User request:** go")
    assert second == "on"


def test_the_shell_brings_a_makefile(tmp_path: Path) -> None:
    lines = "".join(f"l{number}:\n" for number in range(30))
    files: Files = {"Makefile": lines, "sub/a": ""}
    prompt = preview(tmp_path, "deepagents-code", files, cwd="sub", args=("-S", "ls"))
    system = prompt.messages[0].text
    assert f"**Makefile** (`{tmp_path}/folder/Makefile`, first 20 lines):\n```makefile\nl0:\n" in system
    assert system.endswith("l19:\n... (truncated)\n```\n")
    assert "Makefile" not in preview(tmp_path / "2", "deepagents-code", files, cwd="sub").messages[0].text


def test_a_skill_takes_the_place_of_one_that_it_brings(tmp_path: Path) -> None:
    named = ("add", "remember", "llm", "llm-test")
    files: Files = {f".agents/skills/{each}/SKILL.md": SKILL.format(each, each) for each in named}
    text = preview(tmp_path, "deepagents-code", files).messages[0].text
    rows = re.findall(r"\n- \*\*(.+)\*\*|skills that (it) brings", text)
    assert ["".join(each) for each in rows] == ["it", "remember", "it", "add", "llm-test", "llm"]


AGENTS: Files = {
    ".deepagents/agents/folder/AGENTS.md": "---\nname: named\ndescription: d\n---\n\n\nMARK-named\n\n",
    ".deepagents/agents/empty/AGENTS.md": "---\ndescription: d\n---\n",
    ".deepagents/agents/none/AGENTS.md": "---\nname: none\n---\nMARK-none\n",
    ".deepagents/agents/flat.md": "---\nname: flat\ndescription: d\n---\nMARK-flat\n",
    "~/.deepagents/agent/agents/named/AGENTS.md": "---\ndescription: d\n---\nMARK-home\n",
}


@pytest.mark.parametrize(
    ("agent", "wanted"),
    [
        ("named", ["system MARK-named", "user task"]),
        ("empty", ["user task"]),
        (
            "general-purpose",
            ["system ⟪prompt of a sub-agent of Deep Agents Code, 286 characters: not reproduced⟫", "user task"],
        ),
    ],
)
def test_what_an_agent_gets(tmp_path: Path, agent: str, wanted: list[str]) -> None:
    turns = delegating("deepagents-code", (Turn("go"),), f"{agent}: task")
    prompt = preview(tmp_path, "deepagents-code", {"AGENTS.md": "rules", **AGENTS}, turns=turns)
    assert [f"{each.role} {each.text}" for each in prompt.messages] == wanted
    assert outcome(prompt, "home/.deepagents/agent/agents/named/AGENTS.md") == "shadowed"
    assert outcome(prompt, "flat.md") == "excluded"


@pytest.mark.parametrize("agent", ["folder", "none", "flat"])
def test_what_is_no_agent(tmp_path: Path, agent: str) -> None:
    turns = delegating("deepagents-code", (Turn("go"),), f"{agent}: task")
    prompt = preview(tmp_path, "deepagents-code", AGENTS, turns=turns)
    assert f"There is no agent '{agent}' in .deepagents/agents" in prompt.notes[0]


def test_agents_are_in_the_definition_of_the_tool_task(tmp_path: Path) -> None:
    """As PyYAML reads them: those of the home directory first, one of the project in the place of its namesake."""
    files: Files = {
        "~/.deepagents/agent/agents/one/AGENTS.md": "---\nname: both\ndescription: of the home\n---\nx\n",
        ".deepagents/agents/two/AGENTS.md": "---\nname: both\ndescription: 'of the  project '\n---\nx\n",
    }
    bare = preview(tmp_path / "bare", "deepagents-code", {}).tools
    prompt = preview(tmp_path, "deepagents-code", files)
    (said,) = [each.text for each in prompt.messages if each.role == "tools"]
    assert "\n- both: of the  project\n" in said
    assert outcome(prompt, ".deepagents/agent/agents/one/AGENTS.md") == "shadowed"
    sizes = [{each.name: each.size or 0 for each in tools or ()}["task"] for tools in (bare, prompt.tools)]
    assert sizes[1] - sizes[0] == len("- both: of the  project") + len(r"\n")
    own: Files = {".deepagents/agents/g/AGENTS.md": "---\nname: general-purpose\ndescription: d\n---\nx\n"}
    assert preview(tmp_path / "own", "deepagents-code", own).tools is None


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("description: |\n  one\n  two\n", "one\ntwo"),
        ("description: >-\n  one\n  two\n", "one two"),
        ('description: "q \\"x\\""\n', 'q "x"'),
        ("description: d # not said\n", "d"),
        ("description: first\ndescription: last\n", "last"),
        ("description: 2026-01-02\n", None),
        ("description: 31\n", None),
        ("description: yes\n", None),
        ("description: [a]\n", None),
        ("description: a: b\n", None),
        ("Description: d\n", None),
        ("description: ' '\n", None),
        ("name: 5\ndescription: d\n", None),
        ("name: '5'\ndescription: d\n", "d"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_form_of_an_agent(tmp_path: Path, front: str, said: str | None, end: str) -> None:
    text = f"---\n{front}---\nbody\n".replace("\n", end)
    prompt = preview(tmp_path, "deepagents-code", {".deepagents/agents/a/AGENTS.md": text.encode()})
    found = [each.text for each in prompt.messages if each.role == "tools"]
    shown = [re.split(r"\n- [a5]: |\n⟪", each)[1] for each in found]
    assert shown == ([said] if said is not None else [])
