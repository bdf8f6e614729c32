"""What other parts need to know of Pi."""

from __future__ import annotations

from promptls.core.spec import Home, InstructionFile, Spec
from promptls.kit.unread_files import COMMAND

SPEC = Spec(
    name="pi",
    title="Pi",
    is_started=True,
    is_learned=True,
    command="pi",
    package="@earendil-works/pi-coding-agent",
    homes=(Home(".pi/agent", "PI_CODING_AGENT_DIR", evidence=("settings.json", "AGENTS.md", "sessions")),),
    evidence=(".pi",),
    is_rare=True,
    owns_agents=True,
    nested=("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"),
    is_nested_on_read=False,
    until_trusted="it leaves out the skills and prompt files of the project without a word (start it with --approve)",
    instruction_files=(InstructionFile(r"(?:^|/)\.pi/(?:APPEND_)?SYSTEM\.md$"),),
    skills=(".pi/skills", ".agents/skills"),
    not_shown=((r"\.pi/prompts/[^/]+\.md", COMMAND),),
    hides="beside",
    own_text=(4.652, 4.383),  # tools/own_text.py
)
