"""What a session file says of processes that take a session up, and what is told of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import Prompt, Session, Turn
from promptls.core.values import replace
from promptls.errors import UsageError
from promptls.harnesses import catalogue
from promptls.harnesses.codex.capture import PROGRAM
from promptls.wire.dialogue import typed_again
from promptls.workspace.session_file import parse

pytestmark = pytest.mark.same_everywhere
ONE, AGAIN = {"prompt": "one"}, {"prompt": "two", "resume": True}


def _prompt(tmp_path: Path, harness: str, *turns: Turn, args: tuple[str, ...] = ()) -> Prompt:
    session = Session(harness=harness, version="", cwd=str(tmp_path), turns=turns, args=args)
    return harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))


def test_a_turn_says_that_a_new_process_sent_it() -> None:
    given = parse(json.dumps({"harness": "codex", "cwd": "/w", "turns": [ONE, AGAIN | {"args": ["-c"]}, AGAIN]}))
    assert given.turns is not None
    assert [(turn.resumes, turn.args) for turn in given.turns] == [(False, None), (True, ("-c",)), (True, None)]


def test_only_a_new_process_has_a_command_line() -> None:
    with pytest.raises(UsageError, match="a turn has args only with resume"):
        parse(json.dumps({"harness": "codex", "cwd": "/w", "turns": [ONE | {"args": []}]}))


@pytest.mark.parametrize("mode", ["plan", "autopilot"])
def test_copilot_cli_says_again_what_a_mode_is(mode: str, tmp_path: Path) -> None:
    session = Session("copilot-cli", str(tmp_path), turns=(Turn("one"), Turn("two", resumes=True)), mode=mode)
    found = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
    assert [f"<{mode}_mode>" in message.text for message in found.messages if message.role == "user"] == [True, True]
    assert any("until the model calls task_complete" in note for note in found.notes) == (mode == "autopilot")


@pytest.mark.parametrize("harness", [each for each in catalogue.FOLDERS if "resume" not in specs.of(each).later])
def test_a_harness_of_which_it_is_not_known_says_so(harness: str, tmp_path: Path) -> None:
    typed = _prompt(tmp_path, harness, Turn("one"), Turn("two"))
    again = _prompt(tmp_path, harness, Turn("one"), Turn("two", resumes=True))
    said = [note for note in again.notes if "takes a session up again is not modelled" in note]
    assert [len(said), *again.messages] == [1, *typed.messages]


def test_options_that_only_a_later_process_has_are_named(tmp_path: Path) -> None:
    later = Turn(
        "two", resumes=True, args=("--tools", "Read", "--model", "haiku", "--bare", "--permission-mode", "plan", "-c")
    )
    prompt = _prompt(tmp_path, "claude-code", Turn("one"), later)
    says = "What the options of turn 2 change that the session was not started with is not modelled: --bare, --tools."
    assert says in prompt.notes


def test_a_session_that_goes_on_has_the_hooks_of_one_that_is_resumed(tmp_path: Path) -> None:
    settings = {
        "hooks": {"SessionStart": [{"matcher": "resume", "hooks": [{"type": "command", "command": "echo X1"}]}]}
    }
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    prompt = _prompt(tmp_path, "claude-code", Turn("two"), args=("-c",))
    assert prompt.messages[-1].text.startswith("SessionStart:resume hook success: X1")


@pytest.mark.parametrize(("args", "is_on_screen"), [(None, False), ((), True), (("--continue", "-p", "two"), False)])
def test_copilot_cli_is_taken_up_on_the_screen(
    tmp_path: Path, args: tuple[str, ...] | None, *, is_on_screen: bool
) -> None:
    turns = Turn("one"), Turn("two", resumes=True, args=args)
    session = Session("copilot-cli", str(tmp_path), turns=turns, interactive=True)
    prompt = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
    assert any(tool.name == "ask_user" and tool.enabled for tool in prompt.tools or ()) is is_on_screen


@pytest.mark.parametrize(("harness", "again"), [("codex", ("resume",)), ("copilot-cli", ()), ("gemini-cli", ())])
def test_the_screen_takes_a_session_up_where_its_command_line_is_said(
    tmp_path: Path, harness: str, again: tuple[str, ...]
) -> None:
    def tools(*turns: Turn) -> set[str]:
        session = Session(harness, str(tmp_path), turns=turns, interactive=True, is_trusted=True)
        prompt = harnesses.preview(session, Host(home=str(tmp_path / "home"), env={}))
        return {each.name for each in prompt.tools or () if each.enabled}

    on_screen = tools(Turn("one"))
    assert tools(Turn("one"), Turn("two", resumes=True, args=again)) == on_screen
    assert tools(Turn("one"), Turn("two", resumes=True)) < on_screen


def test_verify_compares_with_the_session_as_the_screen_takes_it_up(tmp_path: Path) -> None:
    session = Session("codex", str(tmp_path), turns=(Turn("one"), Turn("two", resumes=True)), args=("-c", "x=1"))
    assert typed_again(session, PROGRAM) is session
    typed = replace(session, interactive=True)
    assert [turn.args for turn in typed_again(typed, PROGRAM).turns] == [None, ("resume", "-c", "x=1")]
    assert typed_again(replace(typed, turns=(Turn("one"), Turn("two"))), PROGRAM).turns[1].args is None
