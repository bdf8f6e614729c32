"""What other parts need to know of Cursor."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, Home, Imports, InstructionFile, RuleFile, Spec
from promptls.kit.header_keys import TEXT, TRUTH, WORDS
from promptls.kit.unread_files import COMMAND, HOOKS, SERVERS

SPEC = Spec(
    name="cursor",
    title="Cursor",
    homes=(Home(".cursor", evidence=("argv.json", "mcp.json", "extensions", "cli-config.json")),),
    evidence=(".cursor", ".cursorrules"),
    later=("interactive",),
    counts_for_agents=True,
    nested=("AGENTS.md",),
    instruction_files=(
        # Folders with a RULE.md were announced; it is not known whether they are read.
        InstructionFile(
            r"(?:^|/)\.cursor/rules/(?!(?:.+/)?RULE\.md$).+\.mdc?$", endings=(".md", ".mdc"), loaded_ending=".mdc"
        ),
        InstructionFile(r"(?:^|/)\.cursorrules$", endings=(".cursorrules",)),
    ),
    rule_files=(
        RuleFile(
            r"^(.*?)/?\.cursor/rules/.+\.mdc$", "globs", {"globs": WORDS, "description": TEXT, "alwaysApply": TRUTH}
        ),
    ),
    front_matter=(
        FrontMatter(
            r"\.mdc$",
            {
                "description": "When this rule helps; shown to the model where the rule is not loaded.",
                "globs": "Patterns of the files that this rule is for.",
                "alwaysApply": "Whether every prompt gets this rule.",
            },
        ),
    ),
    imports=Imports(),
    not_shown=(
        (r"\.cursor/commands/(?:[^/]+/)*[^/]+\.md", COMMAND),
        (r"\.cursor/mcp\.json", SERVERS),
        (r"\.cursor/hooks\.json", HOOKS),
    ),
    links_unseen=True,
    skills=(
        ".agents/skills",
        ".cursor/skills",
        ".claude/skills",
        ".codex/skills",
    ),
)
