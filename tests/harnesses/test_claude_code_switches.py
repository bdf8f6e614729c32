"""What one setting, option or variable of Claude Code changes: the titles that a session has more or less with it."""

from __future__ import annotations

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
