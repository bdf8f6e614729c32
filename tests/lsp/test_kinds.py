"""What the editor says of the files that are no instructions: skills, agents, commands, servers and hooks.

For each program: whether a file is listed, as what, what a limit leaves of it, and what takes its place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.folder import lay_out
from tests.lsp.client import Client
from tests.lsp.cursor import opened

REFRESHED: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"codeLens": {"refreshSupport": True}, "textDocumentContent": {}},
}


def skill(name: str, description: str = "What it is for") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nText.\n"


LONG = "Long words. " * 150
AGENT = "---\nname: rev\ndescription: Reviews\n---\nReview.\n"
HOOKS = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo"}]}]}}'
LISTED, AS_AGENT, AS_COMMAND = "listed as a skill", "listed as an agent", "listed as a command"
NO_SKILL, NO_AGENT, NO_COMMAND = "not offered as a skill", "not offered as an agent", "not offered as a command"
# The files of a folder for each program; of each its text, and what the hover on its first line has.
FILES: dict[str, dict[str, tuple[str, str, str]]] = {
    "claude-code": {
        ".claude/skills/a/SKILL.md": (skill("a"), LISTED, ""),
        ".claude/skills/long/SKILL.md": (skill("long", LONG), LISTED, "are kept: a description may have"),
        ".claude/skills/twice/SKILL.md": (skill("twice"), LISTED, ""),
        ".claude/commands/twice.md": ("Text.\n", NO_COMMAND, "Instead: `.claude/skills/twice/SKILL.md`"),
        ".claude/commands/do.md": ("---\ndescription: D\n---\nDo.\n", AS_COMMAND, ""),
        ".claude/agents/rev.md": (AGENT, AS_AGENT, ""),
        ".claude/agents/none.md": ("---\nname: none\n---\nText.\n", NO_AGENT, "it has no description"),
        ".claude/settings.json": (HOOKS, "used for its hooks", ""),
        ".mcp.json": ("{", "not used for its MCP servers", "it is not valid JSON"),
    },
    "codex": {
        ".agents/skills/a/SKILL.md": (skill("a"), LISTED, ""),
        ".agents/skills/long/SKILL.md": (skill("long", LONG), LISTED, "are kept: a description may have"),
        ".agents/skills/none/SKILL.md": ("Text.\n", NO_SKILL, "it has no front matter"),
        ".codex/agents/rev.toml": (
            'name = "rev"\ndescription = "R"\ndeveloper_instructions = "r"\n',
            AS_AGENT,
            "",
        ),
        ".codex/agents/none.toml": ('name = "none"\n', NO_AGENT, "it has no description"),
        ".codex/config.toml": (
            'model = "m"\n[mcp_servers.a]\ncommand = "x"\n',
            "used for its MCP servers at start",
            "",
        ),
        ".codex/hooks.json": (HOOKS, "not used for its hooks", "once the user has trusted them"),
        ".codex/rules/a.rules": ('prefix_rule(pattern=["ls"])\n', AS_COMMAND, "may run without a question"),
    },
    "opencode": {
        ".opencode/skills/a/SKILL.md": (skill("a"), LISTED, ""),
        ".claude/skills/a/SKILL.md": (skill("a"), NO_SKILL, "Instead: `.opencode/skills/a/SKILL.md`"),
        ".opencode/skills/none/SKILL.md": ("Text.\n", NO_SKILL, "no name that is a text"),
        ".opencode/agents/rev.md": ("---\ndescription: R\nmode: subagent\n---\nReview.\n", AS_AGENT, ""),
        ".opencode/command/do.md": ("Do.\n", NO_COMMAND, "Instead: `.opencode/commands/do.md`"),
        ".opencode/commands/do.md": ("Do.\n", "offered as a command", ""),
        "opencode.json": (
            '{"mcp": {"a": {"type": "local", "command": ["x"]}}}',
            "used for its MCP servers at start",
            "",
        ),
    },
    "gemini-cli": {
        ".gemini/skills/a/SKILL.md": (skill("a"), NO_SKILL, "Instead: `.agents/skills/a/SKILL.md`"),
        ".agents/skills/a/SKILL.md": (skill("a"), LISTED, ""),
        ".gemini/skills/none/SKILL.md": ("Text.\n", NO_SKILL, "it does not begin with front matter"),
        ".gemini/commands/do.toml": ('prompt = "Do."\n', "offered as a command", ""),
        ".gemini/commands/none.toml": ("prompt =\n", NO_COMMAND, "it is not valid TOML"),
        ".gemini/agents/rev.md": (AGENT, NO_AGENT, "when the user has agreed to it"),
        ".gemini/settings.json": ('{"mcpServers": {"a": {"command": "x"}}}', "used for its MCP servers at start", ""),
    },
    "copilot-cli": {
        ".github/skills/a/SKILL.md": (skill("a"), LISTED, ""),
        ".claude/skills/a/SKILL.md": (skill("a"), NO_SKILL, "Instead: `.github/skills/a/SKILL.md`"),
        ".github/skills/long/SKILL.md": (skill("long", LONG), NO_SKILL, "longer than 1024 characters"),
        ".claude/commands/do.md": ("---\ndescription: D\n---\nDo.\n", AS_COMMAND, ""),
        ".github/agents/rev.agent.md": (AGENT, AS_AGENT, ""),
        ".github/agents/rev.md": (AGENT, NO_AGENT, "Instead: `.github/agents/rev.agent.md`"),
        ".mcp.json": ('{"mcpServers": {"a": {"command": "x"}}}', "used for its MCP servers", ""),
        ".github/hooks/none.json": ("{", "not used for its hooks", "it is not valid JSON"),
    },
    "copilot-vscode": {
        ".github/skills/a/SKILL.md": (skill("a"), LISTED, ""),
        ".claude/skills/a/SKILL.md": (skill("a"), NO_SKILL, "Instead: `.github/skills/a/SKILL.md`"),
        ".github/skills/long/SKILL.md": (skill("long", LONG), LISTED, "are kept: a description may have"),
        ".github/prompts/do.prompt.md": ("Do.\n", "offered as a command", ""),
        ".github/agents/rev.agent.md": (AGENT, AS_AGENT, ""),
        ".github/chatmodes/old.chatmode.md": (AGENT, NO_AGENT, "move it to .github/agents/old.agent.md"),
        ".vscode/mcp.json": ("{", "not used for its MCP servers", "it is not valid JSON"),
        ".github/hooks/none.json": ("{", "not used for its hooks", "it is not valid JSON"),
    },
}
# What a lens says for these words of a hover.
DOES = {
    "not offered as": "does not offer it as",
    "offered as": "offers it as",
    "not used for its hooks": "does not run its hooks",
    "used for its hooks": "runs its hooks",
    "not used for its MCP servers": "does not start its MCP servers",
    "used for its MCP servers at start": "used for its MCP servers",
    "used for its MCP servers": "starts its MCP servers",
}


@pytest.mark.parametrize("harness", FILES)
async def test_what_becomes_of_each_file(client: Client, tmp_path: Path, harness: str) -> None:
    texts = {name: text for name, (text, _, _) in FILES[harness].items()}
    folder = lay_out(tmp_path / "project", {**texts, "src/app.py": "print()\n"})
    await client.start(REFRESHED, folders=[str(folder)], options={"harnesses": [harness]})
    for name, (_, says, more) in FILES[harness].items():
        document = await opened(client, folder / name, "json" if name.endswith(".json") else "markdown")
        hover = await client.request("textDocument/hover", {**document, "position": {"line": 0, "character": 0}})
        value = hover["contents"]["value"].replace(f"{folder}/", "")
        own = next((line for line in value.splitlines() if line.startswith(f"- **{harness} ")), value)
        assert f"**: {says}" in own, (name, own)
        assert more in own, (name, own)
        titles = [each["command"]["title"] for each in await client.request("textDocument/codeLens", document)]
        begin = next((does for words, does in DOES.items() if says.startswith(words)), says)
        assert any(title.startswith(f"{harness} · {begin}") for title in titles), (name, titles)
        explained = await client.request("prompt/explain", document)
        about = next(each for each in explained["harnesses"] if each["harness"]["name"] == harness)
        assert "does not look for" not in about["why"]
        is_used = about["outcome"] in ("loaded", "cut", "unscoped")
        assert is_used == (not says.startswith("not ")), (name, about["outcome"])
