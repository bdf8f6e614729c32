"""What other parts need to know of opencode."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, Spec
from promptls.kit.header_keys import AGENT, COMMAND, SKILL

NAMES = ("opencode.json", "opencode.jsonc")
MODES = {
    "mode": "primary, subagent or all.",
    "disable": "Whether the agent is off.",
    "hidden": "Whether the agent is kept out of lists.",
}
SPEC = Spec(
    name="opencode",
    title="opencode",
    prints="run",
    is_started=True,
    is_learned=True,
    takes_answers=True,
    command="opencode",
    package="opencode-ai",
    homes=(
        Home(
            ".config/opencode", "XDG_CONFIG_HOME", "opencode", evidence=("opencode.json", "opencode.jsonc", "AGENTS.md")
        ),
        Home(
            ".local/share/opencode",
            "XDG_DATA_HOME",
            "opencode",
            evidence=("opencode.db", "auth.json"),
            records="opencode.db",
        ),
    ),
    evidence=(*NAMES, ".opencode"),
    is_fallback=True,
    counts_for_agents=True,
    owns_agents=True,
    nested=("AGENTS.md", "CLAUDE.md", "CONTEXT.md"),
    imports_reads=False,
    front_matter=(
        FrontMatter(
            r"(?:^|/)\.opencode/(?:.*/)?(?:agents?|modes?)/.*(?<!\.mdc)(?<!\.instructions\.md)$",
            {"description": AGENT["description"], "model": AGENT["model"]} | MODES,
        ),
        FrontMatter(r"(?:^|/)\.opencode/skills?/.+/SKILL\.md$", SKILL),
        FrontMatter(
            r"(?:^|/)\.opencode/commands?/.+\.md$",
            COMMAND | {"agent": "The agent that runs the command.", "subtask": "true: a sub-agent runs it."},
        ),
    ),
    config_files=(
        ConfigFile(
            NAMES,
            has_other_names=True,
            read=("instructions", "default_agent", "agent", "model", "provider", "permission", "compaction"),
            known=(
                *("$schema", "permissions", "models", "agents", "providers", "mode", "tools", "plugin", "command"),
                *("share", "enabled_providers", "disabled_providers", "small_model", "username", "theme", "layout"),
            ),
            keys={
                (): {
                    "instructions": "Files, patterns and URLs whose text is sent after the instruction files.",
                    "model": "The model, as provider/model.",
                    "default_agent": "The agent that is used where none is named.",
                    "agent": "Agents by name.",
                    "provider": "Providers by name.",
                },
                ("agent", "*"): AGENT | MODES,
            },
            entries=("instructions",),
            has_patterns=True,
        ),
    ),
    shadowed_advice="If opencode needs it, name it under instructions in opencode.json.",
    # It follows the prompt, which is quoted before (captured: stdin)
    piped="{prompt}",
    anew=("/new", "/clear"),
    later=("interactive", "editor", "mode", "request", "resume", "compact", "subagent", "agent"),
    delegation=Delegation("task", "subagent_type", "prompt", (("description", "task"),)),
    skills=(".opencode/skill", ".opencode/skills", ".claude/skills", ".agents/skills"),
    # (wire: skill-fields; parts: skills-front-matter)
    skill_fields=dict.fromkeys(("context", "allowed-tools", "paths"), ""),
    own_text=(4.262, 5.214),  # tools/own_text.py
)
