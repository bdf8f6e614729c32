"""What opencode makes of a command's template, and of an index of skills at a URL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, FetchResult, Prompt, Session, Timeouts, Turn
from promptls.harnesses.opencode.listing.commands import expanded
from tests.folder import lay_out
from tests.harnesses.shown import Files, outcomes, preview, titles

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("template", "arguments", "text"),
    [
        ("$1-$2", 'a "b c" d', "a-b c d"),
        ("$1", "a b", "a b"),
        ("$2-$1", "a", "-a"),
        ("$1 $0", "a b", "a b undefined"),
        ("$0", "a b", "b"),
        ("$1", "'a'b", "a b"),
        ("$1", "[Image 1] a", "[Image 1] a"),
        ("$1|$2", "[Image 1] a", "[Image 1]|a"),
        ("<$ARGUMENTS>", "a $& $$ b", "<a $ARGUMENTS $ b>"),
        ("$1 <$ARGUMENTS>", "a b", "a b <a b>"),
        (" x ", "", "x"),
        (" x ", " ", "x"),
        ("x", "a b", "x\n\na b"),
        ("x $1", "", "x"),
    ],
)
def test_the_arguments_of_a_command(template: str, arguments: str, text: str) -> None:
    assert expanded(template, arguments) == text


INDEX = '{"skills": [{"name": "a", "files": ["SKILL.md"]}, {"name": "b", "files": ["SKILL.md"]}, {"name": "c"}]}'
SKILL = "---\nname: a\ndescription: Of a URL.\n---\nThe text.\n"


@pytest.mark.parametrize(
    ("answers", "listed", "became"),
    [
        ({"index.json": INDEX, "a/SKILL.md": SKILL}, ["a", "URL/b/SKILL.md"], ["SKILL.md loaded"]),
        ({"index.json": f"// a comment\n{INDEX}", "a/SKILL.md": SKILL}, [], []),
        ({}, ["URL"], []),
    ],
)
def test_skills_of_a_url(tmp_path: Path, answers: dict[str, str], listed: list[str], became: list[str]) -> None:
    folder = lay_out(tmp_path / "folder", {"opencode.json": {"skills": {"urls": ["https://x.example/own"]}}})

    def fetch(urls: Sequence[str], _: Timeouts) -> list[FetchResult]:
        known = [answers.get(url.removeprefix("https://x.example/own/")) for url in urls]
        return [
            FetchResult(url, "pending") if text is None else FetchResult(url, "ok", text, 200)
            for url, text in zip(urls, known, strict=True)
        ]

    call = Call(tool="skill", input='{"name": "a"}')
    session = Session("opencode", str(folder), turns=(Turn("hi", steps=((call,),)),))
    prompt = harnesses.preview(session, Host(home=str(tmp_path), env={}, fetch=fetch))
    assert ("# Skill: a\n\nThe text." in prompt.messages[-1].text) == ("a" in listed)
    shown = [each.replace("https://x.example/own", "URL").removeprefix("skill ") for each in titles(prompt, tmp_path)]
    names = dict.fromkeys(each.split(" ")[0] for each in shown if each.startswith(("a ", "b ", "c ", "URL")))
    assert list(names) == listed
    assert outcomes(prompt, "/a/SKILL.md", "/b/SKILL.md", "/c/SKILL.md") == became


def test_a_skill_of_opencode_itself_is_a_placeholder(tmp_path: Path) -> None:
    call = Call(tool="skill", input='{"name": "customize-opencode"}')
    session = Session("opencode", str(tmp_path), turns=(Turn("hi", steps=((call,),)),))
    (segment,) = harnesses.preview(session, Host(home=str(tmp_path), env={})).messages[-1].segments
    assert (segment.title, segment.elided is not None) == ("skill customize-opencode", True)


@pytest.mark.parametrize(
    ("command", "is_run_by_another"),
    [
        ({}, False),
        ({"subtask": True}, True),
        ({"agent": "general"}, True),
        ({"agent": "general", "subtask": False}, False),
        ({"agent": "plan"}, False),
        ({"agent": "plan", "subtask": True}, True),
    ],
)
def test_a_command_that_a_sub_agent_runs(tmp_path: Path, command: dict[str, object], is_run_by_another: bool) -> None:
    folder = lay_out(tmp_path / "folder", {"opencode.json": {"command": {"c": {"template": "Do it.", **command}}}})
    session = Session("opencode", str(folder), args=("run", "--command", "c"))
    said = titles(harnesses.preview(session, Host(home=str(tmp_path), env={})), tmp_path)
    assert ("remark that a tool was run 43" in said, "command 'Do it.'" in said) == (
        is_run_by_another,
        not is_run_by_another,
    )


COMMANDS: Files = {
    ".opencode/command/rev.md": "---\ndescription: Reviews.\n---\nReview: $ARGUMENTS\n",
    ".opencode/command/plan-it.md": "---\ndescription: Plans.\nagent: plan\nmodel: own/model\n---\nPlan: $1\n",
    ".opencode/command/sub.md": "---\ndescription: Subs.\nsubtask: true\n---\nSub: $ARGUMENTS\n",
}


def said(prompt: Prompt) -> list[str]:
    return [message.text for message in prompt.messages if message.role == "user"]


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("/rev one two", "Review: one two"),
        ("/rev one\ntwo three", "Review: one\ntwo three"),
        ("/rev\ntwo", "Review: \ntwo"),
        ("/rev", "Review:"),
        ("/gone one", "/gone one"),
        ("say /rev one", "say /rev one"),
    ],
)
def test_a_command_typed_on_the_screen(tmp_path: Path, typed: str, sent: str) -> None:
    """In any turn: what stands behind its name are its arguments (seen by verify)."""
    first = preview(tmp_path / "1", "opencode", COMMANDS, interactive=True, turns=(Turn(typed),))
    later = preview(tmp_path / "2", "opencode", COMMANDS, interactive=True, turns=(Turn("hi"), Turn(typed)))
    assert (said(first), said(later)) == ([sent], ["hi", sent])


@pytest.mark.parametrize(
    ("turns", "agent", "model", "reminders"),
    [
        (["/plan-it one"], "plan", "own/model", ["reminder of plan mode"]),
        (["/plan-it one", "go on"], "plan", "own/model", ["reminder of plan mode"]),
        (["hi", "/plan-it one"], "plan", "own/model", ["reminder of plan mode"]),
        (["hi", "/plan-it one", "go on"], "build", None, ["reminder that plan mode has ended"]),
    ],
)
def test_the_agent_of_a_command(
    tmp_path: Path, turns: list[str], agent: str, model: str | None, reminders: list[str]
) -> None:
    """That of the first turn stays; that of a later one is its turn's alone (seen by verify)."""
    shown = preview(tmp_path, "opencode", COMMANDS, interactive=True, turns=tuple(map(Turn, turns)))
    assert "Plan: one" in said(shown)
    assert (shown.agent, shown.model) == (agent, model)
    titles = [segment.title for message in shown.messages for segment in message.segments]
    assert [each for each in titles if each.startswith("reminder")] == reminders


