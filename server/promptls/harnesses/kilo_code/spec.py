"""What other parts need to know of Kilo Code."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Home, InstructionFile, Spec
from promptls.kit.unread_files import COMMAND

NAMES = ("kilo.json", "kilo.jsonc")
SPEC = Spec(
    name="kilo-code",
    title="Kilo Code",
    is_started=True,
    is_learned=True,
    command="kilo",
    package="@kilocode/cli",
    homes=(Home(".config/kilo", "XDG_CONFIG_HOME", "kilo"),),
    aliases=("kilo",),
    evidence=(*NAMES, ".kilo", ".kilocode", ".kilocoderules"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "CLAUDE.md", "CONTEXT.md"),
    instruction_files=(
        InstructionFile(r"(?:^|/)\.(?:kilo|kilocode)/rules(?:-\w+)?/[^/]+\.md$"),
        InstructionFile(r"(?:^|/)\.kilocoderules$", endings=(".kilocoderules",)),
    ),
    config_files=(
        ConfigFile(
            NAMES,
            read=("instructions", "model"),
            known=("$schema", "provider", "agent", "mode", "permission", "mcp", "command", "skills", "plugin"),
            keys={
                (): {
                    "instructions": "Files, patterns and URLs whose text is sent after files and rules.",
                    "model": "The model, as provider/model.",
                }
            },
            entries=("instructions",),
            has_patterns=True,
        ),
    ),
    skills=(".kilo/skills", ".agents/skills", ".claude/skills"),
    not_shown=((r"\.(?:kilo|kilocode)/(?:commands?|workflows)/(?:[^/]+/)*[^/]+\.md", COMMAND),),
    shadowed_advice="If Kilo Code needs it, name it under instructions in kilo.json.",
)
