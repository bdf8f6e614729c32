"""What one setting, or one option, changes in Gemini CLI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.harnesses.shown import Files, changed, preview, segments

if TYPE_CHECKING:
    from promptls.core.model import Prompt

pytestmark = pytest.mark.same_everywhere
CONFIG = ".gemini/settings.json"
BASE: dict[str, object] = {"general": {}}
PLAIN: Files = {
    "GEMINI.md": "root @b/x.md",
    "b/GEMINI.md": "below",
    "b/x.md": "imported",
    "AGENTS.md": "agents",
    "~/.gemini/GEMINI.md": "user",
    "~/.gemini/trustedFolders.json": "{}",
    ".gemini/skills/s/SKILL.md": "---\nname: s\ndescription: a skill\n---\nbody",
    ".gemini/agents/a.md": "---\nname: helper\ndescription: a helper\n---\nHelp.",
    ".gemini/commands/c.toml": 'prompt = "do {{args}}"',
    "~/.gemini/settings.json": {"security": {"folderTrust": {"enabled": False}}},
    ".gemini/settings.json": {"general": {}},
}


TREE = r"- **Directory Structure:**\n\n"
DIRECTORIES = rf"-workspace directories '  - .\n{TREE}' +workspace directories '  - .\n  - b\n{TREE}'"
HEADING = (
    "-core system prompt 12476 +core system prompt 12491 "
    "-heading of the context files 869 +heading of the context files 880"
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"context": {"fileName": "AGENTS.md"}}, f"{HEADING} +AGENTS.md 'agents'"),
        ({"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}, f"{HEADING} +AGENTS.md 'agents'"),
        ({"context": {"fileName": []}}, ""),
        ({"context": {"fileName": 1}}, ""),
        ({"context": {"importFormat": "flat"}}, "-GEMINI.md 'root ' +GEMINI.md 'root @b/x.md'"),
        (
            {"context": {"includeDirectories": ["b"]}},
            f"{DIRECTORIES} +files of b 69 +b/GEMINI.md 'below'",
        ),
        (
            {"context": {"includeDirectories": ["b"], "loadMemoryFromIncludeDirectories": True}},
            f"{DIRECTORIES} +files of b 69 +b/GEMINI.md 'below'",
        ),
        ({"context": {"discoveryMaxDirs": 1}}, ""),
        ({"context": {"discoveryMaxDirs": 0}}, ""),
        (
            {"skills": {"enabled": False}},
            (
                "-core system prompt 12476 +core system prompt 11968 "
                "-introduction of skills 193 -description of skill skill-creator 230 -place of skill "
                "skill-creator -description of skill antigravity-support 273 -place of skill "
                "antigravity-support -skill s 'a skill'"
            ),
        ),
        ({"skills": {"disabled": ["s"]}}, "-skill s 'a skill'"),
        (
            {"experimental": {"enableAgents": False}},
            (
                "-core system prompt 12476 +core system prompt 12475 -introduction of sub-agents 1798 "
                "-description of sub-agent codebase_investigator 410 "
                "-description of sub-agent cli_help 292 -description of sub-agent generalist 355 -advice "
                "on sub-agents 360"
            ),
        ),
        (
            {"model": {"name": "gemini-2.5-pro"}},
            (
                "-core system prompt 12476 +core system prompt 6724 -introduction of sub-agents 1798 "
                "+introduction of sub-agents 365 -introduction of skills 193 +introduction of skills 201"
            ),
        ),
        ({"mcpServers": {"m": {"command": "c"}}}, "+instructions of the MCP server m"),
        ({"mcpServers": {"m": {"command": "c"}}, "mcp": {"excluded": ["m"]}}, ""),
        (
            {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo x"}]}]}},
            "+context of hook echo x",
        ),
    ],
)
def test_a_setting(tmp_path: Path, config: dict[str, object], expected: str) -> None:
    assert changed(tmp_path, "gemini-cli", PLAIN, {CONFIG: {**BASE, **config}}) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("--include-directories", "b"),
            f"{DIRECTORIES} +files of b 69 +b/GEMINI.md 'below'",
        ),
        (
            ("-m", "gemini-2.5-flash"),
            (
                "-core system prompt 12476 +core system prompt 6724 -introduction of sub-agents 1798 "
                "+introduction of sub-agents 365 -introduction of skills 193 +introduction of skills 201"
            ),
        ),
        (("--yolo",), "-core system prompt 12476 +core system prompt 12473"),
        (("--extensions", "none"), ""),
        (("-p", "x"), ""),
        (("--unknown",), ""),
    ],
)
def test_an_option(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    assert changed(tmp_path, "gemini-cli", PLAIN, {}, args=args) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((), "one"),
        (("--allowed-mcp-server-names", "two,three"), "three two"),
        (("--allowed-mcp-server-names", "two", "--allowed-mcp-server-names=one"), "one two"),
        (("--allowed-mcp-server-names", "nobody"), ""),
    ],
)
def test_the_command_line_names_servers(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    names = {name: {"command": "c"} for name in ("one", "two", "three")}
    settings: dict[str, object] = {**BASE, "mcpServers": names, "mcp": {"allowed": ["one"], "excluded": ["two"]}}
    found = [
        each.origin.name for each in segments(preview(tmp_path, "gemini-cli", {**PLAIN, CONFIG: settings}, args=args))
    ]
    assert " ".join(sorted(each for each in found if each in names)) == expected


# Seen by verify.
@pytest.mark.parametrize(
    ("model", "config", "expected"),
    [
        ("gemini-3-pro-preview", {"general": {"plan": {"enabled": False}}}, "rest -86, enter_plan_mode off"),
        ("gemini-3-pro-preview", {"general": {"topicUpdateNarration": False}}, "core -1468, rest 41, update_topic off"),
        ("gemini-2.5-pro", {"general": {"plan": {"enabled": False}}}, "enter_plan_mode off"),
        ("gemini-2.5-pro", {"general": {"topicUpdateNarration": False}}, "core -1999, rest -6, update_topic off"),
        ("gemini-2.5-pro", {"general": {"topicUpdateNarration": True, "plan": {"enabled": True}}}, ""),
        ("gemini-3-pro-preview", {"experimental": {"enableAgents": False}}, "core -1"),
        (
            "gemini-3-pro-preview",
            {"general": {"defaultApprovalMode": "auto_edit"}},
            "core 2, replace on, write_file on, web_fetch on",
        ),
        ("gemini-3-pro-preview", {"general": {"defaultApprovalMode": "yolo"}}, ""),
    ],
)
def test_a_setting_that_changes_the_own_text(
    tmp_path: Path, model: str, config: dict[str, object], expected: str
) -> None:
    """By how many characters the program's own text is longer, and which tools are on or off."""
    before, after = (
        preview(tmp_path / name, "gemini-cli", {CONFIG: files, "~/.gemini/settings.json": TRUSTED}, model=model)
        for name, files in (("1", {}), ("2", config))
    )
    found = [
        f"{title} {more}"
        for title in ("core", "rest")
        if (more := _size(after, f"{title} ") - _size(before, f"{title} "))
    ]
    was = {tool.name: tool.enabled for tool in before.tools or ()}
    found += [
        f"{tool.name} {'on' if tool.enabled else 'off'}" for tool in after.tools or () if tool.enabled != was[tool.name]
    ]
    assert ", ".join(found) == expected


TRUSTED: dict[str, object] = {"security": {"folderTrust": {"enabled": False}}}


def _size(prompt: Prompt, title: str) -> int:
    return next(each.elided.size or 0 for each in segments(prompt) if each.elided and each.title.startswith(title))


def test_a_setting_that_is_not_modelled(tmp_path: Path) -> None:
    files: Files = {CONFIG: {"experimental": {"taskTracker": True}}, "~/.gemini/settings.json": TRUSTED}
    prompt = preview(tmp_path, "gemini-cli", files)
    assert [each.origin.name for each in prompt.candidates if "does not model" in each.why] == [
        "experimental.taskTracker"
    ]
    assert _size(prompt, "core ") == 0


@pytest.mark.parametrize(
    ("args", "expected"),
    [((), False), (("--allowed-tools", "run_shell_command"), True), (("--allowed-tools=x",), False)],
)
def test_tools_that_an_option_allows(tmp_path: Path, args: tuple[str, ...], *, expected: bool) -> None:
    """Seen by verify, with 0.61.0."""
    found = preview(tmp_path, "gemini-cli", {}, args=args).tools or ()
    assert [tool.enabled for tool in found if tool.name == "run_shell_command"] == [expected]
