"""What other parts need to know of Goose."""

from __future__ import annotations

from promptls.core.spec import ConfigFile, Delegation, FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import SKILL

SPEC = Spec(
    name="goose",
    title="Goose",
    is_started=True,
    command="goose",
    package="@aaif/goose",
    homes=(
        Home(".config/goose", "XDG_CONFIG_HOME", "goose", ("config.yaml", ".goosehints", "AGENTS.md")),
        Home(".local/share/goose", "XDG_DATA_HOME", "goose", ("sessions",), records="sessions/sessions.db"),
    ),
    is_learned=True,
    evidence=(".goosehints", ".goose"),
    is_rare=True,
    owns_agents=True,
    nested=(".goosehints", "AGENTS.md"),
    instruction_files=(InstructionFile(r"(?:^|/)\.goosehints$", ".goosehints", endings=("",)),),
    front_matter=(FrontMatter(r"(?:^|/)\.(?:goose|agents)/skills/(?:.+/)?SKILL\.md$", SKILL),),
    config_files=(
        ConfigFile(
            ("config.yaml",),
            read=("CONTEXT_FILE_NAMES", "GOOSE_SYSTEM_PROMPT_FILE_PATH", "extensions"),
            known=("GOOSE_PROVIDER", "GOOSE_MODEL", "GOOSE_MODE", "GOOSE_TELEMETRY_ENABLED"),
        ),
    ),
    skills=(".agents/skills", ".goose/skills", ".claude/skills"),
    hides="beside",
    has_agents=False,
    later=("editor", "subagent"),
    delegation=Delegation("delegate", "source", "instructions", ()),
    own_text=(4.446, 5.099),  # tools/own_text.py
)
