"""Skills, agents, commands, servers, hooks ...: of each file that a harness reads, explain says as what it is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptls.core.host import Host
from promptls.sessions.explain import explain
from promptls.sessions.explanation import Explanation

pytestmark = pytest.mark.same_everywhere
MATTER = "---\nname: sample\ndescription: An example\n---\nIts text.\n"
PLAIN_HOOK = {"type": "command", "command": "./hook.sh"}
HOOKS = json.dumps({"hooks": {"SessionStart": [{"hooks": [PLAIN_HOOK]}]}})
SERVERS = json.dumps({"mcpServers": {"docs": {"command": "docs-server"}}})
PROJECT, HOME = "project", "home"
# The harness, where the file is, its text, and as what the harness uses it.
FILES = [
    ("claude-code", f"{PROJECT}/.claude/skills/sample/SKILL.md", MATTER, "skill"),
    ("claude-code", f"{PROJECT}/.claude/commands/sample.md", MATTER, "command"),
    ("claude-code", f"{PROJECT}/.claude/agents/sample.md", MATTER, "agent"),
    ("claude-code", f"{PROJECT}/.claude/output-styles/sample.md", MATTER, "style"),
    ("claude-code", f"{PROJECT}/.claude/settings.json", HOOKS, "hook"),
    ("claude-code", f"{PROJECT}/.mcp.json", SERVERS, "server"),
    ("claude-code", f"{HOME}/.claude/output-styles/sample.md", MATTER, "style"),
    ("claude-code", f"{HOME}/.claude.json", SERVERS, "server"),
    ("codex", f"{PROJECT}/.agents/skills/sample/SKILL.md", MATTER, "skill"),
    ("codex", f"{PROJECT}/.codex/config.toml", '[mcp_servers.docs]\ncommand = "docs-server"\n', "server"),
    ("codex", f"{PROJECT}/.codex/hooks.json", HOOKS, "hook"),
    ("codex", f"{HOME}/.codex/hooks.json", HOOKS, "hook"),
    (
        "codex",
        f"{PROJECT}/.codex/agents/sample.toml",
        'name = "sample"\ndescription = "An example"\ndeveloper_instructions = "Its text."\n',
        "agent",
    ),
    ("opencode", f"{PROJECT}/.opencode/skills/sample/SKILL.md", MATTER, "skill"),
    ("opencode", f"{PROJECT}/.opencode/agents/sample.md", MATTER, "agent"),
    ("opencode", f"{PROJECT}/.opencode/command/sample.md", MATTER, "command"),
    ("gemini-cli", f"{PROJECT}/.gemini/skills/sample/SKILL.md", MATTER, "skill"),
    ("gemini-cli", f"{PROJECT}/.gemini/agents/sample.md", MATTER, "agent"),
    ("gemini-cli", f"{PROJECT}/.gemini/commands/sample.toml", 'prompt = "Its text."\n', "command"),
    ("copilot-cli", f"{PROJECT}/.github/skills/sample/SKILL.md", MATTER, "skill"),
    ("copilot-cli", f"{PROJECT}/.github/agents/sample.agent.md", MATTER, "agent"),
    ("copilot-cli", f"{PROJECT}/.github/hooks/sample.json", HOOKS, "hook"),
    ("copilot-cli", f"{PROJECT}/.mcp.json", SERVERS, "server"),
    ("copilot-cli", f"{HOME}/.copilot/mcp-config.json", SERVERS, "server"),
    ("copilot-vscode", f"{PROJECT}/.github/skills/sample/SKILL.md", MATTER, "skill"),
    ("copilot-vscode", f"{PROJECT}/.github/agents/sample.agent.md", MATTER, "agent"),
    ("copilot-vscode", f"{PROJECT}/.github/chatmodes/sample.chatmode.md", MATTER, "agent"),
    ("copilot-vscode", f"{PROJECT}/.github/prompts/sample.prompt.md", MATTER, "command"),
    ("copilot-vscode", f"{PROJECT}/.github/hooks/sample.json", HOOKS, "hook"),
    ("copilot-vscode", f"{PROJECT}/.vscode/mcp.json", '{"servers": {"docs": {"command": "docs-server"}}}', "server"),
]


def _explained(harness: str, path: str, text: str, top: Path) -> Explanation:
    for name in (f"{PROJECT}/.git", HOME):
        (top / name).mkdir(parents=True)
    file = top / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")

    def host() -> Host:
        return Host(home=str(top / HOME), env={})

    return next(iter(explain(str(file), host, str(top / PROJECT), only=[harness])))


@pytest.mark.parametrize(("harness", "path", "text", "use"), FILES, ids=lambda value: str(value)[:40])
def test_a_file_that_is_read_is_explained(harness: str, path: str, text: str, use: str, tmp_path: Path) -> None:
    found = _explained(harness, path, text, tmp_path)
    assert found.used_as == use
    assert "does not look for" not in (found.rule or "")


def test_nobody_starts_a_harness_in_a_directory_of_a_program(tmp_path: Path) -> None:
    found = _explained("claude-code", f"{PROJECT}/.claude/.mcp.json", SERVERS, tmp_path)
    assert "does not look for" in found.rule
