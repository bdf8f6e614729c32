"""What a compaction took out of a prompt is said in its summary, and is not called loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
FILES = {
    "claude-code": "CLAUDE.md",
    "copilot-cli": "AGENTS.md",
    "gemini-cli": "GEMINI.md",
    "opencode": "AGENTS.md",
}
NEVER = ("copilot-cli", "gemini-cli")
READ = Call(read="pkg/a.py")
SAID = Turn(prompt="one two", steps=((READ,),))
NEXT = Turn(prompt="three", resumes=True)
COMPACTED = (SAID, Turn(compact="", resumes=True), NEXT)


def prompt(tmp_path: Path, harness: str, *turns: Turn) -> Prompt:
    name = FILES[harness]
    root = lay_out(tmp_path / "w", {name: "Own text.", f"pkg/{name}": "Nested text.", "pkg/a.py": "1\n"})
    session = Session(harness, str(root), turns=turns, model="claude-opus-5-5", is_trusted=True)
    return harnesses.preview(session, Host(home=str(tmp_path), env={}))


def notes(found: Prompt) -> list[str]:
    return [note for note in found.notes if note.startswith("Gone")]


@pytest.mark.parametrize("harness", FILES)
def test_a_file_that_a_compaction_took_out_is_named(tmp_path: Path, harness: str) -> None:
    found = prompt(tmp_path, harness, *COMPACTED)
    again = (
        "it comes again with a file near it that a new process reads"
        if harness in NEVER
        else "it comes again with a file near it that is read"
    )
    assert notes(found) == [f"Gone since the compaction: pkg/{FILES[harness]}; {again}."]
    (nested,) = [each for each in found.candidates if each.path and each.path.endswith(f"pkg/{FILES[harness]}")]
    assert (nested.outcome, "Nested text." in "".join(each.text for each in found.messages)) == ("unscoped", False)


@pytest.mark.parametrize("harness", FILES)
def test_a_file_that_is_read_after_a_compaction_is_not(tmp_path: Path, harness: str) -> None:
    again = Turn(prompt="three", resumes=True, steps=((READ,),))
    found = prompt(tmp_path, harness, SAID, Turn(compact="", resumes=True), again)
    assert bool(notes(found)) == ("Nested text." not in "".join(each.text for each in found.messages))


@pytest.mark.parametrize("harness", FILES)
def test_nothing_is_gone_where_nothing_was_compacted(tmp_path: Path, harness: str) -> None:
    assert notes(prompt(tmp_path, harness, SAID, NEXT)) == []
