"""What a compaction leaves of a session of Claude Code, and what is said of the files in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core import specs
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.core.values import replace
from promptls.harnesses.claude_code.later_turns import refused_at
from promptls.sessions.later import BACK, UNTIL_READ, UNTIL_RESUMED, fates, left
from tests.harnesses.shown import Files, preview

pytestmark = pytest.mark.same_everywhere
FILES: Files = {
    "CLAUDE.md": "MARK-root\n",
    "pkg/CLAUDE.md": "MARK-nested\n",
    "pkg/a.py": "1\n",
    ".claude/rules/scoped.md": "---\npaths: pkg/**\n---\nMARK-scoped\n",
}
AUTO = (Call(compact="auto"),)


def _texts(prompt: Prompt) -> str:
    return "\n".join(message.text for message in prompt.messages)


def _reading(top: Path) -> Turn:
    return Turn("look", steps=((Call(read=str(top / "folder/pkg/a.py")),),))


def test_a_process_that_only_goes_on_loses_nested_files_and_scoped_rules(tmp_path: Path) -> None:
    turns = (_reading(tmp_path), Turn(compact="", resumes=True, summary="MARK-summary"), Turn("on", resumes=True))
    shown = _texts(preview(tmp_path, "claude-code", FILES, turns=turns))
    assert "MARK-root" in shown
    assert "MARK-summary" in shown
    assert "MARK-nested" not in shown
    assert "MARK-scoped" not in shown


def test_the_running_program_sends_them_again_as_files(tmp_path: Path) -> None:
    turns = (_reading(tmp_path), Turn(compact=""), Turn("on"))
    shown = _texts(preview(tmp_path, "claude-code", FILES, turns=turns, interactive=True))
    assert "1\tMARK-nested" in shown
    assert "4\tMARK-scoped" in shown


def test_a_prompt_that_is_the_command_compacts(tmp_path: Path) -> None:
    turns = (_reading(tmp_path), Turn("/compact the tests", resumes=True), Turn("on", resumes=True))
    shown = _texts(preview(tmp_path, "claude-code", FILES, turns=turns))
    assert "<command-args>the tests</command-args>" in shown
    assert "MARK-nested" not in shown


def test_what_becomes_of_each_file(tmp_path: Path) -> None:
    before = preview(tmp_path, "claude-code", FILES, turns=(_reading(tmp_path),))
    found = fates(before, lambda session: _again(before, session))
    assert {name: found[str(tmp_path / "folder" / name)] for name in FILES if name != "pkg/a.py"} == {
        "CLAUDE.md": BACK,
        "pkg/CLAUDE.md": UNTIL_READ,
        ".claude/rules/scoped.md": UNTIL_READ,
    }


@pytest.mark.parametrize("harness", ["claude-code", "opencode", "copilot-cli", "gemini-cli"])
def test_what_a_read_brings_comes_again_as_the_spec_says(harness: str, tmp_path: Path) -> None:
    name = {"claude-code": "CLAUDE.md", "gemini-cli": "GEMINI.md"}.get(harness, "AGENTS.md")
    files: Files = {name: "MARK-root\n", f"pkg/{name}": "MARK-nested\n", "pkg/a.py": "1\n"}
    before = preview(tmp_path, harness, files, turns=(_reading(tmp_path),), is_trusted=True)
    found = fates(before, lambda session: _again(before, session))
    assert found[str(tmp_path / "folder" / name)] == BACK
    again = UNTIL_RESUMED if specs.of(harness).brings_once else UNTIL_READ
    assert found[str(tmp_path / "folder/pkg" / name)] == again


def test_a_file_that_is_not_there_any_more_is_left_out(tmp_path: Path) -> None:
    before = preview(tmp_path, "claude-code", FILES, turns=(_reading(tmp_path),))
    assert left(before, replace(before, messages=())) == dict.fromkeys(left(before, before), False)


def test_of_a_harness_whose_compactions_are_not_known_nothing_is_said(tmp_path: Path) -> None:
    before = preview(tmp_path, "aider", {"CONVENTIONS.md": "x\n"})
    assert fates(before, lambda session: pytest.fail(session.harness)) == {}


@pytest.mark.parametrize(
    "turns",
    [
        (Turn(compact=""),),
        (Turn("hi", steps=(AUTO,)),),
        (Turn(compact=""), Turn("hi")),
        (Turn(compact="", resumes=True), Turn(compact=""), Turn("hi", steps=(AUTO, AUTO))),
    ],
)
def test_a_compaction_before_anything_was_said_changes_nothing_and_says_so(
    tmp_path: Path, turns: tuple[Turn, ...]
) -> None:
    prompt = preview(tmp_path, "claude-code", FILES, turns=turns)
    assert any("before anything was said" in note for note in prompt.notes)
    assert "MARK-root" in _texts(prompt)


@pytest.mark.parametrize("is_interactive", [False, True])
def test_a_compaction_behind_another_compacts_what_that_one_kept(tmp_path: Path, is_interactive: bool) -> None:
    """The first one keeps the last answer; the second one has that in its summary, and keeps nothing."""
    again = Turn(compact="", resumes=not is_interactive)
    turns = (_reading(tmp_path), again, replace(again, summary="MARK-second"), Turn("on", resumes=not is_interactive))
    prompt = preview(tmp_path, "claude-code", FILES, turns=turns, interactive=is_interactive)
    texts = [message.text for message in prompt.messages if message.role == "user"]
    assert "MARK-root" in "".join(texts[: next(at for at, text in enumerate(texts) if "MARK-second" in text)])
    assert not any("changes nothing" in note for note in prompt.notes)


def test_a_compaction_that_finds_too_little_is_refused_and_the_next_prompt_says_so(tmp_path: Path) -> None:
    first, refused = Turn(compact="", summary="MARK-first"), Turn(compact="MARK-words", summary="MARK-second")
    turns = (Turn("hi"), first, refused, Turn("on"))
    prompt = preview(tmp_path, "claude-code", FILES, turns=turns, interactive=True)
    shown = _texts(prompt)
    assert "MARK-first" in shown
    assert "MARK-second" not in shown
    assert shown.index("MARK-first") < shown.index("<command-args>MARK-words</command-args>") < shown.rindex("on")
    assert any("changes nothing" in note for note in prompt.notes)


def test_a_compaction_before_anything_was_said_is_an_error_that_the_first_prompt_tells(tmp_path: Path) -> None:
    turns = (Turn(compact="MARK-words"), Turn("MARK-typed"))
    prompt = preview(tmp_path, "claude-code", FILES, turns=turns, interactive=True)
    shown = _texts(prompt)
    assert shown.index("MARK-words") < shown.index("<local-command-stderr>") < shown.index("MARK-typed")


def test_which_compactions_are_refused() -> None:
    one, step, compact, auto = Turn("hi"), Turn("hi", steps=((Call(tool="x"),),)), Turn(compact=""), Turn("/compact")
    assert refused_at(()) == frozenset()
    assert refused_at((compact, one, compact, compact)) == {0, 3}
    assert refused_at((step, compact, auto, compact, one, compact)) == {3}
    assert refused_at((Turn("hi", steps=((Call(tool="x"),), AUTO)), compact, compact)) == {2}
    assert refused_at((compact, compact), is_new=False) == {1}


def test_many_compactions_leave_as_much_as_one(tmp_path: Path) -> None:
    def size(times: int) -> int:
        top = tmp_path / f"{times:03}"
        turns = (*((_reading(top), Turn(compact="", summary="s")) * times), Turn("on"))
        return len(_texts(preview(top, "claude-code", FILES, turns=turns)))

    assert size(2) == size(300)


def test_the_request_for_a_summary_ends_with_what_asks_for_it(tmp_path: Path) -> None:
    turns = (_reading(tmp_path), Turn(compact="the tests"))
    prompt = preview(tmp_path, "claude-code", FILES, turns=turns, request="summary")
    last = prompt.messages[-1]
    assert last.role == "user"
    assert last.text.endswith("Additional Instructions:\nthe tests")
    assert "MARK-nested" in _texts(prompt)


def test_a_session_that_does_not_end_with_a_compaction_has_no_request_for_a_summary(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "claude-code", FILES, turns=(Turn("hi"),), request="summary")
    assert any("does not end with a compaction" in note for note in prompt.notes)


def _again(before: Prompt, session: Session) -> Prompt:
    home = next(each for each in [before.session.cwd])
    return harnesses.preview(session, Host(home=f"{home}/home", env={}))


def test_a_new_process_of_copilot_cli_that_compacts_keeps_no_result(tmp_path: Path) -> None:
    """What is called while the summary is written stays; a process that was asked for it calls nothing."""
    files: Files = {"AGENTS.md": "MARK-root\n", "pkg/a.py": "MARK-result\n"}
    turns = (_reading(tmp_path), Turn(compact="", resumes=True), Turn("on", resumes=True))
    shown = _texts(preview(tmp_path, "copilot-cli", files, turns=turns))
    assert "MARK-root" in shown
    assert "MARK-result" not in shown


def test_a_last_compaction_of_opencode_is_the_one_whose_summary_is_asked_for(tmp_path: Path) -> None:
    files: Files = {"AGENTS.md": "MARK-root\n", "pkg/a.py": "MARK-result\n"}
    turns = (_reading(tmp_path), Turn(compact="", summary="MARK-summary"))
    shown = _texts(preview(tmp_path, "opencode", files, turns=turns, request="summary"))
    assert "[User]: look" in shown
    assert "MARK-result" in shown
    assert "MARK-summary" not in shown


def test_an_automatic_compaction_of_copilot_cli_keeps_what_is_called_after_it(tmp_path: Path) -> None:
    files: Files = {"AGENTS.md": "MARK-root\n", "pkg/AGENTS.md": "MARK-nested\n", "pkg/a.py": "MARK-result\n"}
    (read,) = _reading(tmp_path).steps
    prompt = preview(tmp_path, "copilot-cli", files, turns=(Turn("look", steps=(read, AUTO, read)),))
    assert [each.role for each in prompt.messages if each.at != "start" or each.role == "user"] == ["user", "tool"]
    assert "MARK-nested" not in _texts(prompt)


def test_gemini_cli_sends_the_results_of_an_earlier_process_twice(tmp_path: Path) -> None:
    """So did the real program, also in the third process (seen by verify)."""
    files: Files = {"GEMINI.md": "MARK-root\n", "pkg/a.py": "MARK-result\n"}
    (read,) = _reading(tmp_path).steps
    turns = (_reading(tmp_path), Turn("on", steps=(read,), resumes=True), Turn("end", steps=(read,), resumes=True))
    prompt = preview(tmp_path, "gemini-cli", files, turns=turns, is_trusted=True)
    assert [each.role for each in prompt.messages if each.role == "tool"] == ["tool"] * 5
