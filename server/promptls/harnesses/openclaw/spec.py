"""What other parts need to know of OpenClaw."""

from __future__ import annotations

from promptls.core.spec import Home, InstructionFile, Spec

SPEC = Spec(
    name="openclaw",
    title="OpenClaw",
    is_started=True,
    command="openclaw",
    package="openclaw",
    homes=(Home(".openclaw", evidence=("openclaw.json", "workspace")),),
    evidence=("SOUL.md",),
    owns_agents=True,
    nested=(),
    instruction_files=(InstructionFile(r"(?:^|/)SOUL\.md$"),),
)
