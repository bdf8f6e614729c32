"""The keys that decide a prompt, each with one sentence: what an editor can offer while a configuration is typed."""

from __future__ import annotations

from promptls.harnesses.paths import name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# By file name: the harness, and its keys by the place of the object; "*" stands for any name or number.
_AGENT = {
    "prompt": "The agent's own prompt, in place of the provider template.",
    "model": "The model of this agent.",
    "description": "What the agent is for.",
}
ETCODE: Mapping[tuple[str, ...], Mapping[str, str]] = {
    (): {
        "instructions": "Files and URLs whose text is sent after the instruction files.",
        "provider": "The providers; the first that has a model is used.",
        "agent": "Agents by name.",
        "environment": "Fields of the environment block, each with the variable it shows.",
    },
    ("provider", "*"): {
        "id": "The provider's name.",
        "model": "The model, which also chooses the provider template.",
        "npm": "The package that talks to the provider.",
        "baseURL": "The address of the provider.",
        "apiKey": "The key to the provider.",
    },
    ("agent", "*"): _AGENT,
}
OPENCODE: Mapping[tuple[str, ...], Mapping[str, str]] = {
    (): {
        "instructions": "Files, patterns and URLs whose text is sent after the instruction files.",
        "model": "The model, as provider/model.",
        "default_agent": "The agent that is used where none is named.",
        "agent": "Agents by name.",
        "provider": "Providers by name.",
    },
    ("agent", "*"): _AGENT
    | {
        "mode": "primary, subagent or all.",
        "disable": "Whether the agent is off.",
        "hidden": "Whether the agent is kept out of lists.",
    },
}
CONFIGS: Mapping[str, tuple[str, Mapping[tuple[str, ...], Mapping[str, str]]]] = {
    **dict.fromkeys(("etcode.json", "etcode.jsonc", ".etcode.json"), ("etcode", ETCODE)),
    **dict.fromkeys(("opencode.json", "opencode.jsonc"), ("opencode", OPENCODE)),
}

_SCOPED = {
    "applyTo": "Patterns of the files that these instructions are for.",
    "description": "When these instructions help; shown to the model where they are not loaded.",
    "excludeAgent": "The agent that does not get these instructions.",
}
_RULE = {
    "description": "When this rule helps; shown to the model where the rule is not loaded.",
    "globs": "Patterns of the files that this rule is for.",
    "alwaysApply": "Whether every prompt gets this rule.",
}
_AGENT_FILE = {key: _AGENT[key] for key in ("description", "model")} | {
    key: OPENCODE["agent", "*"][key] for key in ("mode", "disable", "hidden")
}


def config(path: str) -> tuple[str, Mapping[tuple[str, ...], Mapping[str, str]]] | None:
    """The harness that a file is a configuration of, and its keys; None if it is none that is known."""
    return CONFIGS.get(name(path))


def keys_at(keys: Mapping[tuple[str, ...], Mapping[str, str]], place: Sequence[str | int]) -> Mapping[str, str]:
    """The keys of the object at ``place``."""
    for pattern, found in keys.items():
        if len(pattern) == len(place) and all(p in ("*", at) for p, at in zip(pattern, place, strict=True)):
            return found
    return {}


def front_matter(path: str) -> Mapping[str, str]:
    """The keys that the front matter of a file may have; none where it means nothing."""
    if path.endswith(".mdc"):
        return _RULE
    if path.endswith(".instructions.md"):
        return _SCOPED
    parts = path.split("/")
    if ".opencode" in parts and {"agent", "agents", "mode", "modes"} & set(parts):
        return _AGENT_FILE
    return {}
