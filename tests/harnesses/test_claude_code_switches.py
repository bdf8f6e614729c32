"""What one setting, option or variable of Claude Code changes: the titles that a session has more or less with it."""

from __future__ import annotations

import difflib
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from promptls.core.model import Turn
from promptls.harnesses.claude_code.memory import slug
from tests.harnesses.shown import Files, preview, segments

PLAIN: Files = {
    "CLAUDE.md": "root",
    "b/x.py": "x",
    "~/.claude.json": {"mcpServers": {"of-user": {"command": "c"}}},
    ".mcp.json": {"mcpServers": {"of-project": {"command": "c"}}},
}
_SKILL = re.compile(r"(.)description of the (skill) ")


def titles(top: Path, files: Files, **session: Any) -> list[str]:
    """The titles of a session, with the sizes of the program's own texts."""
    memory = f"~/.claude/projects/{slug(str(top / 'folder'))}/memory/MEMORY.md"
    prompt = preview(top, "claude-code", {**PLAIN, memory: "remember", **files}, turns=(Turn("hi"),), **session)
    return [
        re.sub(r".*/", "", each.title) + (f" {each.elided.size}" if each.elided and each.elided.size else "")
        for each in segments(prompt)
        if not each.frame
    ]


def changed(top: Path, files: Files, **session: Any) -> str:
    """``-title +title``, in the order of the session; skills in a row are counted."""
    after = titles(top / "with", files, **session)
    lines = [line for line in difflib.ndiff(titles(top / "without", {}), after) if line[0] in "+-"]
    rows = [[*each] for _, each in groupby(lines, lambda line: (line[0], "of the skill" in line or line))]
    return " ".join(f"{row[0][0]}{len(row)} skills" if len(row) > 1 else row[0].replace(" ", "", 1) for row in rows)


