"""What comes later in a session is shown for each version that is known, and no version fails on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import Call, Session, Turn
from promptls.sessions.later import delegating
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
NAMES = [each for each in harnesses.names() if specs.of(each).later]
VERSIONS = [f"{name}@{version.name}" for name in NAMES for version in harnesses.get(name).versions]
READ = Call(read="pkg/a.py")
SAID = Turn(prompt="one two", steps=((READ,),))
AUTO = Turn(prompt="one two", steps=((READ,), (Call(compact="auto"),), (READ,)))
LIVES = {
    "compacted": (SAID, Turn(compact=""), Turn(prompt="three", steps=((READ,),))),
    "within": (AUTO,),
    "resumed": (SAID, Turn(compact="", resumes=True), Turn(prompt="three", resumes=True)),
    "unsaid": (Turn(steps=((READ,),)), Turn(compact=""), Turn()),
}


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize("interactive", [None, False, True])
def test_no_version_fails(tmp_path: Path, name: str, interactive: bool | None) -> None:
    files = {"AGENTS.md": "Own.", "CLAUDE.md": "Own.", "pkg/CLAUDE.md": "Nested.", "pkg/a.py": "1\n"}
    root = lay_out(tmp_path / "w", dict(files))
    harness, version = harnesses.split(name)
    lives = dict(LIVES)
    if specs.of(harness).delegation is not None:
        for agent in ("general-purpose", "nobody"):
            lives[f"starts {agent}"] = delegating(harness, (SAID,), agent)
    for life, turns in lives.items():
        session = Session(
            harness, str(root), version=version, turns=turns, is_trusted=True, interactive=interactive, mode="plan"
        )
        found = harnesses.preview(session, Host(home=str(tmp_path), env={}))
        assert not found.is_fault, (life, found.stopped)


@pytest.mark.parametrize(("life", "what"), [("compacted", "A compaction"), ("starts", "A sub-agent")])
def test_what_was_not_seen_of_a_version_is_said(tmp_path: Path, life: str, what: str) -> None:
    root = lay_out(tmp_path / "w", {"pkg/a.py": "1\n"})
    turns = LIVES.get(life) or delegating("claude-code", (SAID,), "general-purpose")
    for version, is_said in (("2.1.197", True), ("2.1.330", False)):
        session = Session("claude-code", str(root), version=version, turns=turns)
        notes = harnesses.preview(session, Host(home=str(tmp_path), env={})).notes
        assert any(each.startswith(f"{what} was not seen in this version") for each in notes) == is_said
