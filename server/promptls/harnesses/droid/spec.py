"""What other parts need to know of Droid."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import AGENT_FILE, ARGUMENTS, NOT_FOR_MODELS, SKILL
from promptls.kit.unread_files import COMMAND, HOOKS, SERVERS

SPEC = Spec(
    name="droid",
    title="Droid",
    is_started=True,
    command="droid",
    package="droid",
    homes=(
        Home(".factory", "FACTORY_HOME_OVERRIDE", ".factory", ("settings.json", "AGENTS.md", "sessions"), "sessions"),
    ),
    is_learned=True,
    aliases=("factory",),
    evidence=(".factory",),
    is_rare=True,
    has_agents=False,
    later=("subagent",),
    delegation=Delegation(
        "Task",
        "subagent_type",
        "prompt",
        (("description", "d"), ("run_in_background", False), ("complexity", "light")),
    ),
    owns_agents=True,
    nested=("CLAUDE.md", "Claude.md", "AGENTS.md", "Agents.md", "agents.md"),
    instruction_files=(
        InstructionFile(r"(?:^|/)\.(?:factory|agents?)/(?:CLAUDE|Claude|AGENTS|Agents|agents)\.md$"),
        InstructionFile(r"(?:^|/)\.(?:factory|agents?)/(?:DESIGN|[Dd]esign)\.md$"),
    ),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.factory/droids/[^/]+\.md$",
            {
                **AGENT_FILE,
                "reasoningEffort": "How much the model reasons.",
            },
        ),
        FrontMatter(
            r"(?:^|/)\.(?:factory|agents?)/skills/(?:.+/)?SKILL\.md$",
            {
                **SKILL,
                **NOT_FOR_MODELS,
                "enabled": "false: Droid leaves the skill out.",
                "user-invocable": "false: users cannot call it; it is listed all the same.",
                "allowed-tools": "The tools that the skill may use.",
                "license": "The licence of the skill; it has no effect.",
                "compatibility": "What the skill needs; it has no effect.",
                "metadata": "Values of your own; they have no effect.",
                "version": "The version of the skill; it has no effect.",
            },
        ),
        FrontMatter(r"(?:^|/)\.factory/commands/[^/]+\.md$", {"description": "What the command does.", **ARGUMENTS}),
    ),
    config_files=(
        ConfigFile(
            ("settings.json", "settings.local.json"),
            read=("disabledSkills", "hooks"),
            known=("model", "customModels", "reasoningEffort", "autonomyMode", "outputStyle", "enabledPlugins"),
        ),
    ),
    skills=(".factory/skills", ".agents/skills", ".agent/skills"),
    not_shown=(
        (r"\.factory/commands/[^/]+\.md", COMMAND),
        (r"\.factory/mcp\.json", SERVERS),
        (r"\.factory/hooks\.json", HOOKS),
    ),
    hides="beside",
)
