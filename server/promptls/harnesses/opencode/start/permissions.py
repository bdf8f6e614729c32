"""What opencode's configuration and its agents allow: rules, of which the last one that matches decides."""

from __future__ import annotations

import re
from functools import lru_cache

from promptls.core.formats.tree import EMPTY, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # Key, such as the name of a tool -> allow, ask or deny, or patterns of what it is asked for -> one of these.
    Permissions = dict[str, str | dict[str, str]]

# Tools that change files go by one permission (parts: config-tools).
PERMISSION_OF = dict.fromkeys(("write", "edit", "patch", "multiedit", "apply_patch"), "edit")


def permissions_of(value: Value) -> Permissions:
    """What a configuration or an agent allows and denies: its ``tools``, and over them its ``permission``."""
    found: Permissions = {}
    for key, switch in (value.get("tools") or EMPTY).members:
        if switch.kind in ("true", "false"):
            name = str(key.data)
            found[PERMISSION_OF.get(name, name)] = "allow" if switch.kind == "true" else "deny"
    asked = value.get("permission") or EMPTY
    if isinstance(asked.data, str):
        merge_permissions(found, {"*": asked.data})
    for key, action in asked.members:
        one = action.data if isinstance(action.data, str) else None
        several = {str(name.data): each.data for name, each in action.members if isinstance(each.data, str)}
        merge_permissions(found, {str(key.data): one or several})
    return found


def merge_permissions(below: Permissions, above: Permissions) -> None:
    """Merge ``above`` into ``below``: a key that is there keeps its place, which decides, and its patterns."""
    for key, action in above.items():
        own = below.get(key)
        below[key] = own | action if isinstance(own, dict) and isinstance(action, dict) else action


def is_off(tool: str, *layers: Permissions) -> bool:
    """Whether a tool is not offered: the last rule for it denies it for everything (surfaces, 2.4)."""
    permission = PERMISSION_OF.get(tool, tool)
    last = next(reversed([rule for rule in _rules(layers) if _matches(permission, rule[0])]), None)
    return last is not None and last[1:] == ("*", "deny")


def action(permission: str, asked: str, *layers: Permissions) -> str:
    """``allow``, ``ask`` or ``deny``: what the last rule says for what a tool is asked for."""
    found = "allow"
    for key, pattern, says in _rules(layers):
        if _matches(permission, key) and _matches(asked, pattern):
            found = says
    return found


def _rules(layers: tuple[Permissions, ...]) -> Iterator[tuple[str, str, str]]:
    for layer in layers:
        for key, says in layer.items():
            if isinstance(says, str):
                yield key, "*", says
            else:
                for pattern, each in says.items():
                    yield key, pattern, each


def _matches(name: str, pattern: str) -> bool:
    return pattern in (name, "*") or _pattern(pattern).fullmatch(name) is not None


@lru_cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """``*`` is any text, ``?`` a character; all else is itself."""
    parts = ("." if letter == "?" else ".*" if letter == "*" else re.escape(letter) for letter in pattern)
    return re.compile("".join(parts), re.DOTALL)
