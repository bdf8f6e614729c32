"""The arguments of a session that a program is given: those that start nothing."""

from __future__ import annotations

import json

from promptls.core.formats import parse_json, parse_toml
from promptls.kit.launch import SETTING
from promptls.wire.configurations import as_toml, of_kind, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from promptls.kit.launch import Configuration, Program, Takes


def arguments(args: Sequence[str], program: Program) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The arguments that a program is given, and those that are left out."""
    kept: list[str] = []
    dropped: list[str] = []
    rest = list(args)
    while rest:
        option, has_value, value = rest[0].partition("=") if rest[0].startswith("--") else (rest[0], "", "")
        rest.pop(0)
        takes = program.options.get(option if option.startswith("-") else "")
        values = [value] if has_value else _values(rest, takes)
        chosen = _chosen_values(values, takes, program)
        if takes is None or chosen is None:
            dropped.append(option)
            continue
        kept += [f"{option}={chosen[0]}"] if has_value else [option, *chosen]
    return tuple(kept), tuple(dropped)


def _values(rest: list[str], takes: Takes | None) -> list[str]:
    """Take the values of an option off ``rest``; of one that nobody knows, all that may be one."""
    if takes == "":
        return []
    count = next((at for at, each in enumerate(rest) if each.startswith("-") and at), len(rest))
    if takes in (None, "values") and rest and rest[0].startswith("-"):
        count = 0
    count = min(count, 1) if takes not in (None, "values") else count
    found = rest[:count]
    del rest[:count]
    return found


def _chosen_values(values: Sequence[str], takes: Takes | None, program: Program) -> list[str] | None:
    """The values that an option is given; None if none is left."""
    if takes is None or isinstance(takes, str) or not values:
        return list(values)
    if takes.place == SETTING:
        return _setting(values[0], takes, program)
    root = parse_json(values[0], comments=True).root
    data = plain(root) if root is not None and root.kind == "object" else None
    return [json.dumps(of_kind(data, takes, program.keeps)[0])] if isinstance(data, dict) else None


def _setting(given: str, kind: Configuration, program: Program) -> list[str] | None:
    """``a.b=value`` in TOML, as a key of a configuration; a value that is no TOML is a text."""
    key, equals, value = given.partition("=")
    path = tuple(part.strip() for part in key.split("."))
    document = parse_toml(f"value = {value.strip()}")
    root = document.root.get("value") if document.root is not None and document.flaw is None else None
    known: Any = plain(root) if root is not None else value.strip()
    for part in reversed(path):
        known = {part: known}
    chosen: Any = of_kind(known, kind, program.keeps)[0]
    for part in path:
        chosen = chosen.get(part) if isinstance(chosen, dict) else None
    return [f"{key}={as_toml(chosen)}"] if equals and chosen is not None else None
