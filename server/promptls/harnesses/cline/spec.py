"""What other parts need to know of Cline."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, Home, InstructionFile, Spec
from promptls.kit.unread_files import COMMAND, SKILL

PLACE = r"(?:^|/)(?:\.clinerules|\.cline/rules)/[^/]+\.(?:md|txt)$"
SPEC = Spec(
    name="cline",
    title="Cline",
    is_started=True,
    command="cline",
    package="cline",
    homes=(Home(".cline", "CLINE_DIR", evidence=("data", "rules")),),
    evidence=(".clinerules", ".cline"),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", ".clinerules"),
    is_nested_on_read=False,
    instruction_files=(
        InstructionFile(r"(?:^|/)\.clinerules$", endings=(".clinerules",)),
        InstructionFile(PLACE, endings=(".md", ".txt")),
    ),
    front_matter=(
        FrontMatter(
            PLACE,
            {
                "name": "The name of the rule, by which a later one of the same name replaces it.",
                "disabled": "Whether the rule is off.",
                "enabled": "Whether the rule is on.",
            },
        ),
    ),
    not_shown=(
        (r"\.(?:clinerules|cline)/workflows/[^/]+\.(?:md|txt)", COMMAND),
        (r"\.(?:clinerules|cline|agents)/skills/[^/]+/SKILL\.md", SKILL),
    ),
    hides="beside",
    skills=(".cline/skills", ".clinerules/skills", ".agents/skills"),
    own_text=(4.739, 5.092),  # tools/own_text.py
)
