"""What opencode makes of a command's template, and of an index of skills at a URL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, FetchResult, Session, Timeouts, Turn
from promptls.harnesses.opencode.listing.commands import expanded
from tests.folder import lay_out
from tests.harnesses.shown import outcomes, titles

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
