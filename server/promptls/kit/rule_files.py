"""Rule files that several harnesses read: their places, and what their front matter may say."""

from __future__ import annotations

from promptls.core.spec import InstructionFile

WORDS = ("string", "array", "null")
TEXT = ("string", "null")
TRUTH = ("true", "false", "null")

INSTRUCTIONS_PLACE = r"^(.*?)/?\.github/instructions/.+\.instructions\.md$"
INSTRUCTIONS_KINDS = {"applyTo": WORDS, "description": TEXT, "name": TEXT, "excludeAgent": WORDS}
INSTRUCTIONS_ENDING = ".instructions.md"
INSTRUCTIONS = InstructionFile(r"(?:^|/)\.github/instructions/.+\.md$", loaded_ending=INSTRUCTIONS_ENDING)
DESCRIPTION = "When these instructions help; shown to the model where they are not loaded."
INSTRUCTIONS_KEYS = {
    "applyTo": "Patterns of the files that these instructions are for.",
    "description": DESCRIPTION,
    "excludeAgent": "The agent that does not get these instructions.",
}

RULES = r"(?:^|/)\.claude/rules/.+\.md$"
RULES_PLACE = r"^(.*?)/?\.claude/rules/.+\.md$"
RULES_KINDS = {"paths": WORDS, "description": TEXT, "name": TEXT}
