"""The keys of agents, skills and commands that several harnesses have, each with one sentence."""

from __future__ import annotations

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
