"""What other parts need to know of Copilot in VS Code."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, Home, InstructionFile, Misplaced, RuleFile, Spec
from promptls.kit.header_keys import (
    AGENT_FILE,
    ARGUMENTS,
    COMMAND,
    INSTRUCTIONS,
    INSTRUCTIONS_ENDING,
    INSTRUCTIONS_KEYS,
    INSTRUCTIONS_KINDS,
    INSTRUCTIONS_PLACE,
    NOT_FOR_MODELS,
    RULES,
)

SPEC = Spec(
    name="copilot-vscode",
    title="GitHub Copilot in VS Code",
    is_started=True,
    homes=(
        Home(".config/Code/User/globalStorage/github.copilot-chat"),
        Home("Library/Application Support/Code/User/globalStorage/github.copilot-chat"),
        Home("AppData/Roaming/Code/User/globalStorage/github.copilot-chat"),
    ),
    evidence=(".github/copilot-instructions.md", ".github/instructions"),
    later=("interactive",),
    counts_for_agents=True,
    nested=(),
    instruction_files=(
        InstructionFile(RULES),
        InstructionFile(r"(?:^|/)\.github/copilot-instructions\.md$"),
        INSTRUCTIONS,
    ),
    rule_files=(
        RuleFile(
            INSTRUCTIONS_PLACE,
            "applyTo",
            INSTRUCTIONS_KINDS,
            is_from_root=True,
            needs_scope=True,
            ending=INSTRUCTIONS_ENDING,
        ),
    ),
    front_matter=(
        FrontMatter(r"\.instructions\.md$", INSTRUCTIONS_KEYS),
        FrontMatter(
            r"\.prompt\.md$",
            COMMAND
            | ARGUMENTS
            | {
                "name": "The name that calls the prompt file, after a slash.",
                "agent": "ask, edit, agent, plan, or the name of a custom agent.",
                "tools": "The tools that the model has.",
            },
        ),
        FrontMatter(r"\.(?:agent|chatmode)\.md$", AGENT_FILE | ARGUMENTS | NOT_FOR_MODELS, ("tools",)),
    ),
    # Servers are under the key servers (parts: mcp-server).
    misplaced=(
        Misplaced(".vscode", r"mcp\.json", "server", "Rename the key to servers, which it reads.", "mcpServers"),
    ),
    counts_attached=True,
    sends_links_once=True,
    skills=(
        ".github/skills",
        ".agents/skills",
        ".claude/skills",
    ),
)
