"""What the turns of a session of Claude Code bring, where a captured session or a scenario does not show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptls import harnesses
from promptls.core.host import Host
from promptls.core.model import Call, Prompt, Session, Turn
from promptls.core.values import replace
from promptls.harnesses.claude_code.turns.mentions import Mention, mentions
from promptls.harnesses.claude_code.turns.user_turns import command_in
from promptls.harnesses.claude_code.versions import NEWEST
from promptls.kit.versions import given
from tests.folder import lay_out
from tests.harnesses.shown import preview

pytestmark = pytest.mark.same_everywhere


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@a.txt, @b.txt. and @a.txt", [Mention("a.txt"), Mention("b.txt")]),
        ("(@a.txt a@b.txt", []),
        ('@"my file.txt" @"open', [Mention("my file.txt")]),
        ("@a.txt#L3-5 @a.txt#L7", [Mention("a.txt", 3, 5), Mention("a.txt", 7, 7)]),
        ("@d/ @../x.py @~/y", [Mention("d"), Mention("../x.py"), Mention("~/y")]),
        ("@./ @日本 @", []),
    ],
)
def test_mentions_are_parted_as_javascript_parts_words(text: str, found: list[Mention]) -> None:
    assert list(mentions(text)) == found


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("/fix", ("fix", "")),
        ("/fix  a 'b c' ", ("fix", "a 'b c'")),
        (" /fix a", None),
        ("/ fix", None),
        ("/ns:sub\nmore", ("ns:sub", "more")),
        ("see /fix", None),
        ("/", None),
        (None, None),
    ],
)
def test_a_command_is_the_first_word_behind_a_slash(prompt: str | None, found: tuple[str, str] | None) -> None:
    assert command_in(prompt) == found


def _shown(folder: Path, *turns: Turn, **session: Any) -> Prompt:
    return harnesses.preview(
        Session("claude-code", str(folder), turns=turns, **session), Host(home=str(folder / "home"), env={})
    )


def _texts(prompt: Prompt, role: str) -> list[str]:
    return [message.text for message in prompt.messages if message.role == role]


def test_a_part_of_a_file_is_read_and_the_second_time_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\r\ntwo\nthree\n", encoding="utf-8")
    part = Call(tool="Read", input='{"file_path": "a.txt", "offset": 2, "limit": 1}')
    results = _texts(_shown(tmp_path, Turn("hi", steps=((part,), (Call(read=str(tmp_path / "a.txt")),)))), "tool")
    assert results[0] == "2\ttwo"
    assert results[1].startswith("⟪result of reading ")


@pytest.mark.parametrize(("given", "tag"), [("", ""), (" for 'this' ", "\n<command-args>for 'this'</command-args>")])
def test_a_command_of_the_programs_own_is_named_in_tags(tmp_path: Path, given: str, tag: str) -> None:
    blocks = _texts(_shown(tmp_path, Turn(f"/init{given}")), "user")
    assert blocks[-2] == f"<command-message>init</command-message>\n<command-name>/init</command-name>{tag}\n"
    assert blocks[-1].startswith("⟪text of /init")


@pytest.mark.parametrize("given", ["/nosuch z", "/config", "/a:b"])
def test_on_the_screen_a_command_that_is_no_skill_asks_no_model(given: str, tmp_path: Path) -> None:
    """Seen by verify: what is typed next is sent as if the command had not been there."""
    (tmp_path / ".claude/commands").mkdir(parents=True)
    (tmp_path / ".claude/commands/known.md").write_text("Known.\n", encoding="utf-8")
    alone = _shown(tmp_path, Turn("hi"), Turn(given), interactive=True)
    assert (
        alone.stopped
        == f"Claude Code sends nothing: it carries out {given.split(maxsplit=1)[0]} itself, or does not know it."
    )
    for kind in ({}, {"editor": True}):
        assert _shown(tmp_path, Turn(given), **kind).stopped is None
    for asks in ("/known", "/init", "/review", "/a/b", "/mcp__s__p"):
        assert _shown(tmp_path, Turn(asks), interactive=True).stopped is None
    plain = _shown(tmp_path, Turn("hi"), Turn("ho"), interactive=True)
    between = _shown(tmp_path, Turn("hi"), Turn(given), Turn("ho"), interactive=True)
    assert [each.text for each in between.messages] == [each.text for each in plain.messages]
    assert [note for note in between.notes if "itself, or does not know it" in note] != []


def test_after_a_path_that_is_typed_no_tool_is_named_yet(tmp_path: Path) -> None:
    """Seen by verify."""
    names = []
    for turns in ((Turn("/a/b"),), (Turn("/a/b"), Turn("hi"))):
        prompt = _shown(tmp_path, *turns)
        names.append([each.name for each in prompt.tools or () if each.enabled and not each.size])
    assert names[0] == []
    assert "WebFetch" in names[1]


def test_a_mention_of_lines_keeps_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    blocks = _texts(_shown(tmp_path, Turn("@a.txt#L2-3")), "user")
    assert "<system-reminder>\nResult of calling the Read tool:\n2\ttwo\n3\tthree\n</system-reminder>" in blocks


@pytest.mark.parametrize(
    ("version", "lines", "named"),
    [
        ("2.1.332", "#L2-3", ',"offset":2,"limit":2'),
        ("2.1.332", "#L2", ',"offset":2,"limit":1'),
        ("2.1.332", "#L3-99", ',"offset":3,"limit":97'),
        ("2.1.332", "#L3-2", ""),
        ("2.1.332", "", ""),
        ("2.1.330", "#L2-3", ""),
    ],
)
def test_the_call_for_a_mention_names_its_lines(version: str, lines: str, named: str, tmp_path: Path) -> None:
    """Seen by verify with each of these versions."""
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    blocks = _texts(_shown(tmp_path, Turn(f"see @a.txt{lines} now"), version=version), "user")
    [call] = [block for block in blocks if "Called the Read tool" in block]
    assert f'/a.txt"{named}}}\n' in call


def test_secrets_of_a_configuration_that_is_read_are_stars(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[env]\nOWN = 'canary-7f3a'\n", encoding="utf-8")
    prompt = _shown(tmp_path, Turn("see @a.toml", steps=((Call(read=str(tmp_path / "a.toml")),),)))
    assert not any("canary" in message.text for message in prompt.messages)
    assert "1\t[env]\n2\tOWN = *************\n3\t" in _texts(prompt, "tool")


@pytest.mark.parametrize("given", ["", "x", "[]", '{"skill": 3}', '{"prompt": {}}', '{"file_path": "\\u0000"}'])
@pytest.mark.parametrize("tool", ["Read", "Bash", "Skill", "Agent", "Write"])
def test_an_input_that_makes_no_sense_is_a_call_like_others(tmp_path: Path, tool: str, given: str) -> None:
    for args in ((), ("--bare",)):
        prompt = _shown(tmp_path, Turn("", steps=((Call(tool=tool, input=given),),)), args=args)
        assert prompt.stopped is None
        assert all(message.text for message in prompt.messages)


@pytest.mark.parametrize(
    ("model", "second", "number"),
    [
        ("claude-opus-4-8", "and", 2),
        ("claude-haiku-5-5", "/init", 1),
        ("claude-sonnet-4-5", "and", 2),
        ("claude-sonnet-4-5", "/a/b", 1),
        ("claude-opus-5-5", "and", 0),
    ],
)
def test_how_often_the_tokens_that_are_left_are_said(tmp_path: Path, model: str, second: str, number: int) -> None:
    prompt = _shown(tmp_path, Turn("hi"), Turn(second), args=("--model", model))
    said = [each for message in prompt.messages for each in message.segments if each.title == "token counter"]
    assert len(said) == number


def test_a_row_may_name_a_model_more_that_is_told_of_its_tokens(tmp_path: Path) -> None:
    row = replace(NEWEST, counting_models=("claude-opus-5-5",))
    with given({NEWEST.version.name: row}):
        prompt = _shown(tmp_path, Turn("hi"), args=("--model", "claude-opus-5-5"))
    assert sum(each.title == "token counter" for message in prompt.messages for each in message.segments) == 1


def test_a_skill_that_forks_names_one_of_the_agents(tmp_path: Path) -> None:
    agents = {f".claude/agents/{name}.md": f"---\nname: {name}\ndescription: d\n---\nI am {name}." for name in "abc"}
    lay_out(tmp_path, {".claude/skills/s/SKILL.md": "---\ncontext: fork\nagent: b\n---\nGo.", **agents})
    prompt = _shown(tmp_path, Turn("/s"))
    assert any(text.startswith("I am b.") for text in _texts(prompt, "system"))
    assert prompt.agent == "b"


@pytest.mark.parametrize(
    ("args", "prompt", "model"),
    [
        (("--agent", "a"), "hi", "claude-haiku-5-5"),
        (("--agent", "a", "--model", "sonnet"), "hi", "claude-sonnet-5-5"),
        (("--agent", "inherits"), "hi", "claude-opus-5-5"),
        (("--agent", "inherits", "--model", "sonnet"), "hi", "claude-sonnet-5-5"),
        ((), "/c", "claude-haiku-5-5"),
        (("--model", "sonnet"), "/c", "claude-haiku-5-5"),
        (("--model", "sonnet"), "/same", "claude-sonnet-5-5"),
        (("--agent", "a"), "/same", "claude-haiku-5-5"),
    ],
)
def test_which_model_is_asked(tmp_path: Path, args: tuple[str, ...], prompt: str, model: str) -> None:
    front = {"agents/a.md": "name: a\ndescription: d\nmodel: haiku", "commands/c.md": "model: haiku"}
    front |= {
        "agents/inherits.md": "name: inherits\ndescription: d\nmodel: inherit",
        "commands/same.md": "model: inherit",
    }
    lay_out(tmp_path, {f".claude/{name}": f"---\n{text}\n---\nx" for name, text in front.items()})
    assert _shown(tmp_path, Turn(prompt), args=args).model == model


def test_a_session_asks_for_its_model_before_its_agent(tmp_path: Path) -> None:
    lay_out(tmp_path, {".claude/agents/a.md": "---\nname: a\ndescription: d\nmodel: haiku\n---\nx"})
    session = Session("claude-code", str(tmp_path), agent="a", model="sonnet")
    assert harnesses.preview(session, Host(home=str(tmp_path / "home"), env={})).model == "claude-sonnet-5-5"


def test_of_an_unknown_command_a_bare_session_is_told_nothing(tmp_path: Path) -> None:
    assert _texts(_shown(tmp_path, Turn("/nosuch"), args=("--bare",)), "user") == ["/nosuch"]


def test_a_file_that_is_mentioned_keeps_its_letters(tmp_path: Path) -> None:
    (tmp_path / "ü.txt").write_text("x", encoding="utf-8")
    assert '/ü.txt"}' in _texts(_shown(tmp_path, Turn('see @"ü.txt"')), "user")[0]


def test_an_agent_that_safe_mode_lacks_is_there_without_it(tmp_path: Path) -> None:
    prompt = _shown(tmp_path, Turn("hi"), args=("--agent", "statusline-setup"))
    assert prompt.stopped is None
    assert [each.name for each in prompt.tools or () if each.enabled] == ["DeferredToolPlaceholder", "Edit", "Read"]


def test_a_skill_that_is_for_some_files_is_typed_once_one_of_them_was_read(tmp_path: Path) -> None:
    lay_out(tmp_path, {".claude/skills/s/SKILL.md": "---\npaths: src/**\n---\nGo.", "src/a.ts": "a", "b.ts": "b"})
    for name, is_known in (("src/a.ts", True), ("b.ts", False)):
        first = Turn("hi", steps=((Call(read=str(tmp_path / name)),),))
        texts = _texts(_shown(tmp_path, first, Turn("/s")), "user")
        assert any("Go." in text for text in texts) is is_known
        assert any("starts with the slash command /s" in text for text in texts) is not is_known


def test_an_agent_on_the_command_line_is_started_with_its_skills(tmp_path: Path) -> None:
    lay_out(tmp_path, {".claude/skills/s/SKILL.md": "Go."})
    agents = '{"a": {"description": "d", "prompt": "I am a.", "skills": ["s"]}}'
    call = Call(tool="Agent", input='{"subagent_type": "a", "prompt": "task"}')
    prompt = _shown(tmp_path, Turn("hi", steps=((call,),)), args=("--agents", agents))
    texts = _texts(prompt, "user")
    assert texts[-3].startswith("task")
    assert "<skill-format>true</skill-format>" in texts[-2]
    assert texts[-1].endswith("Go.")


@pytest.mark.parametrize(("front", "agent"), [("", "general-purpose"), ("disable-model-invocation: true\n", None)])
def test_a_fork_that_is_kept_from_the_model_starts_nothing(tmp_path: Path, front: str, agent: str | None) -> None:
    lay_out(tmp_path, {".claude/skills/s/SKILL.md": f"---\ncontext: fork\n{front}---\nGo."})
    call = Call(tool="Skill", input='{"skill": "s"}')
    assert _shown(tmp_path, Turn("hi", steps=((call,),))).agent == agent


@pytest.mark.parametrize(("given", "adds"), [({}, False), ({"limit": 10}, True), ({"offset": 3}, False)])
def test_a_file_that_is_too_large_as_a_whole_cannot_be_read(
    given: dict[str, object], adds: bool, tmp_path: Path
) -> None:
    """(captured: AGENTS.md beside a file of 262,200 bytes was not added, with a limit it was)."""
    folder = lay_out(tmp_path / "w", {"AGENTS.md": "root\n", "n/AGENTS.md": "nested\n", "n/big.txt": "a\n" * 131_073})
    call = Call(tool="Read", input=json.dumps({"file_path": f"{folder}/n/big.txt", **given}))
    session = Session("claude-code", str(folder), turns=(Turn(prompt="hi", steps=((call,),)),))
    prompt = harnesses.preview(session, Host(home=str(tmp_path), env={}))
    assert any("nested" in message.text for message in prompt.messages) is adds


@pytest.mark.parametrize("was_read", [False, True])
def test_a_file_that_is_gone_was_read_if_the_record_says_so(was_read: bool, tmp_path: Path) -> None:
    folder = lay_out(tmp_path / "w", {"AGENTS.md": "root\n", "n/AGENTS.md": "nested\n"})
    call = Call(read=f"{folder}/n/gone.txt", was_read=was_read)
    session = Session("claude-code", str(folder), turns=(Turn(prompt="hi", steps=((call,),)),))
    prompt = harnesses.preview(session, Host(home=str(tmp_path), env={}))
    assert any("nested" in message.text for message in prompt.messages) is was_read


# -- /plan, typed in the interactive program (each of these seen by verify) --------------------------------------------


def _titles(prompt: Prompt) -> list[list[str]]:
    """The titles of each message, without frames."""
    return [[each.title for each in message.segments if not each.frame] for message in prompt.messages]


def _of_screen(top: Path, *typed: str) -> Prompt:
    turns = tuple(Turn(each) for each in typed)
    return preview(top, "claude-code", {"CLAUDE.md": "MARK"}, turns=turns, interactive=True)


def test_a_plan_that_is_asked_for_is_told_with_the_next_prompt(tmp_path: Path) -> None:
    asked = _of_screen(tmp_path / "asked", "one", "/plan look around")
    indent = " " * 12
    tags = ("<command-name>/plan</command-name>", "<command-message>plan</command-message>")
    assert [message.text for message in asked.messages][-2:] == [
        f"\n{indent}".join((*tags, "<command-args>look around</command-args>\n")),
        "<local-command-stdout>⟪answer of /plan of Claude Code, 19 characters: not reproduced⟫</local-command-stdout>",
    ]
    after = _of_screen(tmp_path / "after", "one", "/plan look around", "two")
    assert _titles(after)[-2:] == [["prompt of the user"], ["mode plan"]]


def test_a_plan_that_is_asked_for_first_comes_before_all_else(tmp_path: Path) -> None:
    first = _of_screen(tmp_path / "first", "/plan look around")
    assert _titles(first)[-3:] == [["arguments"], ["answer of /plan"], ["date"]]
    assert not any(tool.enabled and tool.size == 0 for tool in first.tools or ()), "nothing names them yet"
    after = _of_screen(tmp_path / "after", "/plan look around", "two")
    assert _titles(after)[-1].count("mode plan") == 1
    assert "mode auto" not in str(_titles(after))


def test_the_mode_alone_asks_nothing(tmp_path: Path) -> None:
    later = _of_screen(tmp_path / "later", "one", "/plan", "two")
    assert _titles(later)[-5:] == [
        *(["caveat on local commands"], [], ["answer of /plan"], ["prompt of the user"], ["mode plan"])
    ]
    first = _of_screen(tmp_path / "first", "/plan", "two")
    assert "mode plan" in _titles(first)[-1]
    assert "mode auto" not in _titles(first)[-1]
    assert _titles(first)[-5:-1] == [*(["caveat on local commands"], [], ["answer of /plan"], ["prompt of the user"])]


def test_in_a_run_that_prints_it_is_an_unknown_command(tmp_path: Path) -> None:
    prompt = preview(tmp_path, "claude-code", {"CLAUDE.md": "MARK"}, turns=(Turn("/plan x"),), interactive=False)
    assert "reminder of unknown commands" in str(_titles(prompt))
