"""What other parts need to know of Kimi Code."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import AGENT_FILE, ARGUMENTS, NOT_FOR_MODELS, SKILL
from promptls.kit.unread_files import SERVERS

SPEC = Spec(
    name="kimi-code",
    title="Kimi Code",
    is_started=True,
    command="kimi",
    package="@moonshot-ai/kimi-code",
    homes=(
        Home(".kimi-code", "KIMI_CODE_HOME", evidence=("config.toml", "AGENTS.md", "sessions"), records="sessions"),
    ),
    evidence=(".kimi-code",),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "agents.md"),
    is_nested_on_read=False,
    names_nested=True,
    instruction_files=(InstructionFile(r"(?:^|/)\.kimi-code/AGENTS\.md$"),),
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.(?:kimi-code|agents)/agents/(?:.+/)?[^/]+\.md$",
            {
                **AGENT_FILE,
                "override": "true: it takes the place of a built-in agent of this name; of agent, of the whole prompt.",
                "disallowedTools": "Tools that the agent does not have.",
                "subagents": "The agents that it may start.",
                "whenToUse": "When the model should choose it.",
            },
        ),
        FrontMatter(
            r"(?:^|/)\.(?:kimi-code|agents)/skills/(?:.+/)?[^/]+\.md$",
            {
                **SKILL,
                **NOT_FOR_MODELS,
                **ARGUMENTS,
                "disableModelInvocation": "true: only the user can call it.",
                "whenToUse": "When the model should use it; it stands in a line of its own.",
                "when-to-use": "The same as whenToUse.",
                "type": "prompt or inline; flow is not listed, and of any other type the skill is left out.",
                "arguments": "The names of its arguments.",
                "license": "The licence of the skill; it has no effect.",
                "allowed-tools": "The tools that the skill may use.",
                "metadata": "Values of your own.",
            },
        ),
    ),
    config_files=(
        ConfigFile(
            ("config.toml",),
            read=("extra_skill_dirs", "hooks"),
            known=("default_model", "providers", "models", "permission", "extra_agent_dirs", "telemetry"),
        ),
    ),
    skills=(".kimi-code/skills", ".agents/skills"),
    not_shown=((r"\.kimi-code/mcp\.json", SERVERS),),
    later=("editor", "subagent"),
    delegation=Delegation("Agent", "subagent_type", "prompt", (("description", "task"),)),
    hides="beside",
    own_text=(4.383, 4.865),  # tools/own_text.py
)
