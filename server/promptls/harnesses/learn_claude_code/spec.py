"""What other parts need to know of learn-claude-code."""

from __future__ import annotations

from promptls.core.spec import InstructionFile, Spec

SPEC = Spec(
    name="learn-claude-code",
    title="learn-claude-code",
    evidence=(".memory/MEMORY.md",),
    is_rare=True,
    nested=(),
    instruction_files=(InstructionFile(r"(?:^|/)\.memory/MEMORY\.md$"),),
    usual_family="claude",
)
