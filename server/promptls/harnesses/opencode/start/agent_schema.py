"""What opencode's schema takes of an agent: with anything else in a configuration or agent file, it ends.

Keys that are not named here may have any value.
"""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.kit.base import type_clause

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Value

TEXT, SWITCH, NUMBER, OBJECT = ("string",), ("true", "false"), ("number",), ("object",)
# (captured: agent-kinds, each key with a value of another kind)
KINDS = {
    "model": TEXT,
    "description": TEXT,
    "variant": TEXT,
    "disable": SWITCH,
    "hidden": SWITCH,
    "temperature": NUMBER,
    "top_p": NUMBER,
    "steps": NUMBER,
    "maxSteps": NUMBER,
    "options": OBJECT,
    "tools": OBJECT,
    "permission": ("string", "object"),
}
ACTIONS = ("ask", "allow", "deny")
COLORS = ("primary", "secondary", "accent", "success", "warning", "error", "info")
_HEX = regex(r"#[0-9a-fA-F]{6}")


def wrong_values(agent: Value) -> Iterator[tuple[Value, str]]:
    """Each value of an agent that opencode does not take, with a clause that says what it must be."""
    for key, kinds in KINDS.items():
        value = agent.get(key)
        if value is not None and value.kind not in kinds:
            yield value, _must(key, kinds)
    for name, switch in _members(agent, "tools"):
        if switch.kind not in SWITCH:
            yield switch, _must(f"tools.{name.data}", SWITCH)
    yield from _wrong_actions(agent)
    color = agent.get("color")
    if color is not None and color.data not in COLORS and not _HEX.fullmatch(str(color.data)):
        yield color, f"color must be as #ff0000, or one of {', '.join(COLORS)}"


def _wrong_actions(agent: Value) -> Iterator[tuple[Value, str]]:
    says = f"permission must be one of {', '.join(ACTIONS)}"
    whole = agent.get("permission")
    if whole is not None and whole.kind == "string" and whole.data not in ACTIONS:
        yield whole, says
    for _, value in _members(agent, "permission"):
        actions = [each for _, each in value.members] if value.kind == "object" else [value]
        for action in actions:
            if action.data not in ACTIONS:
                yield action, says


def _must(key: str, kinds: tuple[str, ...]) -> str:
    return type_clause(kinds).replace("this", key)


def _members(agent: Value, key: str) -> tuple[tuple[Value, Value], ...]:
    value = agent.get(key)
    return value.members if value is not None else ()
