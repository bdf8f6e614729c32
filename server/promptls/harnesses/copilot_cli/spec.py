"""What other parts need to know of Copilot CLI."""

from __future__ import annotations

from promptls.core.spec import Delegation, FrontMatter, Home, Imports, InstructionFile, Misplaced, RuleFile, Spec
from promptls.kit.header_keys import (
    AGENT_FILE,
    INSTRUCTIONS,
    INSTRUCTIONS_KEYS,
    INSTRUCTIONS_KINDS,
    INSTRUCTIONS_PLACE,
    NOT_FOR_MODELS,
    RULES,
    RULES_KINDS,
    RULES_PLACE,
    SKILL,
)

IN_ROOT = "Name them in .mcp.json at the root of the project."

SPEC = Spec(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    prints="print",
    is_started=True,
    is_learned=True,
    takes_answers=True,
    command="copilot",
    package="@github/copilot",
    homes=(
        Home(
            ".copilot",
            "COPILOT_HOME",
            evidence=("config.json", "session-state", "copilot-instructions.md"),
            records="session-state",
        ),
    ),
    aliases=("copilot",),
    evidence=(".github/copilot-instructions.md", ".github/instructions"),
    counts_for_agents=True,
    nested=("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/rules/"),
    instruction_files=(
        InstructionFile(RULES),
        InstructionFile(r"(?:^|/)\.github/copilot-instructions\.md$"),
        INSTRUCTIONS,
    ),
    rule_files=(
        RuleFile(INSTRUCTIONS_PLACE, "applyTo", INSTRUCTIONS_KINDS, ("paths",), is_from_root=True),
        RuleFile(RULES_PLACE, "paths", RULES_KINDS, ("applyTo",), is_from_root=True),
    ),
    front_matter=(
        FrontMatter(r"\.instructions\.md$", INSTRUCTIONS_KEYS),
        FrontMatter(r"(?:^|/)\.github/skills/.+/SKILL\.md$", SKILL | NOT_FOR_MODELS),
        FrontMatter(r"(?:^|/)\.github/agents/.+\.md$", AGENT_FILE | NOT_FOR_MODELS, ("tools",)),
    ),
    # Of the workspace only .mcp.json counts (captured: mcp-files-trusted).
    misplaced=(
        Misplaced(".github", r"mcp\.json", "server", IN_ROOT, "mcpServers"),
        Misplaced(".copilot", r"mcp-config\.json", "server", IN_ROOT, "mcpServers"),
    ),
    imports=Imports(),
    ignores_case=True,
    until_trusted="it leaves out .mcp.json and the hooks in .github",
    sends_empty=True,
    sends_links_once=True,
    # It is not read where there is a prompt (captured: stdin)
    piped="{prompt}",
    # (captured: compact-typed-read-after)
    brings_once=True,
    anew=("/clear", "/new"),
    later=("interactive", "editor", "mode", "request", "resume", "compact", "subagent"),
    modes=("plan", "autopilot"),
    delegation=Delegation(
        "task", "agent_type", "prompt", (("description", "task"), ("name", "agent"), ("mode", "sync"))
    ),
    skills=(".github/skills", ".agents/skills", ".claude/skills"),
    # (wire: skill-fields)
    skill_fields=dict.fromkeys(("context", "paths"), ""),
    own_text=(4.466, 4.704),  # tools/own_text.py
)