HOOK = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo x"}]}]}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"includeCoAuthoredBy": False}, "-note on attribution 353 -end of commits -end of pull requests 62"),
        ({"includeCoAuthoredBy": True}, ""),
        (
            {"includeGitInstructions": False},
            "-git status -note on attribution 353 -end of commits -end of pull requests 62",
        ),
        (
            {"attribution": {"commit": "", "pr": ""}},
            "-note on attribution 353 -end of commits -end of pull requests 62",
        ),
        ({"attribution": {"commit": ""}}, "-end of commits"),
        ({"attribution": {"pr": "by me"}}, "-end of pull requests 62 +attribution"),
        ({"attribution": {"commit": 1, "pr": None}}, ""),
        ({"hooks": HOOK}, "+output of the UserPromptSubmit hook echo x"),
        ({"hooks": HOOK, "disableAllHooks": False}, "+output of the UserPromptSubmit hook echo x"),
        ({"hooks": HOOK, "disableAllHooks": True}, ""),
        ({"autoMemoryEnabled": False}, "-MEMORY.md"),
        ({"autoMemoryEnabled": True}, ""),
        ({"permissions": {"deny": ["Skill"]}}, "-own prompt 7014 +own prompt 6849 -13 skills"),
        ({"permissions": {"deny": ["Bash"]}}, "-note on attribution 353 -end of commits -end of pull requests 62"),
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
        ({"permissions": {"additionalDirectories": ["b"]}}, "+additional directories"),
        ({"permissions": {"defaultMode": "plan"}}, "+mode plan"),
        ({"language": "Latin"}, "+language +note on the language 150 +language +note on spelling 223"),
        ({"language": ""}, ""),
        ({"disableBundledSkills": True}, "-12 skills"),
        ({"disableBundledSkills": False}, ""),
        ({"skillOverrides": {"run": "off", "loop": "name-only", "init": "user-invocable-only"}}, "-3 skills"),
        (
            {"env": {"ENABLE_TOOL_SEARCH": " No "}},
            ("+tools of of-project +tools of of-user -how to find tools 248 -tools of of-project -tools of of-user"),
        ),
        ({"env": {"ENABLE_TOOL_SEARCH": "1"}}, ""),
        ({"env": {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "yes"}}, "-preamble of the files 193 -CLAUDE.md -MEMORY.md"),
        ({"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}, "-MEMORY.md"),
        (
            {"env": {"CLAUDE_CODE_SIMPLE": "1"}},
            (
                "+bare prompt 36 -own prompt 7014 -preamble of the files 193 -CLAUDE.md -MEMORY.md "
                "-git status -note on attribution 353 -end of commits -end of pull requests 62 "
                "-working directory -repository -platform -version of the system "
                "-note on the environment 475 -note on the environment 67 -model "
                "-knowledge of the model 41 -how to find tools 248 -tools of of-project "
                "-tools of of-user -description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -instructions of of-project "
                "-instructions of of-user -13 skills -date"
            ),
        ),
        ({"env": {"CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "on"}}, "-12 skills"),
        ({"outputStyle": "Explanatory"}, "-own prompt 7014 +own prompt 7052 +output style Explanatory"),
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
        ({"claudeMdExcludes": ["**/CLAUDE.md"]}, "-CLAUDE.md"),
        ({"claudeMdExcludes": [1]}, ""),
        ({"skillListingBudgetFraction": 0.0001}, "-2 skills"),
        (
            {"model": "claude-opus-4-8"},
            (
                "-own prompt 7014 +own prompt 6740 -knowledge of the model 41 "
                "+knowledge of the model 44 +token counter 49"
            ),
        ),
        ({"model": "own-model"}, "-own prompt 7014 +own prompt 6747 -knowledge of the model 41"),
    ],
)
def test_a_setting(tmp_path: Path, settings: dict[str, object], expected: str) -> None:
    assert changed(tmp_path, {"~/.claude/settings.json": settings}) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("--bare",),
            (
                "+bare prompt 36 -own prompt 7014 -preamble of the files 193 -CLAUDE.md -MEMORY.md "
                "-git status -note on attribution 353 -end of commits -end of pull requests 62 "
                "-working directory -repository -platform -version of the system "
                "-note on the environment 475 -note on the environment 67 -model "
                "-knowledge of the model 41 -how to find tools 248 -tools of of-project "
                "-tools of of-user -description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -instructions of of-project "
                "-instructions of of-user -13 skills -date"
            ),
        ),
        (
            ("--safe-mode",),
            (
                "-preamble of the files 193 -CLAUDE.md -MEMORY.md -tools of of-project "
                "-tools of of-user -description of statusline-setup 71 -instructions of of-project "
                "-instructions of of-user"
            ),
        ),
        (
            ("--restricted",),
            (
                "-preamble of the files 193 -CLAUDE.md -MEMORY.md -tools of of-project "
                "-tools of of-user -instructions of of-project -instructions of of-user"
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
                "-note on attribution 353 -end of commits -end of pull requests 62 "
                "-how to find tools 248 -tools of of-project -tools of of-user "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133 -13 skills"
            ),
        ),
        (("--tools", "default"), ""),
        (
            ("--disallowedTools", "Bash Skill"),
            (
                "-own prompt 7014 +own prompt 6849 -note on attribution 353 -end of commits "
                "-end of pull requests 62 -13 skills"
            ),
        ),
        (
            ("--disallowed-tools", "Bash,Agent"),
            (
                "-note on attribution 353 -end of commits -end of pull requests 62 "
                "-description of claude 111 -description of Explore 398 "
                "-description of general-purpose 279 -description of Plan 226 "
                "-description of statusline-setup 71 -how to use agents 133"
            ),
        ),
        (("--add-dir", "b"), "+additional directories"),
        (("--exclude-dynamic-system-prompt-sections",), "-own prompt 7014 +own prompt 4601 +memory section"),
        (("--system-prompt", "mine"), "-own prompt 7014 +--system-prompt -git status"),
        (("--append-system-prompt", "mine"), "-identity line 62 +identity line 94 +--append-system-prompt"),
        (("--setting-sources", "user"), "-CLAUDE.md -tools of of-project -instructions of of-project"),
        (("--setting-sources", "project"), "-tools of of-user -instructions of of-user"),
        (
            ("--strict-mcp-config",),
            ("-tools of of-project -tools of of-user -instructions of of-project -instructions of of-user"),
        ),
        (("--setting-sources", "project, local"), "-tools of of-user -instructions of of-user"),
        (("--permission-mode", "plan"), "+mode plan"),
        (("--dangerously-skip-permissions",), "+mode bypassPermissions 493"),
        (("-c",), "+prompt of the user"),
        (("--resume", "x"), "+prompt of the user"),
        (
            ("--model", "claude-opus-4-8"),
            (
                "-own prompt 7014 +own prompt 6740 -knowledge of the model 41 "
                "+knowledge of the model 44 +token counter 49"
            ),
        ),
        (
            ("--model", "claude-opus-4-8-20260101"),
            (
                "-own prompt 7014 +own prompt 6740 -knowledge of the model 41 "
                "+knowledge of the model 44 +token counter 49"
            ),
        ),
        (("--model", "own-model"), "-own prompt 7014 +own prompt 6747 -knowledge of the model 41"),
        (("--agent", "nobody"), ""),
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
    assert changed(tmp_path, {}, args=args) == expected
