"""What other parts need to know of OpenClaw."""

from __future__ import annotations

from promptls.core.spec import InstructionFile, Spec

SPEC = Spec(
    name="openclaw",
    title="OpenClaw",
    evidence=("SOUL.md",),
    owns_agents=True,
    nested=(),
    instruction_files=(InstructionFile(r"(?:^|/)SOUL\.md$"),),
)