def test_a_command_of_a_process_that_goes_on(tmp_path: Path) -> None:
    again = Turn("one two", resumes=True, args=("run", "-c", "--command", "rev"))
    shown = preview(tmp_path, "opencode", COMMANDS, interactive=False, turns=(Turn("hi"), again))
    assert said(shown) == ["hi", 'Review: "one two"']


def test_the_agent_of_a_command_of_a_run_does_not_stay(tmp_path: Path) -> None:
    """Another process goes on with the session's own (seen by verify)."""
    turns = (Turn("one"), Turn("go on", resumes=True, args=()))
    for number, agent in ((1, "plan"), (2, "build")):
        shown = preview(
            tmp_path / agent,
            "opencode",
            COMMANDS,
            interactive=False,
            args=("--command", "plan-it"),
            turns=turns[:number],
        )
        assert (shown.agent, said(shown)[0]) == (agent, "Plan: one")


def test_what_is_said_after_a_command_that_a_sub_agent_runs(tmp_path: Path) -> None:
    turns = (Turn("/sub one"), Turn("go on"))
    shown = preview(tmp_path, "opencode", COMMANDS, interactive=True, turns=turns)
    assert [message.role for message in shown.messages if message.role not in ("system", "tools")] == [
        *("user", "tool", "user", "user")
    ]
    assert said(shown)[-1] == "go on"
    assert "answer of agent build" in " ".join(titles(shown, tmp_path))
