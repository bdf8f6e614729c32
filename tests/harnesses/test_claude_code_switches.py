"""What one setting, option or variable of Claude Code changes: the titles that a session has more or less with it."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Call, Turn
from tests.harnesses.shown import Files, changed, preview, titles

pytestmark = pytest.mark.same_everywhere
USER = "~/.claude/settings.json"
PLAIN: Files = {
    "CLAUDE.md": "root",
    "~/memory/MEMORY.md": "remember",
    USER: {"autoMemoryDirectory": "~/memory"},
    "b/x.py": "x",
    "~/.claude.json": {"mcpServers": {"of-user": {"command": "c"}}},
    ".mcp.json": {"mcpServers": {"of-project": {"command": "c"}}},
}


def difference(top: Path, files: Files, **session: Any) -> str:
    return changed(top, "claude-code", PLAIN, files, **session)


HOOK = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo x"}]}]}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"includeCoAuthoredBy": False},
            (
                "-note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62"
            ),
        ),
        ({"includeCoAuthoredBy": True}, ""),
        (
            {"includeGitInstructions": False},
            (
                "-git status -note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62"
            ),
        ),
        (
            {"attribution": {"commit": "", "pr": ""}},
            (
                "-note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62"
            ),
        ),
        ({"attribution": {"commit": ""}}, "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>'"),
        ({"attribution": {"pr": "by me"}}, "-end of pull requests 62 +attribution 'by me'"),
        ({"attribution": {"commit": 1, "pr": None}}, "-~/memory/MEMORY.md 'remember'"),
        ({"hooks": HOOK}, "+output of the UserPromptSubmit hook echo x 'x'"),
        ({"hooks": HOOK, "disableAllHooks": False}, "+output of the UserPromptSubmit hook echo x 'x'"),
        ({"hooks": HOOK, "disableAllHooks": True}, ""),
        ({"autoMemoryEnabled": False}, "-own prompt 7014 +own prompt 4946 -~/memory/MEMORY.md 'remember'"),
        ({"autoMemoryEnabled": True}, ""),
        ({"permissions": {"deny": ["Skill"]}}, "-own prompt 7014 +own prompt 6849 -13 skills"),
        (
            {"permissions": {"deny": ["Bash"]}},
            (
                "-note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62"
            ),
        ),
        (
            {"permissions": {"deny": ["Agent"]}},
            (
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133"
            ),
        ),
        (
            {"permissions": {"deny": ["ToolSearch"]}},
            ("+tools of of-project +tools of of-user -how to find tools 248 -tools of of-project -tools of of-user"),
        ),
        (
            {"permissions": {"additionalDirectories": ["~/.claude", "b"]}},
            "+additional directories ' - Additional working directories:\\n  - ~/.claude\\n'",
        ),
        ({"permissions": {"defaultMode": "plan"}}, "+mode plan 4898"),
        (
            {"language": "Latin"},
            ("+language 'Latin' +note on the language 150 +language 'Latin' +note on spelling 223"),
        ),
        ({"language": ""}, ""),
        ({"disableBundledSkills": True}, "-12 skills"),
        ({"disableBundledSkills": False}, ""),
        ({"skillOverrides": {"run": "off", "loop": "name-only", "init": "user-invocable-only"}}, "-3 skills"),
        (
            {"env": {"ENABLE_TOOL_SEARCH": " No "}},
            ("+tools of of-project +tools of of-user -how to find tools 248 -tools of of-project -tools of of-user"),
        ),
        ({"env": {"ENABLE_TOOL_SEARCH": "1"}}, ""),
        (
            {"env": {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "yes"}},
            "-preamble of the files 193 -CLAUDE.md 'root' -~/memory/MEMORY.md 'remember'",
        ),
        (
            {"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}},
            "-own prompt 7014 +own prompt 4946 -~/memory/MEMORY.md 'remember'",
        ),
        (
            {"env": {"CLAUDE_CODE_SIMPLE": "1"}},
            (
                "+bare prompt 'CWD: .\\nDate: 2026-11-21' -own prompt 7014 -preamble of the files 193 "
                "-CLAUDE.md 'root' -~/memory/MEMORY.md 'remember' -git status -note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62 -working directory ' - Primary working directory: .\\n' "
                "-repository ' - Is a git repository: true\\n' -platform ' - Platform: linux\\n "
                "- Shell: bash\\n - OS Version: ' -version of the system -note on the environment 475 "
                "-note on the environment 67 -model 83 -knowledge of the model 41 "
                "-how to find tools 248 -tools of of-project -tools of of-user "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -instructions of of-project "
                '-instructions of of-user -13 skills -date "Today\'s date is 2026-11-21."'
            ),
        ),
        ({"env": {"CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "on"}}, "-12 skills"),
        ({"outputStyle": "Explanatory"}, "-own prompt 7014 +own prompt 7052 +output style Explanatory 1023"),
        ({"outputStyle": "default"}, ""),
        ({"enableAllProjectMcpServers": True}, ""),
        ({"enableAllProjectMcpServers": False}, ""),
        ({"enabledMcpjsonServers": ["of-project"]}, ""),
        ({"disabledMcpjsonServers": ["of-project"]}, "-tools of of-project -instructions of of-project"),
        (
            {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "make x"}, {"command": 1}]}]}},
            "+output of the UserPromptSubmit hook make x",
        ),
        ({"claudeMd": "of the user"}, ""),
        ({"claudeMdExcludes": ["**/CLAUDE.md"]}, "-CLAUDE.md 'root'"),
        ({"claudeMdExcludes": [1]}, "-~/memory/MEMORY.md 'remember'"),
        ({"skillListingBudgetFraction": 0.0001}, "-2 skills"),
        (
            {"model": "claude-opus-4-8"},
            (
                "-own prompt 7014 +own prompt 6740 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "+end of commits 'Co-Authored-By: Claude Opus 4.8 <noreply@anthropic.com>' "
                "-knowledge of the model 41 +knowledge of the model 44 +token counter 49"
            ),
        ),
        (
            {"model": "own-model"},
            (
                "-own prompt 7014 +own prompt 6747 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "+end of commits +model 'You are powered by the model own-model.' -model 83 "
                "-knowledge of the model 41"
            ),
        ),
    ],
)
def test_a_setting(tmp_path: Path, settings: dict[str, object], expected: str) -> None:
    files: Files = {USER: {"autoMemoryDirectory": "~/memory", **settings}}
    assert difference(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("--bare",),
            (
                "+bare prompt 'CWD: .\\nDate: 2026-11-21' -own prompt 7014 -preamble of the files 193 "
                "-CLAUDE.md 'root' -~/memory/MEMORY.md 'remember' -git status -note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62 -working directory ' - Primary working directory: .\\n' "
                "-repository ' - Is a git repository: true\\n' -platform ' - Platform: linux\\n "
                "- Shell: bash\\n - OS Version: ' -version of the system -note on the environment 475 "
                "-note on the environment 67 -model 83 -knowledge of the model 41 "
                "-how to find tools 248 -tools of of-project -tools of of-user "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -instructions of of-project "
                '-instructions of of-user -13 skills -date "Today\'s date is 2026-11-21."'
            ),
        ),
        (
            ("--safe-mode",),
            (
                "-own prompt 7014 +own prompt 4946 "
                "-preamble of the files 193 -CLAUDE.md 'root' -~/memory/MEMORY.md 'remember' "
                "-tools of of-project -tools of of-user -description of statusline-setup 71 "
                "-instructions of of-project -instructions of of-user"
            ),
        ),
        (
            ("--restricted",),
            (
                "-own prompt 7014 +own prompt 4946 "
                "-preamble of the files 193 -CLAUDE.md 'root' -~/memory/MEMORY.md 'remember' "
                "-note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62 "
                "-tools of of-project -tools of of-user -instructions of of-project "
                "-instructions of of-user"
            ),
        ),
        (("--disable-slash-commands",), "-own prompt 7014 +own prompt 6849 -13 skills"),
        (
            ("--tools", "Bash,Read"),
            (
                "-own prompt 7014 +own prompt 6849 +tools of of-project +tools of of-user "
                "-how to find tools 248 -tools of of-project -tools of of-user "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -13 skills"
            ),
        ),
        (
            ("--tools", ""),
            (
                "-own prompt 7014 +own prompt 6849 +tools of of-project +tools of of-user "
                "-note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62 -how to find tools 248 -tools of of-project -tools of of-user "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -13 skills"
            ),
        ),
        (("--tools", "default"), ""),
        (
            ("--disallowedTools", "Bash Skill"),
            (
                "-own prompt 7014 +own prompt 6849 -note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62 -13 skills"
            ),
        ),
        (
            ("--disallowed-tools", "Bash,Agent"),
            (
                "-note on attribution 353 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "-end of pull requests 62 -description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133"
            ),
        ),
        (
            ("--add-dir", "~/.claude", "b"),
            "+additional directories ' - Additional working directories:\\n  - ~/.claude\\n'",
        ),
        (("--exclude-dynamic-system-prompt-sections",), "-own prompt 7014 +own prompt 4601 +memory section"),
        (("--system-prompt", "mine"), "-own prompt 7014 +--system-prompt 'mine' -git status"),
        (("--append-system-prompt", "mine"), "-identity line 62 +identity line 94 +--append-system-prompt 'mine'"),
        (("--setting-sources", "user"), "-CLAUDE.md 'root' -tools of of-project -instructions of of-project"),
        (("--setting-sources", "project"), "-~/memory/MEMORY.md 'remember' -tools of of-user -instructions of of-user"),
        (
            ("--strict-mcp-config",),
            ("-tools of of-project -tools of of-user -instructions of of-project -instructions of of-user"),
        ),
        (
            ("--setting-sources", "project, local"),
            "-~/memory/MEMORY.md 'remember' -tools of of-user -instructions of of-user",
        ),
        (("--permission-mode", "plan"), "+mode plan 4898"),
        (("--dangerously-skip-permissions",), "+mode bypassPermissions 493"),
        (("-c",), "-prompt of the user 'hi' +prompt of the user +prompt of the user 'hi'"),
        (("--resume", "x"), "-prompt of the user 'hi' +prompt of the user +prompt of the user 'hi'"),
        (
            ("--model", "claude-opus-4-8"),
            (
                "-own prompt 7014 +own prompt 6740 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "+end of commits 'Co-Authored-By: Claude Opus 4.8 <noreply@anthropic.com>' "
                "-knowledge of the model 41 +knowledge of the model 44 +token counter 49"
            ),
        ),
        (
            ("--model", "claude-opus-4-8-20260101"),
            (
                "-own prompt 7014 +own prompt 6740 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "+end of commits 'Co-Authored-By: Claude Opus 4.8 <noreply@anthropic.com>' -model 83 "
                "+model 92 -knowledge of the model 41 +knowledge of the model 44 +token counter 49"
            ),
        ),
        (
            ("--model", "own-model"),
            (
                "-own prompt 7014 +own prompt 6747 "
                "-end of commits 'Co-Authored-By: Claude Opus 5.5 <noreply@anthropic.com>' "
                "+end of commits +model 'You are powered by the model own-model.' -model 83 "
                "-knowledge of the model 41"
            ),
        ),
        (("--agent", "nobody"), "nothing is sent: there is no agent nobody, so Claude Code ends"),
        (("--agent", "claude"), ""),
        (
            ("--safe-mode", "--agent", "Plan"),
            (
                "-own prompt 7014 +own prompt 4946 "
                "-preamble of the files 193 -CLAUDE.md 'root' -~/memory/MEMORY.md 'remember' "
                "-tools of of-project -tools of of-user -description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 "
                "-instructions of of-project -instructions of of-user"
            ),
        ),
        (
            ("--safe-mode", "--agent", "statusline-setup"),
            "nothing is sent: there is no agent statusline-setup, so Claude Code ends",
        ),
        (("--mcp-config", '{"mcpServers": {"s": {"command": "c"}}}'), "+tools of s +instructions of s"),
        (
            ("--mcp-config", '{"mcpServers": {"s": {"command": "c"}}}', "--tools", "Bash"),
            (
                "-own prompt 7014 +own prompt 6849 +tools of s +tools of of-project +tools of of-user "
                "-how to find tools 248 -tools of of-project -tools of of-user "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 +instructions of s "
                "-13 skills"
            ),
        ),
    ],
)
def test_an_option(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    assert difference(tmp_path, {}, args=args) == expected


AGENTS = ("claude", "Explore", "general-purpose", "Plan", "statusline-setup")
ALL_AGENTS = (
    "-description of claude 111 -description of Explore 398 -description of general-purpose 279 "
    "-description of Plan 226 -description of statusline-setup 71 -how to use agents 133"
)
GUIDE = "+description of claude-code-guide 1004"
NO_WORKFLOWS = "-description of the skill workflow-authoring 230 -Workflow 5688"
SMALLER = "-ScheduleWakeup 4886 +ScheduleWakeup 4631"


# All seen by verify, with 2.1.332.
@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("CLAUDE_CODE_DISABLE_AGENT_VIEW", "-description of claude 111"),
        ({"disableAgentView": True}, "-description of claude 111"),
        ({"disableAgentView": False}, ""),
        ("CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS", "-description of Explore 398 -description of Plan 226"),
        (
            "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS",
            f"{ALL_AGENTS} -Agent 5244 +Agent 5338",
        ),
        (
            {"permissions": {"deny": [f"Agent({each})" for each in AGENTS]}},
            ALL_AGENTS,
        ),
        ("CLAUDE_CODE_DISABLE_CRON", "-description of the skill loop 336"),
        ("CLAUDE_CODE_DISABLE_CLAUDE_API_SKILL", "-description of the skill claude-api 1157"),
        ("CLAUDE_CODE_DISABLE_WORKFLOWS", NO_WORKFLOWS),
        ({"disableWorkflows": True}, NO_WORKFLOWS),
        ({"enableWorkflows": False}, NO_WORKFLOWS),
        ({"enableWorkflows": True}, ""),
        ({"workflowSizeGuideline": "small"}, "-Workflow 5688 +Workflow 5615"),
        ("ENABLE_PROMPT_CACHING_1H", SMALLER),
        ("ENABLE_PROMPT_CACHING_1H FORCE_PROMPT_CACHING_5M", ""),
        ({"promptCacheTtl": "1h"}, SMALLER),
        ("CLAUDE_CODE_ACTION", f"-billing line 74 +billing line 92 {GUIDE}"),
        ("CLAUDE_CODE_ENTRYPOINT=sdk-py", "-billing line 74 +billing line 73"),
        ("CLAUDE_CODE_ENTRYPOINT=cli", ""),
        (
            "CLAUDE_CODE_DISABLE_1M_CONTEXT",
            "-description of the skill init 59 -description of the skill security-review 71",
        ),
    ],
)
def test_a_switch(tmp_path: Path, says: str | dict[str, object], expected: str) -> None:
    """What a variable or a setting takes away or adds, tools with the sizes of their definitions."""
    env = (
        {}
        if isinstance(says, dict)
        else {each.partition("=")[0]: each.partition("=")[2] or "1" for each in says.split()}
    )
    before, after = (
        [
            *titles(prompt, tmp_path),
            *(f"{tool.name} {tool.size}" for tool in prompt.tools or () if tool.enabled and tool.size),
        ]
        for prompt in (
            preview(tmp_path / "1", "claude-code", {}),
            preview(tmp_path / "2", "claude-code", {USER: says} if isinstance(says, dict) else {}, env=env),
        )
    )
    lines = [line.replace(" ", "", 1) for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert " ".join(lines) == expected


@pytest.mark.parametrize(
    ("model", "is_interactive", "variable", "expected"),
    [
        ("claude-opus-5-5", False, "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS", {"Agent": 94}),
        ("claude-sonnet-4-5", False, "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS", {"Agent": 94}),
        ("claude-opus-5-5", True, "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS", {}),
        ("claude-sonnet-4-5", False, "ENABLE_PROMPT_CACHING_1H", {"ScheduleWakeup": -255}),
        ("claude-opus-5-5", True, "ENABLE_PROMPT_CACHING_1H", {"ScheduleWakeup": -255}),
    ],
)
def test_a_switch_by_model_and_kind_of_session(
    tmp_path: Path, model: str, is_interactive: bool, variable: str, expected: dict[str, int]
) -> None:
    """By how many characters the definitions of tools are longer; seen by verify, with 2.1.332."""
    was, now = (
        {
            tool.name: tool.size or 0
            for tool in preview(
                tmp_path / name, "claude-code", {}, env=env, model=model, interactive=is_interactive
            ).tools
            or ()
        }
        for name, env in (("1", {}), ("2", {variable: "1"}))
    )
    assert {name: size - was[name] for name, size in now.items() if size != was[name]} == expected


@pytest.mark.parametrize(
    ("args", "printing", "on_screen"),
    [
        (("--system-prompt", "Only this."), {"git status": 0}, {"git status": 1}),
        (("--json-schema", '{"type": "object"}'), {"StructuredOutput": 255}, {"StructuredOutput": None}),
        (("--exclude-dynamic-system-prompt-sections",), {"memory section": 1}, {"memory section": 0}),
        (("--disable-slash-commands",), {"own prompt": -165}, {"own prompt": -136}),
        (("--tools", "Bash"), {"own prompt": -165}, {"own prompt": -136}),
    ],
)
def test_an_option_by_kind_of_session(
    tmp_path: Path, args: tuple[str, ...], printing: dict[str, int | None], on_screen: dict[str, int | None]
) -> None:
    """How many parts have a title, how long a tool is, and how much longer its own prompt; seen by verify (2.1.332)."""

    def seen(name: str, given: tuple[str, ...], *, interactive: bool) -> dict[str, int | None]:
        prompt = preview(tmp_path / name, "claude-code", PLAIN, args=given, interactive=interactive)
        parts = [each for message in prompt.messages for each in message.segments]
        own = sum((each.elided.size or 0) if each.elided else 0 for each in parts if each.title == "own prompt")
        counted = {title: sum(each.title == title for each in parts) for title in ("git status", "memory section")}
        return {**counted, "own prompt": own, **{each.name: each.size for each in prompt.tools or ()}}

    for name, expected, interactive in (("print", printing, False), ("screen", on_screen, True)):
        now, plain = (seen(f"{name}{len(given)}", given, interactive=interactive) for given in (args, ()))
        now["own prompt"] = (now["own prompt"] or 0) - (plain["own prompt"] or 0)
        assert {title: now.get(title) for title in expected} == expected


@pytest.mark.parametrize(("variable", "option"), [("SAFE_MODE", "--safe-mode"), ("RESTRICTED", "--restricted")])
def test_a_variable_that_says_what_an_option_does(tmp_path: Path, variable: str, option: str) -> None:
    named = difference(tmp_path / "1", {}, env={f"CLAUDE_CODE_{variable}": "1"})
    assert named == difference(tmp_path / "2", {}, args=(option,)) != ""


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({"availableModels": ["haiku"]}, "Opus 5.5"),
        ({"availableModels": ["haiku"], "enforceAvailableModels": True}, "Haiku 5.5"),
        ({"availableModels": ["haiku", "opus"], "enforceAvailableModels": True}, "Opus 5.5"),
        ({"availableModels": ["haiku"], "enforceAvailableModels": True, "model": "sonnet"}, "Sonnet 5.5"),
        ({"availableModels": [], "enforceAvailableModels": True}, "Opus 5.5"),
    ],
)
def test_the_first_of_the_models_that_are_allowed(tmp_path: Path, settings: dict[str, object], model: str) -> None:
    prompt = preview(tmp_path, "claude-code", {USER: settings})
    assert any(f"Co-Authored-By: Claude {model} <" in message.text for message in prompt.messages)


@pytest.mark.parametrize(
    ("says", "name"),
    [
        ("CLAUDE_CODE_PERFORCE_MODE", "CLAUDE_CODE_PERFORCE_MODE"),
        ({"ultracode": True}, "ultracode"),
        ({"sandbox": {"enabled": True}}, "sandbox.enabled"),
        ({"sandbox": {"enabled": False}}, ""),
    ],
)
def test_what_changes_a_prompt_in_a_way_that_is_not_shown(
    tmp_path: Path, says: str | dict[str, object], name: str
) -> None:
    env, settings = ({}, says) if isinstance(says, dict) else ({says: "1"}, {})
    prompt = preview(tmp_path, "claude-code", {USER: settings}, env=env)
    said = [each.origin.name for each in prompt.candidates if "does not model" in each.why]
    assert said == [name] * bool(name)


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("--max-budget-usd", "1"), ["--max-budget-usd"]),
        (("--thinking", "disabled", "--task-budget", "9", "--teammate-mode", "in-process"), []),
        (("--system-prompt-snapshot", "on", "--max-thinking-tokens", "9"), []),
    ],
)
def test_options_that_are_named(tmp_path: Path, args: tuple[str, ...], named: list[str]) -> None:
    """Seen by verify, with 2.1.332: the others change nothing that is shown."""
    prompt = preview(tmp_path, "claude-code", {}, args=args)
    assert [each.origin.name for each in prompt.candidates if "prompt is shown without" in each.why] == named


@pytest.mark.parametrize("args", [("--bare",), ("--disallowedTools", "Task")])
def test_an_older_version_without_the_tool_that_lists_agents(tmp_path: Path, args: tuple[str, ...]) -> None:
    for given, number in (((), 1), (args, 0)):
        prompt = preview(tmp_path / str(number), "claude-code", PLAIN, version="2.1.85", args=given)
        assert len([message for message in prompt.messages if message.role == "tools" and message.text]) == number


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"autoMemoryEnabled": 1}, "This must be true or false"),
        ({"language": 1}, "This must be a string"),
        ({"env": []}, "This must be an object"),
        ({"claudeMdExcludes": [1]}, "This must be a string"),
        ({"claudeMdExcludes": {}}, "This must be an array"),
        ({"attribution": {"pr": 1}}, "This must be a string"),
    ],
)
def test_a_setting_of_the_wrong_type(tmp_path: Path, settings: dict[str, object], says: str) -> None:
    prompt = preview(tmp_path, "claude-code", {USER: settings})
    (failed,) = [each for each in prompt.candidates if each.outcome == "failed"]
    assert [each.message for each in failed.faults] == [
        f"{says}; Claude Code ignores this whole file until it is fixed."
    ]


@pytest.mark.parametrize(("args", "is_open"), [((), False), (("--mcp-config", "{}"), True)])
def test_an_older_version_has_a_section_on_servers_where_there_may_be_some(
    tmp_path: Path, args: tuple[str, ...], is_open: bool
) -> None:
    prompt = preview(tmp_path, "claude-code", {}, version="2.1.85", args=args)
    (told,) = [each for each in prompt.candidates if each.origin.name == "section MCP instructions"]
    assert told.why.startswith("unknown from here: ") is is_open
    assert "section MCP instructions" not in titles(prompt, tmp_path)


def test_sizes_that_were_not_measured_again_are_those_without_anything_of_ones_own(tmp_path: Path) -> None:
    every: tuple[dict[str, object], ...] = ({}, {"outputStyle": "Explanatory"}, {"permissions": {"deny": ["Skill"]}})
    for at, settings in enumerate(every):
        prompt = preview(tmp_path / str(at), "claude-code", {USER: settings}, version="2.1.318")
        assert "own prompt 5751" in titles(prompt, tmp_path)


@pytest.mark.parametrize(("args", "version"), [(("--bare",), "2.1.330"), ((), "2.1.197")])
def test_nothing_is_left_to_say_where_the_parts_are_not_known(
    tmp_path: Path, args: tuple[str, ...], version: str
) -> None:
    steps = ((Call(tool="Bash", input='{"command": "ls"}'),),)
    prompt = preview(tmp_path, "claude-code", {}, turns=(Turn("/a/b", steps=steps),), args=args, version=version)
    assert [message.role for message in prompt.messages if message.at != "start"] == ["tool"]
