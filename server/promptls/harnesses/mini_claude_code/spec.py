"""What other parts need to know of mini-claude-code."""

from __future__ import annotations

from promptls.core.spec import InstructionFile, Spec

SPEC = Spec(
    name="mini-claude-code",
    title="mini-claude-code",
    evidence=("SYSTEM_PROMPT.md",),
    is_rare=True,
    nested=(),
    instruction_files=(InstructionFile(r"(?:^|/)SYSTEM_PROMPT\.md$"),),
    has_hints=True,
    usual_family="claude",
)
