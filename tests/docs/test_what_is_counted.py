"""Numbers and lists that people read, and that a new harness changes."""

from __future__ import annotations

import re

import pytest

from promptls.core import specs
from promptls.harnesses import every
from promptls.harnesses.catalogue import FOLDERS
from promptls.wire.learn import sessions_of
from tests.docs.pages import ROOT

pytestmark = pytest.mark.same_everywhere

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
# Beside these, README says a number.
NAMED = "Claude Code, Codex, opencode, Gemini CLI, Copilot (CLI and VS Code), Cursor, Cline, Qwen Code"
NAMES = 9


def test_the_readme_counts_harnesses_and_those_that_were_captured() -> None:
    known = [harness for harness in every() if harness.name in FOLDERS]
    captured = [each for each in known if any(version.verified for version in each.versions)]
    text = " ".join(README.split())
    assert f"promptls knows {NAMED} and [{len(known) - NAMES} more]" in text
    assert f"For {len(captured)} of these {len(known)}, tests compare" in text


def test_the_page_of_commands_names_every_program_that_can_be_learned() -> None:
    text = " ".join(COMMANDS.split())
    said = re.search(r"keeps what is known so far\. (.*?) can be learned\.", text)
    assert said
    names = re.split(r", | and ", said[1])
    titles = {specs.of(name).title.removeprefix("GitHub ") for name in FOLDERS if sessions_of(name)}
    assert set(names) == titles
