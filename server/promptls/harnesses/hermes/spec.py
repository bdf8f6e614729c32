"""What other parts need to know of Hermes."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Misplaced, Spec
from promptls.kit.header_keys import SKILL

OWN_SKILLS = "Hermes reads skills of ~/.hermes/skills only, and of skills.external_dirs in ~/.hermes/config.yaml."

SPEC = Spec(
    name="hermes",
    title="Hermes",
    is_started=True,
    command="hermes",
    package="hermes-agent",
    registry="pypi",
    homes=(Home(".hermes", "HERMES_HOME", evidence=("config.yaml", "SOUL.md", "memories"), records="state.db"),),
    is_learned=True,
    aliases=("hermes-agent",),
    evidence=(".hermes", ".hermes.md", "HERMES.md"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules"),
    instruction_files=(
        InstructionFile(r"(?:^|/)(?:\.hermes|HERMES)\.md$", ".hermes.md"),
        InstructionFile(r"(?:^|/)\.hermes/(?:profiles/[^/]+/)?SOUL\.md$"),
    ),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.hermes/(?:profiles/[^/]+/)?skills/(?:.+/)?SKILL\.md$",
            {
                **SKILL,
                "platforms": "Where the skill is listed: macos, linux, windows.",
                "environments": "Where the skill is listed: docker, kanban, s6.",
                "metadata": "hermes: tools and toolsets that it needs, or that take its place.",
                "version": "The version of the skill; it has no effect.",
                "author": "Who wrote the skill; it has no effect.",
                "license": "The licence of the skill; it has no effect.",
            },
        ),
        FrontMatter(
            r"(?:^|/)\.hermes/(?:profiles/[^/]+/)?skills/(?:.+/)?DESCRIPTION\.md$",
            {"description": "What stands in the list behind the name of the folder."},
        ),
    ),
    config_files=(
        ConfigFile(
            ("config.yaml",),
            read=("context_file_max_chars", "skills", "memory", "agent", "platform_hints", "model", "mcp_servers"),
            known=("providers", "terminal", "tools", "toolsets", "display", "hooks", "plugins", "delegation"),
        ),
    ),
    misplaced=(
        Misplaced(".hermes", r"skills/(?:.+/)?SKILL\.md$", "skill", OWN_SKILLS),
        Misplaced(".hermes", r"(?:SOUL|memories/(?:MEMORY|USER))\.md$", "instruction", "It belongs into ~/.hermes."),
    ),
    hides="beside",
    has_agents=False,
    later=("subagent",),
    delegation=Delegation("delegate_task", "role", "goal", is_apart=True),
)
