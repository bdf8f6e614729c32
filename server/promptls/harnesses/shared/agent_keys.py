"""The keys of an agent in a configuration, each with one sentence."""

from __future__ import annotations

AGENT = {
    "prompt": "The agent's own prompt, in place of the provider template.",
    "model": "The model of this agent.",
    "description": "What the agent is for.",
}
