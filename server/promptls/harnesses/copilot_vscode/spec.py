"""What other parts need to know of Copilot in VS Code."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, InstructionFile, Misplaced, RuleFile, Spec
from promptls.harnesses.shared.rule_files import (
    INSTRUCTIONS,
    INSTRUCTIONS_ENDING,
    INSTRUCTIONS_KEYS,
    INSTRUCTIONS_KINDS,
    INSTRUCTIONS_PLACE,
    RULES,
)

SPEC = Spec(
    name="copilot-vscode",
    title="GitHub Copilot in VS Code",
    evidence=(".github/copilot-instructions.md", ".github/instructions"),
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
    front_matter=(FrontMatter(r"\.instructions\.md$", INSTRUCTIONS_KEYS),),
    # Servers are under the key servers (surface: mcp-server).
    misplaced=(
        Misplaced(r"(?:^|/)\.vscode/mcp\.json$", "server", "Rename the key to servers, which it reads.", "mcpServers"),
    ),
    counts_attached=True,
    sends_links_once=True,
)
