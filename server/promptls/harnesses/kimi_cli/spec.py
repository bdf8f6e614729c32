"""What other parts need to know of Kimi CLI."""

from __future__ import annotations

from promptls.core.spec import FrontMatter, Home, InstructionFile, Spec
from promptls.kit.header_keys import SKILL

SPEC = Spec(
    name="kimi-cli",
    title="Kimi CLI",
    command="kimi",
    package="kimi-cli",
    registry="pypi",
    homes=(Home(".kimi", evidence=("config.toml", "config.json")),),
    aliases=("kimi",),
    evidence=(".kimi",),
    is_started=True,
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "agents.md"),
    is_nested_on_read=False,
    instruction_files=(InstructionFile(r"(?:^|/)\.kimi/AGENTS\.md$"),),
    skills=(".kimi/skills", ".claude/skills", ".codex/skills", ".agents/skills"),
    front_matter=(FrontMatter(r"(?:^|/)\.kimi/skills/(?:[^/]+/SKILL|[^/]+)\.md$", SKILL),),
    hides="beside",
)
