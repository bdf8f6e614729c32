"""What programs make of the tools of an MCP server: the size of a definition, and steps that many schemas go through.

A size is that of compact JSON: no blanks, and letters as they are (parts: sizes of five programs).
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from promptls.core.model import Session

# What holds schemas by name, and what holds values that are no schemas.
OF_NAMES = ("properties", "$defs", "definitions", "patternProperties")
NO_SCHEMAS = ("enum", "required", "const", "examples", "default")


def compact(value: object) -> str:
    """A value as compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def size(definition: object) -> int:
    """The characters of a definition."""
    return len(compact(definition))


def calls_of(session: Session, begins: str) -> int:
    """How often a session has called tools whose names begin so."""
    return sum(call.tool.startswith(begins) for turn in session.turns for call in turn.calls)


def has_bare_true(schema: Any) -> bool:
    """Whether a property of a schema is just ``true``: some programs lose the server then (captured: bool-schema)."""
    found: list[Any] = []

    def seen(each: dict[str, Any]) -> dict[str, Any]:
        properties = each.get("properties")
        found.extend(properties.values() if isinstance(properties, dict) else ())
        return each

    each_schema(schema, seen)
    return any(isinstance(each, bool) for each in found)


def each_schema(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """``schema`` after ``change`` of it and then of each schema in it; a schema that is no object stays."""
    if isinstance(schema, list):
        return [each_schema(each, change) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _within(name, value, change) for name, value in change(dict(schema)).items()}


def _within(name: str, value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    if name in NO_SCHEMAS:
        return value
    if name in OF_NAMES and isinstance(value, dict):
        return {key: each_schema(each, change) for key, each in value.items()}
    return each_schema(value, change)
