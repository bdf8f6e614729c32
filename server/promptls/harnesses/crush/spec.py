"""What other parts need to know of Crush."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Home, InstructionFile, Spec
from promptls.kit.unread_files import SKILL

SPEC = Spec(
    name="crush",
    title="Crush",
    command="crush",
    package="@charmland/crush",
    homes=(Home(".config/crush", "XDG_CONFIG_HOME", "crush"),),
    evidence=("crush.json", ".crush.json", "crushrc", ".crushrc", "CRUSH.md", "CRUSH.local.md", ".crush"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "CRUSH.md", "CRUSH.local.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"),
    is_nested_on_read=False,
    instruction_files=(
        InstructionFile(r"(?:^|/)CRUSH\.md$", "CRUSH.md"),
        InstructionFile(r"(?:^|/)CRUSH\.local\.md$", "CRUSH.local.md"),
    ),
    config_files=(
        ConfigFile(
            ("crush.json", ".crush.json"),
            read=("options",),
            keys={
                ("options",): {
                    "context_paths": "Further files and directories of instructions, from the working directory.",
                    "global_context_paths": "The files for all folders, in place of CRUSH.md and AGENTS.md.",
                }
            },
            entries=("options", "context_paths"),
        ),
    ),
    not_shown=((r"\.(?:crush|agents|claude|cursor)/skills/[^/]+/SKILL\.md", SKILL),),
    hides="beside",
    sends_empty=True,
)
