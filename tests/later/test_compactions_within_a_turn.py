"""Claude Code compacts by itself between two steps: what it keeps, and what asks for the summary.

Each of these was compared with what the program sent (``promptls verify``, 2.1.330).
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Literal

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Elided, Prompt, Session, Turn
from tests.folder import lay_out

FILES = {
    "CLAUDE.md": "root text\n",
    "pkg/CLAUDE.md": "nested text\n",
    ".claude/rules/docs.md": '---\npaths: "docs/**"\n---\nrule text\n',
    "pkg/a.py": "a = 1\n",
    "pkg/b.py": "b = 2\n",
    "docs/m.md": "manual\n",
}
# The request for a summary, and the same where all is before it that is kept, too.
SHORT, LONG = 6_361, 6_912


def _prompt(
    tmp_path: Path, *turns: str, request: Literal["summary"] | None = None, agent: bool = False, screen: bool = False
) -> Prompt:
    """A turn is a word for each step: ``a``, ``b``, ``m`` read a file, ``C`` compacts; ``/compact`` is typed."""
    root = lay_out(tmp_path / "w", {**FILES})
    for number, name in enumerate(FILES):
        os.utime(root / name, (number, number))
    reads = {"a": "pkg/a.py", "b": "pkg/b.py", "m": "docs/m.md"}

    def turn(words: str) -> Turn:
        if words == "/compact":
            return Turn(compact="")
        (prompt, *steps), resumes = words.removeprefix("-c ").split(), words.startswith("-c ")
        calls = (Call(compact="auto") if each == "C" else Call(read=str(root / reads[each])) for each in steps)
        made = tuple((call,) for call in calls)
        if agent:
            given = {"description": "d", "prompt": "t", "subagent_type": "general-purpose", "run_in_background": False}
            made = ((Call(tool="Agent", input=json.dumps(given), steps=made),),)
        return Turn(prompt, steps=made, resumes=resumes)

    session = Session(
        "claude-code", str(root), turns=tuple(map(turn, turns)), request=request, interactive=screen, is_trusted=True
    )
    return harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))


def _told(prompt: Prompt) -> list[str]:
    """The files that reads have brought, and those that are sent again as calls."""
    said = []
    for message in prompt.messages:
        if message.role == "tool":
            said.append(f"result {message.text[2:].splitlines()[0]}")
        elif "Called the Read tool" in message.text:
            said.append(f"again {message.text.partition('}')[0].rpartition('/')[2].strip(chr(34))}")
        elif message.role == "user" and ("nested text" in message.text or "rule text" in message.text):
            said += re.findall(r"Contents of [^\n]*/((?:pkg/CLAUDE|docs)\.md):", message.text)
    return [each.removeprefix("pkg/") for each in said]


@pytest.mark.parametrize("agent", [False, True])
def test_the_last_step_is_kept(tmp_path: Path, *, agent: bool) -> None:
    prompt = _prompt(tmp_path, "p a m C b", agent=agent)
    kept = ["result manual", "docs.md", "again a.py", "again docs.md", "again CLAUDE.md", "result b = 2"]
    assert _told(prompt) == kept
    # A line end parts what came with the step from the files that follow.
    assert next(each for each in prompt.messages if "rule text" in each.text).text.endswith("</system-reminder>\n")


@pytest.mark.parametrize("agent", [False, True])
def test_of_one_prompt_and_its_first_step_nothing_is_kept(tmp_path: Path, *, agent: bool) -> None:
    prompt = _prompt(tmp_path, "p a C m", agent=agent)
    assert _told(prompt) == ["again a.py", "again CLAUDE.md", "result manual", "docs.md"]


def test_a_second_one_forgets_what_the_first_one_kept(tmp_path: Path) -> None:
    prompt = _prompt(tmp_path, "p a b C m C a")
    assert "again b.py" not in _told(prompt)


@pytest.mark.parametrize(
    ("turns", "has", "size"),
    [
        # All of it, where nothing is kept.
        (["p a C"], ["result a = 1", "CLAUDE.md"], SHORT),
        # Without the last step of a turn, which is kept.
        (["p a m C"], ["result a = 1", "CLAUDE.md"], SHORT),
        (["p", "q a m C"], ["result a = 1", "CLAUDE.md"], SHORT),
        # Of a step right behind a prompt only the result.
        (["p", "q a C"], ["result a = 1"], LONG),
        # Typed: without the last answer, if a step is before it.
        (["p a", "/compact"], ["result a = 1", "CLAUDE.md"], SHORT),
        (["p", "/compact"], [], SHORT),
        (["p", "q", "/compact"], [], LONG),
        (["p", "q a m", "/compact"], ["result a = 1", "CLAUDE.md", "result manual", "docs.md"], SHORT),
        # Before a prompt is sent.
        (["p a", "q C"], ["result a = 1", "CLAUDE.md"], LONG),
        # A second one.
        (["p a C m C"], ["again a.py", "again CLAUDE.md", "result manual", "docs.md"], SHORT),
    ],
)
def test_the_request_for_a_summary(tmp_path: Path, turns: list[str], has: list[str], size: int) -> None:
    prompt = _prompt(tmp_path, *turns, request="summary", screen="/compact" in turns)
    assert _told(prompt) == has
    (asks,) = (
        each for each in prompt.messages if (each.segments[0].elided or Elided("")).name == "request for a summary"
    )
    assert sum(segment.characters for segment in asks.segments) == size


def test_what_the_mode_means_comes_with_the_second_request_after_a_compaction(tmp_path: Path) -> None:
    """Be that with the results of a step or with a prompt."""
    for turns in (("p a b C m", "q"), ("p a b C", "q"), ("p a b C", "q m")):
        prompt = _prompt(tmp_path / turns[-1] / str(len(turns[0])), *turns, screen=True)
        (told,) = (each for each in prompt.messages if "mode auto of Claude Code" in each.text)
        before = [each for each in prompt.messages if each.index == told.index - 1]
        assert [each.role for each in before] == (["tool", "user"] if "m" in turns[0] else ["user"])


@pytest.mark.parametrize("turn", ["q m a C b", "q a m C b"])
def test_a_skill_that_the_kept_step_made_known_is_not_listed_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: str
) -> None:
    monkeypatch.setitem(FILES, "pkg/.claude/skills/near/SKILL.md", "---\nname: near\ndescription: d\n---\n")
    text = "".join(each.text for each in _prompt(tmp_path, "p", turn).messages)
    assert text.count("\n- near: d (from pkg/.claude/skills") == 1


def test_the_next_step_brings_what_lies_near_the_files_that_come_again(tmp_path: Path) -> None:
    """The process that compacts has read none of that itself; what the kept step brought, the next one knows."""
    told = _told(_prompt(tmp_path, "p m", "-c q a C b"))
    assert told == ["result a = 1", "CLAUDE.md", "again m.md", "again CLAUDE.md", "result b = 2", "docs.md"]
    told = _told(_prompt(tmp_path / "next", "p", "-c q a C m", "-c r b"))
    assert told == ["result a = 1", "CLAUDE.md", "again CLAUDE.md", "result manual", "docs.md", "result b = 2"]
