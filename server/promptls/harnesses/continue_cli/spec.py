"""What other parts need to know of Continue's command line."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, Home, InstructionFile, Spec
from promptls.kit.unread_files import COMMAND

PLACE = r"(?:^|/)\.continue/rules/.+\.md$"
SPEC = Spec(
    name="continue",
    title="Continue",
    is_started=True,
    command="cn",
    package="@continuedev/cli",
    homes=(Home(".continue", "CONTINUE_GLOBAL_DIR", evidence=("config.yaml", "config.json", "sessions")),),
    evidence=(".continue", ".continuerules"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "AGENT.md", "CLAUDE.md", "CODEX.md"),
    is_nested_on_read=False,
    instruction_files=(
        InstructionFile(r"(?:^|/)\.continue/rules/.+\.mdc?$", endings=(".md", ".mdc"), loaded_ending=".md"),
    ),
    front_matter=(
        FrontMatter(
            PLACE,
            {
                "alwaysApply": "Whether every prompt gets this rule.",
                "globs": "Patterns of files; the command line never sends a rule that has only these.",
                "regex": "A pattern for the text of files; as globs.",
                "invokable": "Whether the rule is a command instead.",
                "name": "The name of the rule; it has no effect.",
                "description": "What the rule is about; it has no effect.",
            },
        ),
    ),
    not_shown=((r"\.continue/prompts/[^/]+\.(?:md|prompt)", COMMAND),),
    hides="beside",
    skills=(
        ".continue/skills",
        ".claude/skills",
    ),
    own_text=(4.651, 4.56),  # tools/own_text.py
)
