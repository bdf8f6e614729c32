"""Files that permissions keep Claude Code from reading: of calls, of mentions and of its own instruction files."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import Origin
from promptls.harnesses.claude_code.files.rules import applies
from promptls.kit.paths import parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.claude_code.setup import Setup

_RULE = regex(r"Read(?:\((.+)\))?", re.DOTALL)
# In the place of a pattern: every file.
ALL = "**"


def denied(setup: Setup, path: str) -> Origin | None:
    """The rule under ``permissions.deny`` that keeps ``path`` from being read (captured: deny-read-*)."""
    return next((origin for pattern, base, origin in _rules(setup, "deny") if _means(setup, pattern, base, path)), None)


def is_refused(setup: Setup, path: str) -> bool:
    """Whether a tool may not read ``path``: it is denied, or somebody would have to be asked (captured: ask-read)."""
    asked = (_means(setup, pattern, base, path) for pattern, base, _ in _rules(setup, "ask"))
    return denied(setup, path) is not None or any(asked)


def _rules(setup: Setup, key: str) -> Iterator[tuple[str, str, Origin]]:
    """The patterns of a list, where those that begin with a slash start, and what says so."""
    for setting in setup.settings.every("permissions"):
        listed = setting.value.get(key)
        base = parent(setting.origin.path) if setting.scope == "user" and setting.origin.path else setup.cwd
        for item in listed.items if listed is not None else ():
            if isinstance(item.data, str) and (found := _RULE.fullmatch(item.data)):
                yield found[1] or ALL, base, setting.part(item, f"permissions.{key} {item.data}")
    for option in ("disallowedTools", "disallowed-tools") if key == "deny" else ():
        for words in setup.command.values.get(option, ()):
            for word in re.split(r"[\s,]+", words):
                if (found := _RULE.fullmatch(word)) and found[1]:
                    yield found[1], setup.cwd, Origin("argument", name=f"--{option}")


def _means(setup: Setup, pattern: str, base: str, path: str) -> bool:
    if pattern.startswith("//"):
        return applies(("/" + pattern.lstrip("/"),), "/", path)
    if pattern.startswith("~/"):
        return applies((pattern[1:],), setup.home, path)
    if pattern.startswith("/"):
        return applies((pattern,), base, path)
    return applies(("/" + pattern[2:] if pattern.startswith("./") else pattern,), setup.cwd, path)
