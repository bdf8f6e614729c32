"""What is said of one prompt alone, without a look at the whole folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.checks import limits, prompt_problems
from promptls.checks.folder import session_problems
from promptls.core.host import Host
from promptls.core.model import Cut, Message, Origin, Problem, Prompt, Range, Segment, Session, reading
from promptls.core.settings import DEFAULT
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere


def found(folder: Path, harness: str) -> list[Problem]:
    host = Host(home=str(folder / "home"), env={})
    prompt = harnesses.preview(Session(harness, str(folder)), host)
    own = prompt, prompt_problems(prompt)
    return session_problems(own, DEFAULT, host, (str(folder), str(folder)), lambda: ())


@pytest.mark.parametrize("text", ["Use tabs.\n", "Use tabs.\n\n", "Use tabs.\n\nBe kind.\n"])
def test_a_file_whose_text_is_sent_under_another_name_is_not_missed(tmp_path: Path, text: str) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.\n", "CLAUDE.md": text})
    assert [each.code for each in found(folder, "claude-code")] == []


def test_a_file_with_a_text_of_its_own_is_missed(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Be kind.\n"})
    assert [each.code for each in found(folder, "claude-code")] == ["shadowed"]


def test_what_else_is_wrong_is_said_beside_it(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Be kind, see @gone.md\n"})
    assert {each.code for each in found(folder, "claude-code")} == {"shadowed", "import-missing"}


def test_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, {"AGENTS.md": "Use tabs.\n"})
    (folder / "AGENTS.override.md").symlink_to("AGENTS.md")
    assert [each.code for each in found(folder, "codex")] == []


@pytest.mark.parametrize(
    ("where", "text", "says"),
    [
        (Range(0, 0, 2, 0), "a\nb\n", "from line 3 on"),
        # Longer than the whole: its middle is replaced by a text that says what is missing.
        (Range(0, 0, 2, 0), "a\n... 12 left out ...\nb\n", ""),
        (None, "a\nb\n", ""),
    ],
)
def test_a_cut_names_the_first_lost_line_where_it_is_one_place(where: Range | None, text: str, says: str) -> None:
    origin = Origin("file", path="/w/AGENTS.md", range=where)
    segment = Segment("instructions", "x", text, origin, "", cut=Cut(4, 16, "bytes", "a limit"))
    prompt = Prompt(Session("codex", "/w"), (Message("user", (segment,), 0),), ())
    (problem,) = limits.check(prompt, DEFAULT)
    assert (says in problem.message) if says else ("from line" not in problem.message)


def test_no_other_session_is_asked_for_what_one_settles(tmp_path: Path) -> None:
    text = "Use tabs.\n" * 20
    folder = lay_out(tmp_path, {"AGENTS.md": text, "lib/AGENTS.md": text, "lib/a.py": "", "opencode.json": "{}"})
    host = Host(home=str(folder / "home"), env={})
    prompt = harnesses.preview(Session("opencode", str(folder), turns=reading([str(folder / "lib/a.py")])), host)
    own = prompt, prompt_problems(prompt)
    assert [each.code for each in own[1]] == ["duplicate-text"]
    told = session_problems(own, DEFAULT, host, (str(folder), str(folder)), lambda: pytest.fail("another is asked"))
    assert [each.code for each in told] == ["duplicate-text"]
