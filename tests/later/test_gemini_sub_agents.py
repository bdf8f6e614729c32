"""Sub-agents of Gemini CLI where no model, no file of the user's, or the program on the screen makes them others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
AGENT = "---\nname: rev\ndescription: Own rev.\n---\nOwn body."


def started(tmp_path: Path, agent: str, *args: str, interactive: bool = False, model: str | None = None) -> Prompt:
    root = lay_out(tmp_path / "w", {"a.py": "1\n"})
    home = lay_out(tmp_path / "home", {".gemini/agents/rev.md": AGENT}, git=False)
    call = Call(tool="invoke_agent", input=f'{{"agent_name": "{agent}", "prompt": "do it"}}', steps=())
    turns = (Turn(prompt="one", steps=((call,),)),)
    session = Session(
        "gemini-cli", str(root), turns=turns, model=model, args=args, is_trusted=True, interactive=interactive
    )
    return harnesses.preview(session, Host(home=str(home), env={}))


@pytest.mark.parametrize(("model", "size"), [(None, 11008), ("gemini-2.5-pro", 4725)])
def test_the_text_of_the_generalist_is_that_of_the_model(tmp_path: Path, model: str | None, size: int) -> None:
    first = started(tmp_path, "generalist", model=model).messages[0].segments[0]
    assert first.elided is not None
    assert first.elided.size == size


@pytest.mark.parametrize(
    ("model", "size"), [(None, 985), ("auto-gemini-2.5", 977), ("gemini-2.5-pro", 977), ("gemini-2.5-flash", 979)]
)
def test_the_one_that_helps_is_told_the_model(tmp_path: Path, model: str | None, size: int) -> None:
    first = started(tmp_path, "cli_help", model=model).messages[0].segments[0]
    assert first.elided is not None
    assert first.elided.size == size


@pytest.mark.parametrize("model", [None, "gemini-2.5-pro"])
@pytest.mark.parametrize("agent", ["rev", "generalist"])
def test_skills_are_introduced_alike_to_every_sub_agent(tmp_path: Path, agent: str, model: str | None) -> None:
    segments = started(tmp_path, agent, "--yolo", model=model).messages[0].segments
    sizes = [each.elided.size for each in segments if each.title == "introduction of skills" and each.elided]
    assert sizes[-1] == 192
    rules = [each.elided.size for each in segments if each.title == "rules of sub-agents" and each.elided]
    assert rules == [989 if agent == "rev" else 750]


def test_a_sub_agent_gets_the_definitions_that_every_model_gets(tmp_path: Path) -> None:
    sizes = {each.name: each.size for each in started(tmp_path, "generalist", interactive=True).tools or ()}
    assert (sizes["read_file"], sizes["replace"], sizes["ask_user"]) == (878, 4222, 1844)
    assert "write_todos" not in sizes


@pytest.mark.parametrize(("model", "size"), [(None, 986), ("gemini-2.5-pro", 878)])
def test_one_that_names_its_model_gets_the_definitions_for_it(tmp_path: Path, model: str | None, size: int) -> None:
    found = started(tmp_path, "codebase_investigator", model=model).tools or ()
    assert [each.size for each in found if each.name == "read_file"] == [size]


def test_one_empty_line_stands_before_the_directories(tmp_path: Path) -> None:
    text = started(tmp_path, "rev", "--yolo").messages[0].text
    assert "</available_skills>\n\n⟪" in text.replace("\r", "") or "</available_skills>\n\n" in text
    assert "</available_skills>\n\n\n" not in text


@pytest.mark.parametrize(
    ("harness", "tool", "key"),
    [("gemini-cli", "invoke_agent", "agent_name"), ("copilot-cli", "task", "agent_type")],
)
def test_a_call_without_steps_is_over_and_the_main_session_goes_on(
    tmp_path: Path, harness: str, tool: str, key: str
) -> None:
    root = lay_out(tmp_path / "w", {".gemini/agents/rev.md": AGENT, ".github/agents/rev.agent.md": AGENT})
    home = lay_out(tmp_path / "home", {".gemini/agents/rev.md": AGENT}, git=False)

    def asked(steps: tuple[()] | None, *, interactive: bool | None) -> Prompt:
        call = Call(tool=tool, input=json.dumps({key: "rev", "prompt": "do it"}), steps=steps)
        turns = (Turn(prompt="one", steps=((call,),)),)
        session = Session(harness, str(root), turns=turns, is_trusted=True, interactive=interactive)
        return harnesses.preview(session, Host(home=str(home), env={}))

    def asks(prompt: Prompt, task: str) -> bool:
        return any(each.role == "user" and each.text.endswith(task) for each in prompt.messages)

    main = asked(None, interactive=False)
    assert asks(main, "one")
    assert not asks(main, "do it")
    assert main.messages[-1].role == "tool"
    for inside in (asked((), interactive=False), asked(None, interactive=None)):
        assert asks(inside, "do it")


@pytest.mark.parametrize("agent", ["generalist", "rev"])
def test_plan_mode_refuses_agents_that_may_change_something(tmp_path: Path, agent: str) -> None:
    shown = started(tmp_path, agent, "--approval-mode", "plan")
    says = (
        f"The agent {agent!r} may not be started in plan mode, so no sub-agent starts, and the main session is shown."
    )
    assert says in shown.notes
    assert "do it" not in "".join(each.text for each in shown.messages)


def test_a_sub_agent_is_told_of_plan_mode(tmp_path: Path) -> None:
    def rules(folder: str, *args: str) -> int:
        (tmp_path / folder).mkdir()
        segments = started(tmp_path / folder, "codebase_investigator", *args).messages[0].segments
        (size,) = (each.elided.size for each in segments if each.title == "rules of sub-agents" and each.elided)
        return size or 0

    home, project = str(tmp_path / "a" / "home"), "w"
    assert rules("a", "--approval-mode", "plan") == rules("b") + 273 + len(home) + len(project)
