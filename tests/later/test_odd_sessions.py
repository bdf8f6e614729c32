"""Sessions of Codex and opencode that cannot be: a sentence says so, and what can be is shown; long ones end soon."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.core.values import replace
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
ASKED = Turn(prompt="one two")
# A sub-agent that starts another one: of Codex by the tools of either version, of opencode.
TOOLS = {"codex": "spawn_agent", "opencode": "task"}


def prompt(
    tmp_path: Path,
    harness: str,
    *turns: Turn,
    model: str = "stub/stub",
    mode: str | None = None,
    trusted: bool = False,
    interactive: bool = False,
) -> Prompt:
    root = lay_out(tmp_path / "w", {"AGENTS.md": "Own text.", "a.py": "1\n"})
    session = Session(
        harness, str(root), turns=turns, model=model, interactive=interactive, mode=mode, is_trusted=trusted
    )
    return harnesses.preview(session, Host(home=str(tmp_path), env={}))


def delegating(harness: str, agent: str, *steps: tuple[Call, ...]) -> Turn:
    name = "agent_type" if harness == "codex" else "subagent_type"
    said = '"message": "inner task", "prompt": "inner task", "task_name": "sub", "fork_turns": "none"'
    call = Call(tool=TOOLS[harness], input=f'{{"{name}": "{agent}", {said}}}', namespace="collaboration", steps=steps)
    return replace(ASKED, steps=((call,),))


@pytest.mark.parametrize(
    ("harness", "agent", "says"),
    [
        ("codex", "Worker", "Did you mean 'worker'?"),
        ("codex", "nobody", "There are default, explorer and worker."),
        ("opencode", "generla", "Did you mean 'general'?"),
        ("opencode", "nobody", "There are build, explore, general and plan."),
    ],
)
def test_the_agents_that_there_are_in_place_of_one_that_does_not_exist(
    tmp_path: Path, harness: str, agent: str, says: str
) -> None:
    notes = prompt(tmp_path, harness, delegating(harness, agent)).notes
    assert any(note.endswith(f"the main session is shown. {says}") for note in notes)


@pytest.mark.parametrize("harness", TOOLS)
def test_a_sub_agent_is_said_to_be_shown(tmp_path: Path, harness: str) -> None:
    agent = "worker" if harness == "codex" else "general"
    says = "The last call of the session starts the agent {}: the {} request of that agent is shown."
    first = prompt(tmp_path / "1", harness, delegating(harness, agent))
    last = prompt(tmp_path / "2", harness, delegating(harness, agent, (Call(read="a.py"),)))
    assert says.format(agent, "first") in first.notes
    assert says.format(agent, "last") in last.notes


@pytest.mark.parametrize("harness", TOOLS)
def test_a_sub_agent_that_does_not_exist(tmp_path: Path, harness: str) -> None:
    found = prompt(tmp_path, harness, delegating(harness, "nobody"))
    assert any("'nobody', so no sub-agent starts, and the main session is shown" in note for note in found.notes)
    assert "one two" in "".join(message.text for message in found.messages)


@pytest.mark.parametrize(
    ("harness", "agent", "says"),
    [
        ("codex", "worker", "cannot start another one, so the request of the first one is shown."),
        ("opencode", "general", "The agent general has no tool task, so what it starts is left out."),
    ],
)
def test_a_sub_agent_inside_of_itself(tmp_path: Path, harness: str, agent: str, says: str) -> None:
    inner = delegating(harness, agent).calls
    found = prompt(tmp_path, harness, delegating(harness, agent, inner))
    assert any(says in note for note in found.notes)
    assert sum("inner task" in message.text for message in found.messages) == 1


def test_a_sub_agent_of_version_2_may_start_another_one(tmp_path: Path) -> None:
    turn = delegating("codex", "worker", delegating("codex", "worker").calls)
    found = prompt(tmp_path, "codex", turn, model="gpt-6.1-sol")
    said = [message.text for message in found.messages if message.role == "agent_message"]
    assert said == ["Message Type: NEW_TASK\nTask name: /root/sub/sub\nSender: /root/sub\nPayload:\n", "inner task"]


@pytest.mark.parametrize("harness", TOOLS)
@pytest.mark.parametrize("turns", [(Turn(compact=""),), (Turn(compact=""), ASKED)])
def test_a_compaction_before_anything_was_said(tmp_path: Path, harness: str, turns: tuple[Turn, ...]) -> None:
    found = prompt(tmp_path, harness, *turns)
    who = "Codex" if harness == "codex" else harness
    says = f"Nothing was said before a compaction, so {who} has nothing to sum up; it is left out."
    assert [note for note in found.notes if "compaction" in note or "provider" in note] == [says]


def test_copilot_cli_says_nothing_of_a_compaction_that_it_refuses(tmp_path: Path) -> None:
    plain = prompt(tmp_path / "a", "copilot-cli", ASKED, interactive=True)
    refused = prompt(tmp_path / "b", "copilot-cli", Turn(compact=""), ASKED, interactive=True)
    assert [re.findall("[0-9]+ characters", message.text) for message in refused.messages] == [
        re.findall("[0-9]+ characters", message.text) for message in plain.messages
    ]


def test_codex_on_the_screen_asks_for_a_summary_of_nothing(tmp_path: Path) -> None:
    found = prompt(tmp_path, "codex", Turn(compact="", summary="SUMMARY"), ASKED, interactive=True)
    *_, told, asked = [message.text for message in found.messages if message.role == "user"]
    assert told.endswith("SUMMARY")
    assert asked == ASKED.prompt
    assert not any("left out" in note for note in found.notes)


@pytest.mark.parametrize("harness", TOOLS)
def test_a_step_without_calls_and_a_task_that_is_no_object(tmp_path: Path, harness: str) -> None:
    assert not prompt(tmp_path, harness, replace(ASKED, steps=((),))).is_fault
    call = Call(tool=TOOLS[harness], input='"text"', steps=())
    assert not prompt(tmp_path / "b", harness, replace(ASKED, steps=((call,),))).is_fault


@pytest.mark.parametrize("harness", TOOLS)
def test_thousands_of_turns_and_compactions(tmp_path: Path, harness: str) -> None:
    step = (Call(read=str(tmp_path / "w" / "a.py")),)
    turns = [each for n in range(1500) for each in (Turn(prompt=f"prompt {n}", steps=(step,)), Turn(compact="short"))]
    found = prompt(tmp_path, harness, *turns, ASKED)
    assert found.messages[-1].text.strip('"') == "one two"
    # What was read before the last compaction is gone, but for the newest messages of opencode.
    assert sum(message.role == "tool" for message in found.messages) < (1 if harness == "codex" else 200)


def test_a_mode_that_does_not_exist(tmp_path: Path) -> None:
    found = prompt(tmp_path, "codex", ASKED, mode="foo")
    assert "Codex has no mode 'foo': there are default, plan and review. The usual one is shown." in found.notes


@pytest.mark.parametrize(
    ("harness", "modes"),
    [("copilot-cli", "interactive, plan and autopilot"), ("gemini-cli", "default, auto_edit, yolo and plan")],
)
def test_a_mode_that_does_not_exist_is_the_usual_one(tmp_path: Path, harness: str, modes: str) -> None:
    found = prompt(tmp_path, harness, ASKED, mode="foo", trusted=True)
    assert any(f"has no mode 'foo': there are {modes}. The usual one is shown." in note for note in found.notes)
    for known in modes.replace(" and ", ", ").split(", "):
        notes = prompt(tmp_path / known, harness, ASKED, mode=known, trusted=True).notes
        assert not any("has no mode" in note for note in notes)


@pytest.mark.parametrize("harness", ["claude-code", "opencode", "copilot-cli", "gemini-cli"])
def test_a_request_for_a_title_that_is_not_known(tmp_path: Path, harness: str) -> None:
    root = lay_out(tmp_path / "w", {"AGENTS.md": "Own text."})
    session = Session(harness, str(root), turns=(ASKED,), request="title", is_trusted=True)
    found = harnesses.preview(session, Host(home=str(tmp_path), env={}))
    assert any("The request for a title is not modelled for " in note for note in found.notes)
    assert "one two" in "".join(message.text for message in found.messages)


def test_gemini_cli_keeps_all_from_the_last_prompt_on(tmp_path: Path) -> None:
    read, auto = (Call(read=str(tmp_path / "w/a.py")),), (Call(compact="auto"),)
    found = prompt(tmp_path, "gemini-cli", ASKED, Turn("three", steps=(read, auto, read)), trusted=True)
    said = [message.text for message in found.messages if message.index > 1]
    assert said == ["Got it. Thanks for the additional context!", "three", "1\n", "1\n"]
    assert "one two" not in "".join(message.text for message in found.messages)


def test_gemini_cli_compresses_nothing_in_its_first_turn(tmp_path: Path) -> None:
    read, auto = (Call(read=str(tmp_path / "w/a.py")),), (Call(compact="auto"),)
    found = prompt(tmp_path, "gemini-cli", replace(ASKED, steps=(read, auto, read)), trusted=True)
    assert any("Gemini CLI compresses nothing" in note for note in found.notes)
    assert [message.text for message in found.messages if message.role == "tool"] == ["1\n", "1\n"]


def test_copilot_cli_compacts_beside_the_turn(tmp_path: Path) -> None:
    read, auto = (Call(read=str(tmp_path / "w/a.py")),), (Call(compact="auto"),)
    turn = replace(ASKED, steps=(read, auto, read))
    found = prompt(tmp_path, "copilot-cli", turn)
    assert any("sends the whole history until the model has written the summary" in note for note in found.notes)
    assert [message.role for message in found.messages if message.index][:2] == ["user", "tool"]
    asking = Session("copilot-cli", found.session.cwd, turns=(replace(turn, steps=(read, auto)),), request="summary")
    asked = harnesses.preview(asking, Host(home=str(tmp_path), env={}))
    assert [message.role for message in asked.messages if message.index][-2:] == ["tool", "user"]


def test_codex_compacts_before_it_sends_a_prompt(tmp_path: Path) -> None:
    """A compaction that is the first step of a turn: the prompt stands behind the summary, and not in its request."""
    turn = Turn("three $", steps=((Call(compact="auto", summary="the talk"),),))
    said = [message.text for message in prompt(tmp_path, "codex", ASKED, turn).messages if message.role == "user"]
    assert (said[-3], said[-1]) == ("one two", "three $")
    assert said[-2].endswith("the talk")
    session = Session("codex", str(tmp_path / "w"), turns=(ASKED, turn), model="stub/stub", request="summary")
    asked = harnesses.preview(session, Host(home=str(tmp_path), env={})).messages
    assert "three $" not in {message.text for message in asked}
    assert [message.text for message in asked[-2:-1]] == ["one two"]


def _told_by_gemini_cli(tmp_path: Path, *turns: Turn) -> list[str]:
    found = prompt(tmp_path, "gemini-cli", *turns, trusted=True).messages
    return [message.text.strip() for message in found if message.index > 2]


def test_gemini_cli_sends_a_result_once_that_a_compression_has_recorded(tmp_path: Path) -> None:
    """Other results stand twice in a session that is taken up, which is a defect of the program."""
    read, auto = (Call(read=str(tmp_path / "w/a.py")),), (Call(compact="auto"),)
    turns = (ASKED, Turn("three", steps=(read, auto, read)), Turn("four", resumes=True))
    assert _told_by_gemini_cli(tmp_path, *turns) == ["three", "1", "1", "1", "four"]


def test_gemini_cli_measures_the_history_with_its_calls(tmp_path: Path) -> None:
    """Up to the first prompt behind 70 %: many calls with short results are much."""
    read, auto = (Call(read=str(tmp_path / "w/a.py")),), (Call(compact="auto"),)
    turns = (ASKED, Turn("two", steps=(read,) * 40), Turn("three", steps=(read,)), Turn("four", steps=(read, auto)))
    assert _told_by_gemini_cli(tmp_path, *turns) == ["three", "1", "four", "1"]


def test_codex_reviews_what_is_typed(tmp_path: Path) -> None:
    """On the screen, words behind ``/review`` start a review: of its own, and without a collaboration mode."""
    root = str(lay_out(tmp_path / "w", {"AGENTS.md": "Own text."}))
    turns = (ASKED, Turn("/review three $"))
    found, said = (
        harnesses.preview(
            Session("codex", root, turns=each, model="stub/stub", interactive=True, mode=mode),
            Host(home=str(tmp_path), env={}),
        )
        for each, mode in ((turns, None), ((Turn("three $"),), "review"))
    )
    assert [message.text for message in found.messages] == [message.text for message in said.messages]
    assert found.messages[-1].text == "three $"
    assert not any("<collaboration_mode>" in message.text for message in found.messages)


def test_opencode_sums_up_all_that_fits_a_second_time(tmp_path: Path) -> None:
    """The summary is the answer to a compaction, so nothing stands before the prompt after it."""
    compact = Turn(compact="", summary="the talk")
    found = prompt(tmp_path, "opencode", ASKED, compact, Turn("three"), compact, Turn("four"))
    told = [message.text for message in found.messages if message.role in ("user", "assistant")]
    assert told == ["What did we do so far?", "the talk", "four"]
