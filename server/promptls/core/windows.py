"""The context window of a model in tokens, by the start of its name: a table with sources, nothing is guessed.

Sources: the catalogue models.dev (its files of 2026-07-01; opencode chooses models by it); those marked ``seen`` are
what Claude Code 2.1.330 takes a model for: its list of skills may have 1 % of the window (the captured sessions
``skills-budget-default-1m`` and ``skills-budget-default-200k``).
"""

from __future__ import annotations

# The longest start that fits counts.
WINDOWS = {
    "claude-3": 200_000,
    "claude-haiku-4-5": 200_000,
    "claude-opus-4-0": 200_000,
    "claude-opus-4-1": 200_000,
    "claude-opus-4-20250514": 200_000,
    "claude-opus-4-5": 200_000,
    "claude-opus-4-6": 1_000_000,
    "claude-opus-4-7": 1_000_000,
    "claude-opus-4-8": 1_000_000,
    "claude-sonnet-4-0": 200_000,
    "claude-sonnet-4-20250514": 200_000,
    "claude-sonnet-4-5": 200_000,
    "claude-sonnet-4-6": 1_000_000,
    "claude-sonnet-5": 1_000_000,
    "claude-fable-5": 1_000_000,
    "claude-opus-5-5": 1_000_000,  # seen
    "claude-haiku-5-5": 1_000_000,  # seen
    "deepseek-chat": 1_000_000,
    "deepseek-reasoner": 1_000_000,
    "deepseek-v4": 1_000_000,
    "gemini-2.0-flash": 1_048_576,
    "gemini-2.5-flash": 1_048_576,
    "gemini-2.5-pro": 1_048_576,
    "gemini-3-flash": 1_048_576,
    "gemini-3-pro": 1_048_576,
    "gemini-3.1-flash": 1_048_576,
    "gemini-3.1-pro": 1_048_576,
    "gemini-3.5-flash": 1_048_576,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 400_000,
    "gpt-5.1": 400_000,
    "gpt-5.1-chat": 128_000,
    "gpt-5.2": 400_000,
    "gpt-5.2-chat": 128_000,
    "gpt-5.3-chat": 128_000,
    "gpt-5.3-codex": 400_000,
    "gpt-5.3-codex-spark": 128_000,
    "gpt-5.4": 1_050_000,
    "gpt-5.4-mini": 400_000,
    "gpt-5.4-nano": 400_000,
    "gpt-5.5": 1_050_000,
    "grok-4.20": 1_000_000,
    "grok-4.3": 1_000_000,
    "grok-build": 256_000,
    "kimi-k2": 262_144,
    "kimi-k2-0711": 131_072,
    "kimi-k2.5": 262_144,
    "kimi-k2.6": 262_144,
    "devstral": 262_144,
    "devstral-medium-2507": 128_000,
    "devstral-small": 128_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o3": 200_000,
    "o4-mini": 200_000,
    "qwen3-coder": 262_144,
    "qwen3-coder-flash": 1_000_000,
    "qwen3-coder-plus": 1_048_576,
}
# A variant of a model, as Claude Code names it.
LONG, LONG_WINDOW = "[1m]", 1_000_000
# What may follow the start of a name; anything else, as in gpt-5.9, is another model.
NEXT = ("", "-", "@", ":")


def window(model: str | None) -> int | None:
    """The context window of ``model`` in tokens; a provider before a slash does not count. None if it is not known."""
    name = (model or "").rpartition("/")[2].lower()
    if name.endswith(LONG):
        return LONG_WINDOW
    known = [start for start in WINDOWS if name.startswith(start) and name[len(start) : len(start) + 1] in NEXT]
    return WINDOWS[max(known, key=len)] if known else None
