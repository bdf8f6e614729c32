"""What one setting, or one option, changes in Gemini CLI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, changed, preview, segments

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
                "-introduction of sub-agents 1798 -description of sub-agent codebase_investigator 410 "
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
