"""Sub-agents of programs whose agents are files: what one of the user's own gets, and what the program's own do."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls.core.model import Call, Prompt, Turn
from promptls.core.values import replace
from promptls.sessions.later import delegating
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere
SKILL = "---\nname: s\ndescription: MARK-skill\n---\nbody\n"
AGENT = "---\nname: rev\ndescription: reviews\n---\nMARK-rev\n"
MARKS = ("MARK-rev", "MARK-home", "MARK-root", "MARK-skill", "MARK-task", "MARK-typed")
WHERE = {
    "kimi-code": (".kimi-code/agents/rev.md", "~/.kimi-code/AGENTS.md"),
    "letta-code": (".letta/agents/rev.md", "~/.letta/AGENTS.md"),
    "grok-build": (".grok/agents/rev.md", "~/.grok/AGENTS.md"),
    "goose": (".goose/agents/rev.md", "~/.config/goose/AGENTS.md"),
    "deepagents-code": (".deepagents/agents/rev/AGENTS.md", "~/.deepagents/agent/AGENTS.md"),
    "droid": (".factory/droids/rev.md", "~/.factory/AGENTS.md"),
    # Its sub-agents have no names, and no files of their own.
    "hermes": ("sub/rev.md", "~/.hermes/SOUL.md"),
}


def sent(top: Path, harness: str, agent: str) -> Prompt:
    path, home = WHERE[harness]
    files: Files = {"AGENTS.md": "MARK-root\n", ".agents/skills/s/SKILL.md": SKILL, path: AGENT, home: "MARK-home\n"}
    turns = delegating(harness, (Turn("MARK-typed"),), f"{agent}: MARK-task")
    return preview(top, harness, files, turns=turns, is_trusted=True)


def marks(prompt: Prompt) -> list[tuple[str, str]]:
    """The marks in the order in which they are sent, each with its role."""
    found: list[tuple[str, str]] = []
    for message in prompt.messages:
        there = sorted((message.text.index(mark), mark) for mark in MARKS if mark in message.text)
        found += [(mark, message.role) for _, mark in there]
    return found


@pytest.mark.parametrize(
    ("harness", "wanted"),
    [
        ("kimi-code", ["system MARK-rev", "user MARK-task"]),
        ("letta-code", ["system MARK-rev", "system MARK-skill", "user MARK-task"]),
        ("grok-build", ["system MARK-rev", "user MARK-home", "user MARK-root", "user MARK-task"]),
        ("goose", ["system MARK-rev", "system MARK-home", "system MARK-root", "user MARK-task"]),
        ("deepagents-code", ["system MARK-rev", "user MARK-task"]),
        ("droid", ["system MARK-rev", "user MARK-skill", "user MARK-root", "user MARK-home", "user MARK-task"]),
        ("hermes", ["system MARK-task", "user MARK-task"]),
    ],
)
def test_what_a_sub_agent_of_the_users_own_gets(tmp_path: Path, harness: str, wanted: list[str]) -> None:
    """As verify has seen it of the programs themselves (captured: subagent-rev)."""
    prompt = sent(tmp_path, harness, "rev")
    assert [f"{role} {mark}" for mark, role in marks(prompt)] == wanted
    # The session is still the one that was asked about.
    assert prompt.session.turns[0].prompt == "MARK-typed"


@pytest.mark.parametrize(
    ("agent", "has_skills", "tools"), [("coder", True, 18), ("explore", False, 5), ("plan", False, 4)]
)
def test_what_sub_agents_of_kimi_code_itself_get(tmp_path: Path, agent: str, tools: int, *, has_skills: bool) -> None:
    prompt = sent(tmp_path, "kimi-code", agent)
    system = ["MARK-home", "MARK-root", *(["MARK-skill"] if has_skills else [])]
    assert marks(prompt) == [*((mark, "system") for mark in system), ("MARK-task", "user")]
    assert len([each for each in prompt.tools or () if each.enabled]) == tools
    assert ("state of git" in prompt.messages[1].text) is (agent == "explore")


@pytest.mark.parametrize("harness", WHERE)
def test_a_sub_agent_that_has_ended_is_one_call_of_the_main_session(tmp_path: Path, harness: str) -> None:
    prompt = sent(tmp_path, harness, "rev")
    (turn,) = prompt.session.turns
    ended = replace(turn, steps=tuple(tuple(replace(call, steps=None) for call in step) for step in turn.steps))
    main = preview(tmp_path / "main", harness, {"AGENTS.md": "MARK-root\n"}, turns=(ended,), is_trusted=True)
    assert ("MARK-typed", "user") in marks(main)


def test_an_agent_that_is_not_there_ends_kimi_code(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "kimi-code", {"AGENTS.md": "MARK-root\n"}, agent="nobody")
    assert prompt.stopped == "Kimi Code ends, because there is no agent nobody. Fix --agent."


@pytest.mark.parametrize(
    ("agent", "text", "tools"), [("general-purpose", "1024", 20), ("explore", "759", 7), ("plan", "1083", 8)]
)
def test_what_sub_agents_of_grok_build_itself_get(tmp_path: Path, agent: str, text: str, tools: int) -> None:
    prompt = sent(tmp_path, "grok-build", agent)
    assert [mark for mark, _ in marks(prompt)] == ["MARK-home", "MARK-root", "MARK-task"]
    assert prompt.messages[0].text.endswith(
        f"⟪text of the agent {agent} of Grok Build, {text} characters: not reproduced⟫"
    )
    assert len(prompt.tools or ()) == tools


def test_an_agent_of_the_users_own_comes_before_one_that_is_brought(tmp_path: Path) -> None:
    turns = delegating("grok-build", (Turn("MARK-typed"),), "explore: MARK-task")
    prompt = preview(tmp_path, "grok-build", {".grok/agents/explore.md": AGENT}, turns=turns, is_trusted=True)
    assert [mark for mark, _ in marks(prompt)] == ["MARK-rev", "MARK-task"]
    assert len(prompt.tools or ()) == 20
    few = AGENT.replace("description", "tools: read_file\ndescription")
    assert (
        preview(tmp_path / "few", "grok-build", {".grok/agents/explore.md": few}, turns=turns, is_trusted=True).tools
        is None
    )


@pytest.mark.parametrize("harness", ["auggie", "gptme"])
def test_where_sub_agents_are_not_modelled_the_main_session_says_that_it_is_one(tmp_path: Path, harness: str) -> None:
    turn = Turn("MARK-typed", steps=((Call(tool="task", input="{}", steps=()),),))
    prompt = preview(tmp_path, harness, {"AGENTS.md": "MARK-root\n"}, turns=(turn,))
    assert any("is not modelled: this is the main session" in note for note in prompt.notes)


@pytest.mark.parametrize(
    ("agent", "tools", "has_deferred"),
    [("rev", "", True), ("rev", "tools: [Read]\n", False), ("worker", "", True), ("explorer", "", False)],
)
def test_which_sub_agents_of_droid_can_search_for_tools(
    tmp_path: Path, agent: str, tools: str, *, has_deferred: bool
) -> None:
    files: Files = {".factory/droids/rev.md": AGENT.replace("description", f"{tools}description")}
    turns = delegating("droid", (Turn("MARK-typed"),), f"{agent}: MARK-task")
    prompt = preview(tmp_path, "droid", files, turns=turns)
    assert ("names of deferred tools" in prompt.messages[1].text) is has_deferred
    assert prompt.messages[-1].text.startswith(
        f"# Task Tool Invocation\n\nSubagent type: {agent}\nTask complexity: light\n"
    )
