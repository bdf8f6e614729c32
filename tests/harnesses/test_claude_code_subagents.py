"""Sub-agents of Claude Code where no captured session shows them: bad input, copies, what an agent's own file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Call, Prompt, Turn
from tests.harnesses.shown import Files, preview, segments
from tests.path_sizes import without_memory

pytestmark = pytest.mark.same_everywhere
AGENT = "---\nname: own\ndescription: d\n{}\n---\nMARK-body\n"
READ = Call(tool="Read", input=json.dumps({"file_path": "pkg/a.py"}))
ONLINE = {"DISABLE_TELEMETRY": "", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": ""}
FILES: Files = {
    "CLAUDE.md": "MARK-root",
    "pkg/CLAUDE.md": "MARK-nested",
    "pkg/a.py": "MARK-code",
    "pkg/.claude/skills/near/SKILL.md": "---\ndescription: MARK-near\n---\nx",
}


def _starts(name: str, *steps: tuple[Call, ...], **more: object) -> Call:
    given = {"subagent_type": name, "prompt": "MARK-task", "run_in_background": False, **more}
    return Call(tool="Agent", input=json.dumps(given), steps=steps)


def _shown(top: Path, *steps: tuple[Call, ...], files: Files | None = None, **session: Any) -> Prompt:
    return preview(top, "claude-code", {**FILES, **(files or {})}, turns=(Turn("hi", steps=steps),), **session)


def _text(prompt: Prompt) -> str:
    return "\n".join(message.text for message in prompt.messages)


def test_an_agent_that_does_not_exist_gets_an_error_and_the_session_goes_on(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, (_starts("nobody", (READ,)),))
    assert prompt.agent is None
    assert prompt.notes == (
        (
            "There is no agent nobody, so the call that starts nobody gets an error; the one that called it goes on."
            " There are Explore, Plan, claude, general-purpose and statusline-setup."
        ),
    )
    assert any(segment.title == "error of the call that starts nobody" for segment in segments(prompt))


def test_an_agent_without_the_tool_starts_no_other_one(tmp_path: Path) -> None:
    inner = _starts("Explore", ())
    prompt = _shown(tmp_path, (_starts("own", (inner,)),), files={".claude/agents/own.md": AGENT.format("tools: Read")})
    assert prompt.agent == "own"
    assert any(note.startswith("The one that calls has no tool for that") for note in prompt.notes)


def test_the_list_of_an_agent_says_nothing_of_which_others_it_starts(tmp_path: Path) -> None:
    """As only the session's own does (seen by verify)."""
    own = AGENT.format("tools: Agent(Plan)")
    prompt = _shown(tmp_path, (_starts("own", (_starts("Explore", ()),)),), files={".claude/agents/own.md": own})
    assert prompt.agent == "Explore"


def test_agents_inside_of_themselves(tmp_path: Path) -> None:
    call = _starts("general-purpose", (READ,))
    for _ in range(10):
        call = _starts("general-purpose", (READ,), (call,))
    prompt = _shown(tmp_path, (call,))
    assert prompt.notes == (
        f"The last call of the session starts the agent {CHAIN}: the last request of that agent is shown.",
    )
    # The ones above have read the file, so the skill near it is in the list at start; its own read brings the file.
    assert _text(prompt).count("MARK-near") == 1
    assert "MARK-nested" in _text(prompt)


CHAIN = " in ".join(["general-purpose"] * 11)


def test_what_a_sub_agent_reads_stays_there_but_for_the_skills(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, (_starts("Explore", (READ,)),), (Call(tool="Glob"),))
    text = _text(prompt)
    assert "MARK-nested" not in text
    assert "MARK-near" in text
    assert "New skills discovered" not in text
    assert "  <tools-used-before-summary>Read</tools-used-before-summary>\n  \n" in text


def test_a_copy_has_the_history_and_goes_on(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, (READ,), (_starts("fork", (Call(tool="Bash"),)),))
    assert prompt.agent is None
    text = _text(prompt)
    assert text.index("MARK-nested") < text.index("Your directive: MARK-task") < text.index("result of Bash")


def test_a_message_to_nobody(tmp_path: Path) -> None:
    told = Call(tool="SendMessage", input=json.dumps({"to": "mate", "message": "more"}), steps=())
    prompt = _shown(tmp_path, (told,))
    assert prompt.agent is None
    assert prompt.notes == ("No call before has started an agent with the name “mate”, so nobody gets this.",)


def test_an_agent_without_files_gets_them_with_a_read(tmp_path: Path) -> None:
    own: Files = {".claude/agents/own.md": AGENT.format("omitClaudeMd: true")}
    text = _text(_shown(tmp_path, (_starts("own", (READ,)),), files=own))
    assert "MARK-root" not in text
    assert "MARK-nested" in text


