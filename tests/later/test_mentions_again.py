"""Files that prompts mention where the running process of Claude Code has read them, and what a compaction makes of it.

Each of these was compared with what the program sent (``promptls verify``, 2.1.330).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
FILES = {
    "CLAUDE.md": "root text\n",
    "docs/m.md": "manual\n",
    "pkg/CLAUDE.md": "nested text\n",
    ".claude/rules/pkg.md": "---\npaths: pkg/**\n---\nrule text\n",
    "pkg/.claude/skills/near/SKILL.md": "---\nname: near\ndescription: d\n---\n",
    "pkg/b.py": "b = 2\n",
    "pkg/a.py": "a = 1\n",
}


def called(tmp_path: Path, *turns: str, screen: bool = True) -> list[str]:
    """What is sent as a call. Of a turn, ``@x`` mentions, ``x`` is a step that reads, ``C`` one that compacts."""
    root = lay_out(tmp_path / "w", {**FILES})
    for number, name in enumerate(FILES):
        os.utime(root / name, (number, number))

    def turn(words: str) -> Turn:
        if words == "/compact":
            return Turn(compact="")
        said, resumes = words.removeprefix("-c ").split(), words.startswith("-c ")
        prompt = " ".join(["p", *(each for each in said if each.startswith("@"))])
        steps = [each for each in said if not each.startswith("@")]
        calls = (Call(compact="auto") if each == "C" else Call(read=str(root / each)) for each in steps)
        return Turn(prompt, steps=tuple((call,) for call in calls), resumes=resumes)

    session = Session("claude-code", str(root), turns=tuple(map(turn, turns)), interactive=screen, is_trusted=True)
    messages = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={})).messages
    texts = [each.text for each in messages if "Called the Read tool" in each.text]
    names = [text.partition('"file_path":"')[2].partition('"')[0] for text in texts]
    found = [os.path.relpath(each, root).replace(os.sep, "/") for each in names]
    return [*found, *(["skill"] if any("New skills discovered" in each.text for each in messages) else [])]


A, B, NESTED, RULE = "pkg/a.py", "pkg/b.py", "pkg/CLAUDE.md", ".claude/rules/pkg.md"


@pytest.mark.parametrize(
    ("turns", "sent"),
    [
        ([f"{A}", f"-c @{A}"], [A, "skill"]),  # another process
        ([f"{A}", f"@{A}"], ["skill"]),
        ([f"@{A}", f"@{A}#L1-1 @{A}"], [A, "skill"]),
        ([f"@{A}#L1-1", f"@{A}"], [A, A, "skill"]),
        ([f"@{A} @./{A}"], [A, A, "skill"]),
        # Of a rule the head is not sent, so the program has not got all of it.
        ([A, f"@{NESTED} @{RULE}"], [RULE, "skill"]),
        (["@CLAUDE.md"], []),
        ([A, "/compact", f"@{A}"], [A, RULE, NESTED]),
    ],
)
def test_what_the_running_program_has_is_not_sent_for_a_mention(
    tmp_path: Path, turns: list[str], sent: list[str]
) -> None:
    assert called(tmp_path, *turns) == sent


def test_what_prints_has_not_read_the_files_of_the_start(tmp_path: Path) -> None:
    assert called(tmp_path, "@CLAUDE.md", screen=False) == ["CLAUDE.md"]


@pytest.mark.parametrize(
    ("turns", "again"),
    [
        ([f"@{A}", f"@{B}", "/compact", "p"], [A, B, RULE, NESTED]),
        ([f"@{A}", f"-c @{B} docs/m.md C"], [B, RULE, NESTED]),
    ],
)
def test_a_file_that_was_mentioned_comes_back(tmp_path: Path, turns: list[str], again: list[str]) -> None:
    assert sorted(set(called(tmp_path, *turns)) - {"skill"}) == sorted(again)


def test_another_process_knows_nothing_of_what_a_compaction_sent_again(tmp_path: Path) -> None:
    assert called(tmp_path, A, "/compact", "p", "/compact", "p") == [A, RULE, NESTED]
    assert called(tmp_path / "2", A, "/compact", "-c p", "/compact", "p") == []
    assert called(tmp_path / "3", f"{A} docs/m.md C {B}", "-c p", "/compact", "p") == [B, "docs/m.md"]


def test_a_skill_that_the_list_has_again_is_not_made_known_once_more(tmp_path: Path) -> None:
    assert "skill" not in called(tmp_path, A, "-c p", "/compact", A)
    assert "skill" in called(tmp_path / "2", A, "-c docs/m.md C " + A)
