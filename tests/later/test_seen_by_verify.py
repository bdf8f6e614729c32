"""Rules of later requests that `promptls verify` has shown, where no captured case has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.harnesses.gemini_cli.capture import PROGRAM
from promptls.kit.launch import Run
from tests.folder import lay_out

pytestmark = pytest.mark.same_everywhere
FILES: dict[str, str | bytes | dict[str, object]] = {
    "CLAUDE.md": "Own text.\n",
    "a.py": "1\n",
    ".claude/settings.json": '{"outputStyle": "terse"}',
    ".claude/output-styles/terse.md": "---\nname: terse\ndescription: d\n---\nBe terse.\n",
    ".claude/agents/explore.md": "---\nname: Explore\ndescription: d\n---\nOwn explorer.\n",
    ".claude/agents/boss.md": "---\nname: boss\ndescription: d\ntools: Agent(other), Read\n---\nBoss.\n",
    ".claude/skills/apart/SKILL.md": "---\nname: apart\ndescription: d\ncontext: fork\n---\nDo it apart.\n",
}
TASKS = "reminder of the task tools"


def prompt(
    tmp_path: Path, *turns: Turn, harness: str = "claude-code", model: str | None = None, interactive: bool = False
) -> Prompt:
    root = tmp_path / "w"
    if not root.exists():
        lay_out(root, FILES)
    session = Session(harness, str(root), turns=turns, is_trusted=True, model=model, interactive=interactive)
    return harnesses.preview(session, Host(home=str(tmp_path), env={}))


def text(found: Prompt) -> str:
    return "\n".join(message.text for message in found.messages)


def starts(agent: str, *steps: tuple[Call, ...]) -> tuple[Call, ...]:
    given = {"description": "d", "prompt": "inner task", "subagent_type": agent, "run_in_background": False}
    return (Call(tool="Agent", input=json.dumps(given), steps=steps),)


def reads(tmp_path: Path) -> tuple[Call, ...]:
    return (Call(read=str(tmp_path / "w/a.py")),)


def test_a_forked_skill_that_is_typed_brings_the_style_along(tmp_path: Path) -> None:
    typed = prompt(tmp_path, Turn("/apart"))
    assert "Do it apart." in text(typed)
    assert "# Output Style: terse\nBe terse." in text(typed)
    assert "# Output Style" not in text(prompt(tmp_path, Turn("go", steps=(starts("general-purpose"),))))


def test_the_list_of_agents_of_a_sub_agent_is_not_limited(tmp_path: Path) -> None:
    found = prompt(tmp_path, Turn("go", steps=(starts("boss", reads(tmp_path)),)))
    assert "\n- general-purpose: " in text(found)


@pytest.mark.parametrize(("steps", "where"), [(9, []), (10, [10]), (21, [10, 20])])
def test_the_task_tools_are_called_to_mind(tmp_path: Path, steps: int, where: list[int]) -> None:
    found = prompt(tmp_path, Turn("go", steps=(reads(tmp_path),) * steps), model="claude-sonnet-4-5")
    results = [message for message in found.messages if message.role == "tool"]
    reminded = [
        number
        for number, message in enumerate(results, 1)
        if any(segment.elided and segment.elided.name == TASKS for segment in message.segments)
    ]
    assert reminded == where


def test_the_tasks_of_the_session_are_listed(tmp_path: Path) -> None:
    made = [
        (Call(tool="TaskCreate", input='{"subject": "first"}'),),
        (Call(tool="TaskCreate", input='{"subject": "second"}'),),
        (Call(tool="TaskCreate", input='{"subject": "third"}'),),
        (Call(tool="TaskUpdate", input='{"taskId": "1", "status": "deleted"}'),),
        (Call(tool="TaskUpdate", input='{"taskId": "2", "status": "completed"}'),),
    ]
    found = prompt(tmp_path, Turn("go", steps=(*made, *(reads(tmp_path),) * 10)), model="claude-sonnet-4-5")
    assert "#2. [completed] second\n#3. [pending] third\n</system-reminder>" in text(found)


def test_a_compaction_in_a_turn_says_the_style_once(tmp_path: Path) -> None:
    again = "terse output style is active."
    step = reads(tmp_path)
    found = prompt(tmp_path, Turn("go", steps=(step, (Call(compact="auto"),))))
    assert "# Output Style: terse" in text(found)
    assert again not in text(found)
    assert again in text(prompt(tmp_path, Turn("go"), Turn(compact=""), Turn("on")))


def test_plan_mode_of_copilot_cli_begins_where_it_is_typed(tmp_path: Path) -> None:
    found = prompt(
        tmp_path, Turn("one"), Turn("/plan two"), Turn("three"), harness="copilot-cli", interactive=True, model="x"
    )
    said = [message.text for message in found.messages if message.role == "user"]
    assert ["<plan_mode>" in each for each in said] == [False, True, False]
    ends = ("\n\none", "My request: two", "My request: three")
    assert all(each.endswith(end) for each, end in zip(said, ends, strict=True))
    assert said[2].partition("\n\n")[2].startswith("[[PLAN]] ")
    assert {"exit_plan_mode", "task_complete"} <= {tool.name for tool in found.tools or ()}


def test_each_compaction_of_copilot_cli_adds_a_line(tmp_path: Path) -> None:
    def size(times: int) -> int | None:
        turns = [each for _ in range(times) for each in (Turn("go"), Turn(compact="", summary="all"))]
        found = prompt(tmp_path, *turns, Turn("on"), harness="copilot-cli", interactive=True, model="x")
        parts = (segment.elided for message in found.messages for segment in message.segments)
        return next(each.size for each in parts if each and each.name == "paragraph on the compaction")

    assert [size(1), size(2), size(3)] == [298, 343, 387]


@pytest.mark.parametrize("args", [("--approval-mode", "plan"), ("--approval-mode=plan",), ()])
def test_a_mode_is_said_once_to_gemini_cli(args: tuple[str, ...]) -> None:
    """Twice, the program ends."""
    started = PROGRAM.start(Run("/h", "/u", "/w", "go", args=args, mode="plan"))
    assert sum(each.startswith("--approval-mode") for each in started.arguments) == 1
