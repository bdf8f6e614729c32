"""What front matter may say: keys of agents, skills and commands, and of rule files that several harnesses read."""

from __future__ import annotations

from promptls.core.spec import InstructionFile

AGENT = {
    "prompt": "The agent's own prompt, in place of the provider template.",
    "model": "The model of this agent.",
    "description": "What the agent is for.",
}
# Of files: front matter.
SKILL = {
    "name": "The name that the skill is listed and called by.",
    "description": "What the skill is for; the model chooses it by this.",
}
AGENT_FILE = {
    "name": "The name that the agent is listed and chosen by.",
    "description": "What the agent is for; the model chooses it by this.",
    "tools": "The tools that the agent has; all of them without this key.",
    "model": "The model of this agent.",
}
ROLE = {
    "name": AGENT_FILE["name"],
    "description": AGENT_FILE["description"],
    "developer_instructions": "The agent's own prompt.",
    "model": AGENT_FILE["model"],
    "model_reasoning_effort": "How much the model reasons.",
}
COMMAND = {"description": "What the command does.", "model": "The model that the command is run with."}
NOT_FOR_MODELS = {"disable-model-invocation": "true: only the user can call it."}
ARGUMENTS = {"argument-hint": "What to type after the name; shown to the user."}


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
