"""What other parts need to know of Deep Agents Code."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import AGENT_FILE, SKILL
from promptls.kit.unread_files import HOOKS, SERVERS

SPEC = Spec(
    name="deepagents-code",
    title="Deep Agents Code",
    is_started=True,
    command="dcode",
    package="deepagents-code",
    registry="pypi",
    homes=(Home(".deepagents", evidence=("config.toml", "agent", ".state"), records=".state/sessions.db"),),
    aliases=("dcode", "deepagents"),
    evidence=(".deepagents",),
    is_rare=True,
    owns_agents=True,
    is_nested_on_read=False,
    instruction_files=(InstructionFile(r"(?:^|/)\.deepagents/AGENTS\.md$"),),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.(?:deepagents|agents|claude)/(?:[^/]+/)?skills/[^/]+/SKILL\.md$",
            {
                **SKILL,
                "license": "The licence of the skill; it is listed.",
                "compatibility": "What the skill needs; it is listed.",
                "allowed-tools": "The tools of the skill; they are listed.",
            },
        ),
        FrontMatter(r"(?:^|/)\.deepagents/(?:[^/]+/)?agents/[^/]+/AGENTS\.md$", AGENT_FILE),
    ),
    config_files=(
        ConfigFile(
            ("config.toml",),
            read=("agents", "memory"),
            known=("models", "theme", "mcp", "ui", "tracing", "update", "warnings", "interpreter", "shell"),
            keys={
                ("agents",): {"default": "The agent that is started; its directory in ~/.deepagents is read."},
                ("memory",): {"auto_save": "false: the model is not told to save what it learns."},
            },
        ),
    ),
    skills=(".deepagents/skills", ".agents/skills", ".claude/skills"),
    later=("subagent",),
    delegation=Delegation("task", "subagent_type", "description"),
    not_shown=(
        (r"\.deepagents/hooks\.json", HOOKS),
        (r"\.deepagents/\.mcp\.json", SERVERS),
    ),
    own_text=(4.616, 4.469),  # tools/own_text.py
)
