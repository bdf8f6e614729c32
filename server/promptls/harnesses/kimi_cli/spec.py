"""What other parts need to know of Kimi CLI."""

from __future__ import annotations

from promptls.core.spec import Home, InstructionFile, Spec
from promptls.kit.unread_files import SKILL

SPEC = Spec(
    name="kimi-cli",
    title="Kimi CLI",
    command="kimi",
    package="kimi-cli",
    registry="pypi",
    homes=(Home(".kimi", evidence=("config.toml", "config.json")),),
    aliases=("kimi",),
    evidence=(".kimi",),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.md", "agents.md"),
    is_nested_on_read=False,
    instruction_files=(InstructionFile(r"(?:^|/)\.kimi/AGENTS\.md$"),),
    not_shown=((r"\.(?:kimi|agents|claude|codex)/skills/(?:[^/]+/SKILL|[^/]+)\.md", SKILL),),
    hides="beside",
)
