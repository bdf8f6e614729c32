"""What one setting, or one option, changes in Copilot CLI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harnesses.shown import Files, changed

pytestmark = pytest.mark.same_everywhere
CONFIG = "~/.copilot/config.json"
BASE: dict[str, object] = {"trusted_folders": []}
PLAIN: Files = {
    "AGENTS.md": "root",
    "CLAUDE.md": "claude",
    "GEMINI.md": "gemini",
    "b/AGENTS.md": "below",
    ".github/copilot-instructions.md": "hub",
    ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nall",
    ".github/instructions/b.instructions.md": "---\napplyTo: '*.py'\n---\npy",
    "~/.copilot/copilot-instructions.md": "user",
    ".github/skills/s/SKILL.md": "---\nname: s\ndescription: a skill\n---\nbody",
    ".github/agents/rev.md": "---\ndescription: reviews\n---\nReview.",
    ".mcp.json": {"mcpServers": {"m": {"command": "c"}}},
    ".github/hooks/h.json": {"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "echo"}]}},
    "~/.copilot/config.json": {"trusted_folders": []},
}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"trusted_folders": ["/"]}, "+text of hook echo"),
        ({"trusted_folders": ["/elsewhere"]}, ""),
    ],
)
def test_a_setting(tmp_path: Path, config: dict[str, object], expected: str) -> None:
    assert changed(tmp_path, "copilot-cli", PLAIN, {CONFIG: {**BASE, **config}}) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ("--no-custom-instructions",),
            (
                "-~/.copilot/copilot-instructions.md 'user' -.github/copilot-instructions.md 'hub' "
                "-AGENTS.md 'root' -CLAUDE.md 'claude' -GEMINI.md 'gemini' "
                "-.github/instructions/a.instructions.md \"---\\napplyTo: '**'\\n---\\nall\" -paragraph "
                'before the table 386 -row for .github/instructions/b.instructions.md "\\n| *.py | '
                "'.github/instructions/b.instructions.md' |  |\""
            ),
        ),
        (("--agent", "rev"), "+introduction of the agent 210 +prompt of agent rev 'Review.'"),
        (("--agent", "nobody"), ""),
        (("--unknown",), ""),
    ],
)
def test_an_option(tmp_path: Path, args: tuple[str, ...], expected: str) -> None:
    assert changed(tmp_path, "copilot-cli", PLAIN, {}, args=args) == expected