@pytest.mark.parametrize("trusts", [False, True])
def test_hooks_of_an_agent_run_in_a_trusted_folder(tmp_path: Path, *, trusts: bool) -> None:
    context = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "MARK-hook"}}
    hooks = {"PreToolUse": [{"matcher": "Read", "hooks": [{"command": f"echo '{json.dumps(context)}'"}]}]}
    own: Files = {".claude/agents/own.md": AGENT.format(f"hooks: {json.dumps(hooks)}")}
    prompt = _shown(tmp_path, (_starts("own", (READ,)),), files=own, is_trusted=trusts)
    assert ("PreToolUse:Read hook additional context: MARK-hook" in _text(prompt)) == trusts


@pytest.mark.parametrize("trusts", [False, True])
def test_servers_of_an_agent_start_in_a_trusted_folder(tmp_path: Path, *, trusts: bool) -> None:
    own: Files = {".claude/agents/own.md": AGENT.format('mcpServers: [{"srv": {"command": "x"}}, "other"]')}
    titles = [
        each.title for each in segments(_shown(tmp_path, (_starts("own", (READ,)),), files=own, is_trusted=trusts))
    ]
    assert ("tools of srv" in titles) == ("instructions of srv" in titles) == trusts


def test_a_thousand_turns_with_agents(tmp_path: Path) -> None:
    turns = tuple(Turn(f"{number}", steps=((_starts("Explore", (READ,)),),)) for number in range(1000))
    prompt = preview(tmp_path, "claude-code", FILES, turns=turns)
    assert prompt.agent == "Explore"
    assert len(prompt.messages) < 20


@pytest.mark.parametrize(("mode", "title"), [("plan", "mode plan"), ("bypass", "mode bypassPermissions")])
def test_a_mode_by_its_name(tmp_path: Path, mode: str, title: str) -> None:
    assert any(each.title == title for each in segments(_shown(tmp_path, mode=mode)))


def test_a_mode_that_it_has_not(tmp_path: Path) -> None:
    (says,) = _shown(tmp_path, mode="review").notes
    assert says.startswith("Claude Code has no mode review; it has default, acceptEdits")


def test_an_agent_that_is_asked_for_is_the_main_one(tmp_path: Path) -> None:
    says = "This is a main session with the agent Explore. As a sub-agent it gets another prompt: --subagent Explore."
    assert _shown(tmp_path, agent="Explore").notes == (says,)


def test_a_command_of_its_own_that_an_agent_gets(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "claude-code", FILES, turns=(Turn("/review MARK-pull"),))
    assert prompt.agent == "general-purpose"
    assert "Review target: `MARK-pull`" in _text(prompt)


@pytest.mark.parametrize(("is_interactive", "size"), [(False, 7015), (True, 6748 + 259)])
def test_the_prompt_of_a_command_with_a_model(tmp_path: Path, *, is_interactive: bool, size: int) -> None:
    files: Files = {".claude/skills/m/SKILL.md": "---\ndescription: d\nmodel: sonnet\n---\nx"}
    turns = (Turn("/m", steps=((READ,),)),)
    prompt = preview(tmp_path, "claude-code", files, turns=turns, interactive=is_interactive)
    assert prompt.model == "claude-sonnet-5-5"
    begins, own = prompt.messages[2].segments
    assert own.elided
    assert begins.characters + (without_memory(prompt, own.elided) or 0) == size


LINES = "The following skills are available for use with the Skill tool:\n\n- near"
FORKED: Files = {".claude/skills/fork/SKILL.md": "---\nname: fork\ndescription: d\ncontext: fork\n---\nx", "b.py": "b"}


@pytest.mark.parametrize("tool", ["Agent", "Skill"])
def test_on_the_screen_a_session_hears_later_what_an_agent_has_found(tmp_path: Path, tool: str) -> None:
    skill = Call(tool="Skill", input='{"skill": "fork"}', steps=((READ,),))
    start = skill if tool == "Skill" else _starts("general-purpose", (READ,))
    steps = ((start,), (Call(read="b.py"),))
    prompt = _shown(tmp_path, *steps, files=FORKED, interactive=True)
    notice = [each.title for each in segments(prompt)].index("notice that it runs in the background")
    text = "".join(each.text for each in segments(prompt)[notice:])
    assert text.index("1\tb") < text.index(LINES), "with the results of the step after it (seen by verify)"
    if tool == "Skill":
        says = 'Skill "fork" launched (forked execution, running in the background).\n\n'
        assert f"{says}Running in the background as @fork" in text
    waited = _text(_shown(tmp_path / "printed", *steps, files=FORKED))
    assert waited.index(LINES) < waited.index("1\tb"), "a session that prints has waited"


def test_on_the_screen_the_next_prompt_tells_what_an_agent_has_found(tmp_path: Path) -> None:
    turns = (Turn("one", steps=((_starts("Explore", (READ,)),),)), Turn("two"))
    text = _text(preview(tmp_path, "claude-code", FILES, turns=turns, interactive=True))
    assert text.index("two") < text.index(LINES)
    assert "New skills discovered" not in text


def test_the_notice_of_an_agent_in_the_background_names_a_file(tmp_path: Path) -> None:
    found = _shown(tmp_path, (_starts("Explore", ()),), (Call(read="b.py"),), files=FORKED, interactive=True)
    notice = next(each for each in segments(found) if each.title == "notice that it runs in the background")
    assert notice.elided is not None
    assert notice.elided.size == 1037 + len(found.session.cwd) - len("/mnt/workspace")


