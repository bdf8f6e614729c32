"""What hooks add to later prompts of Gemini CLI, and what a later prompt mentions (seen by verify)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
START, ASKED = "⟪start⟫", "⟪asked⟫"
ONE, TWO, AGAIN, COMPACT = Turn("one"), Turn("two"), Turn("two", resumes=True), Turn(None, compact="", summary="sum")
TAKEN = "Got it. Thanks for the additional context!"


def _said(tmp_path: Path, *turns: Turn, interactive: bool, matcher: str | None = None) -> list[str]:
    """The texts behind the session's context; a hook by its name."""
    start: dict[str, object] = {"hooks": [{"type": "command", "name": "start", "command": "x"}]}
    asked = {"hooks": [{"type": "command", "name": "asked", "command": "x"}]}
    hooks = {"SessionStart": [start if matcher is None else start | {"matcher": matcher}], "BeforeAgent": [asked]}
    root = lay_out(tmp_path / str(interactive), {"a.py": "1\n", "pkg/GEMINI.md": "nested", "pkg/b.py": "2\n"})
    home = lay_out(tmp_path / f"{interactive}-home", {".gemini/settings.json": json.dumps({"hooks": hooks})}, git=False)
    session = Session("gemini-cli", str(root), turns=turns, is_trusted=True, interactive=interactive)
    messages = harnesses.preview(session, Host(home=str(home), env={})).messages
    texts = [message.text for message in messages if not message.text.startswith("<session_context>")][1:]
    return [
        text.replace("⟪context of hook start of gemini-cli: not reproduced⟫", START).replace(
            "⟪context of hook asked of gemini-cli: not reproduced⟫", ASKED
        )
        for text in texts
    ]


def test_each_prompt_has_the_hook_that_runs_before_it(tmp_path: Path) -> None:
    printed = _said(tmp_path, ONE, interactive=False)
    assert printed == [f"{START}\n\none", ASKED]
    assert _said(tmp_path, ONE, TWO, interactive=True) == [START, "one", ASKED, "two", ASKED]


def test_after_a_compaction_only_the_hook_of_prompts_runs(tmp_path: Path) -> None:
    assert _said(tmp_path, ONE, COMPACT, TWO, interactive=True) == ["sum", TAKEN, "two", ASKED]


def test_a_resumed_run_drops_a_prompt_that_begins_with_a_hook_and_runs_it_again(tmp_path: Path) -> None:
    assert _said(tmp_path, ONE, AGAIN, interactive=False) == [f"{START}\n\ntwo", ASKED]


def test_what_the_screen_was_told_at_the_start_is_not_taken_up(tmp_path: Path) -> None:
    assert _said(tmp_path, ONE, AGAIN, interactive=True) == ["one", ASKED, f"{START}\n\ntwo", ASKED]


@pytest.mark.parametrize(
    ("matcher", "first", "second"),
    [("startup", START, ""), ("resume", "", START), ("*", START, START), (" ", START, START), ("start.*", "", "")],
)
def test_a_matcher_is_the_way_in_which_the_session_begins(
    tmp_path: Path, matcher: str, first: str, second: str
) -> None:
    kept = [] if first else ["one", ASKED]
    assert _said(tmp_path, ONE, interactive=True, matcher=matcher) == [*filter(None, [first]), "one", ASKED]
    again = _said(tmp_path, ONE, AGAIN, interactive=False, matcher=matcher)
    assert again == [*kept, f"{second}\n\ntwo" if second else "two", ASKED]


def test_a_later_prompt_brings_what_it_mentions(tmp_path: Path) -> None:
    said = _said(tmp_path, ONE, Turn("see @pkg/b.py"), interactive=True)
    assert said[:4] == [START, "one", ASKED, "see @pkg/b.py"]
    assert any("2" in each for each in said[5:-1])
    assert any("nested" in each for each in said[5:-1])
    assert said[-1] == ASKED


@pytest.mark.parametrize("begins", ["/", "?", "<hook_context>", "<session_context>"])
def test_a_resumed_session_drops_prompts_that_look_like_its_own(tmp_path: Path, begins: str) -> None:
    turns = (ONE, Turn(f"{begins} x", resumes=True), AGAIN)
    said = _said(tmp_path, *turns, interactive=False, matcher="none")
    assert said == ["one", ASKED, "two", ASKED]