def _of(top: Path, front: str, files: Files | None = None, **session: Any) -> Prompt:
    files = {".claude/agents/own.md": AGENT.format(front), **(files or {})}
    return _shown(top, (_starts("own"),), files=files, **session)


def _sizes(prompt: Prompt) -> dict[str, int | None]:
    return {tool.name: tool.size for tool in prompt.tools or () if tool.enabled}


@pytest.mark.parametrize(
    ("front", "note"),
    [
        ("model: inherit", 419),
        ("tools: Bash, Read", 341),
        ("tools: Read, SendMessage", 419),
        ("disallowedTools: SendMessage", 341),
    ],
)
def test_every_agent_hands_its_report_back_in_auto_mode(tmp_path: Path, front: str, note: int) -> None:
    """Whatever its list of tools says; what it is told of it names messages where it can send them."""
    prompt = _of(tmp_path, front, mode="auto", env=ONLINE)
    assert _sizes(prompt)["SubagentHandback"] == 863
    assert [each.elided.size for each in segments(prompt) if each.elided and each.title == "note on the report"] == [
        note
    ]
    assert "SubagentHandback" not in _sizes(_of(tmp_path / "other", front, env=ONLINE))


@pytest.mark.parametrize(
    ("session", "own", "bash"),
    [
        ("claude-opus-5-5", "claude-haiku-5-5", 3892 - 311),
        ("claude-haiku-5-5", "claude-opus-5-5", 3892),
        ("claude-opus-5-5", "claude-sonnet-4-5", 12_062),
    ],
)
def test_the_model_of_the_session_decides_over_commands_where_nothing_is_asked(
    tmp_path: Path, session: str, own: str, bash: int
) -> None:
    args = ("--model", session)
    prompt = _of(tmp_path, f"model: {own}", mode="bypassPermissions", args=args)
    assert _sizes(prompt)["Bash"] == bash


@pytest.mark.parametrize(
    ("own", "says", "commits"),
    [
        (
            "claude-opus-4-6",
            "Opus 4.6 (1M context). The exact model ID is claude-opus-4-6[1m].",
            " Opus 4.6 (1M context)",
        ),
        ("claude-opus-4.6", "Opus 4.6 (1M context). The exact model ID is claude-opus-4.6[1m].", ""),
        ("claude-sonnet-4.5", "Sonnet 4.5. The exact model ID is claude-sonnet-4.5.", ""),
        ("claude-sonnet-4-5", "Sonnet 4.5. The exact model ID is claude-sonnet-4-5.", " Sonnet 4.5"),
    ],
)
def test_a_model_may_be_written_with_a_dot(tmp_path: Path, own: str, says: str, commits: str) -> None:
    text = _text(_of(tmp_path, f"model: {own}"))
    assert f"named {says}" in text
    assert f"Co-Authored-By: Claude{commits} <" in text
    # As of any older model, what it is told stands in the first message.
    assert "<system-reminder>\nYou are powered by the model named" in text


def test_a_forked_skill_hands_no_report_back(tmp_path: Path) -> None:
    """(seen by verify)"""
    call = Call(tool="Skill", input=json.dumps({"skill": "fork"}), steps=())
    prompt = _shown(tmp_path, (call,), files=FORKED, mode="auto", env=ONLINE)
    assert prompt.agent == "general-purpose"
    assert "SubagentHandback" not in _sizes(prompt)


def test_the_note_on_the_report_follows_the_skills_of_the_agent(tmp_path: Path) -> None:
    """(seen by verify)"""
    files: Files = {".claude/skills/psk/SKILL.md": "---\ndescription: d\n---\nMARK-psk\n"}
    prompt = _of(tmp_path, "skills: psk", files=files, mode="auto", env=ONLINE)
    text = _text(prompt)
    assert text.index("MARK-task\n") < text.index("MARK-psk\n") < text.index("note on the report")


def test_the_next_sub_agent_knows_the_skills_that_one_beside_the_session_has_found(tmp_path: Path) -> None:
    """(seen by verify)"""
    first, second = (Turn("hi", steps=((_starts("Explore", steps),),)) for steps in ((READ,), ()))
    prompt = preview(tmp_path, "claude-code", FILES, turns=(first, second), interactive=True)
    assert "MARK-near" in _text(prompt)


def test_what_a_hook_adds_after_a_compaction_has_no_word_for_that(tmp_path: Path) -> None:
    """(seen by verify)"""
    context = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "MARK-hook"}}
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": f"echo '{json.dumps(context)}'"}]}]}
    files: Files = {".claude/settings.json": json.dumps({"hooks": hooks})}
    turns = (Turn("hi"), Turn(compact=""), Turn("again"))
    prompt = preview(tmp_path, "claude-code", files, turns=turns, interactive=True, is_trusted=True)
    assert "SessionStart hook additional context: MARK-hook" in _text(prompt)
