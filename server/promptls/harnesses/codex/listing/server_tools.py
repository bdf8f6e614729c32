"""The tools of MCP servers whose answers are known: a namespace for each, simpler schemas (captured: schema-limit)."""

from __future__ import annotations

from promptls.core.model import Tool
from promptls.harnesses.codex.listing.servers import safe
from promptls.kit.server_tools import compact, each_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from promptls.core.servers import OfferedTool
    from promptls.harnesses.codex.listing.servers import Server
    from promptls.harnesses.codex.versions import Facts

# What stays of a schema; of these, what holds schemas.
KEPT = ("type", "description", "enum", "required", "$ref", "minItems")
BY_NAME, INSIDE = ("properties", "$defs", "definitions"), ("items", "additionalProperties")
EITHER = ("anyOf", "oneOf", "allOf")
HOLDING = (*BY_NAME, *INSIDE, *EITHER)
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
# An object, a list or a choice so many levels below the root becomes {} where nothing else makes a schema short enough.
DEEPEST = 3


def namespace(server: Server, facts: Facts) -> Iterator[Tool]:
    """The namespace of a server, which is there with any tool."""
    if names := ", ".join(name for name, _ in tools(server, facts)):
        text = _namespace_text(server, facts)
        why = f"the server {server.name} offers {names}"
        yield Tool(server.shown, True, why, len(text), server.origin, definition=text)


def _namespace_text(server: Server, facts: Facts) -> str:
    """The namespace of a server, with its tools."""
    answer = server.answer
    says = answer.instructions if answer is not None else None
    definition = {
        "type": "namespace",
        "name": server.shown,
        "description": (says or "").strip() or f"Tools in the {server.shown} namespace.",
        "tools": [_definition(name, tool, facts) for name, tool in tools(server, facts)],
    }
    return compact(definition)


def tools(server: Server, facts: Facts) -> list[tuple[str, OfferedTool]]:
    """The tools that the configuration leaves, by the name that is sent (captured: lists; surfaces, 8)."""
    offered = [each for each in server.tools() if not _is_dropped(each.schema)]
    names = [safe(each.name) for each in offered]
    found = [
        (_shown(server, each.name, is_same=names.count(safe(each.name)) > 1, longest=facts.tool_name), each)
        for each in offered
    ]
    return sorted(found, key=lambda each: each[0])


def _shown(server: Server, name: str, *, is_same: bool, longest: int) -> str:
    """The name of a tool; one that another has, or that is too long with its namespace, ends in a hash."""
    room = longest - len(server.shown) - 2
    if not is_same and len(safe(name)) <= room:
        return safe(name)
    from hashlib import sha1  # noqa: PLC0415 - only for such names

    text = f"{server.name}\0{server.name}\0\0{name}\0{name}"
    digest = f"_{sha1(text.encode('utf-8', 'replace'), usedforsecurity=False).hexdigest()[:12]}"
    return safe(name)[: room - len(digest)] + digest


def _is_dropped(schema: Any) -> bool:
    """A tool is not offered in whose schema ``items`` is a list (captured: schema-keys)."""
    found: list[dict[str, Any]] = []

    def seen(each: dict[str, Any]) -> dict[str, Any]:
        found.append(each)
        return each

    each_schema(schema, seen)
    return any(isinstance(each.get("items"), list) for each in found)


def _definition(name: str, tool: OfferedTool, facts: Facts) -> dict[str, Any]:
    return {
        "type": "function",
        "name": name,
        "description": tool.description or "",
        "strict": False,
        "parameters": parameters(tool.schema, facts.schema_bytes),
    }


def parameters(schema: Any, most: int) -> Any:
    """A schema as Codex sends it: what it knows of it, and less where that takes more than ``most`` bytes."""
    found = normalised(schema)
    if isinstance(found, dict) and "$defs" in found and '"$ref"' not in compact(found.get("properties", {})):
        del found["$defs"]
    for shorten in (_without_descriptions, _without_definitions, _collapsed):
        if len(compact(found).encode("utf-8", "replace")) <= most:
            break
        found = shorten(found)
    return found


def normalised(schema: Any) -> Any:
    """The keys that Codex knows, and a type where one can be read (captured: schema-keys)."""
    if schema is True:
        return {"type": "string"}
    if not isinstance(schema, dict):
        return schema
    found = {key: _value_with_schemas(key, value) for key, value in schema.items() if key in KEPT or key in HOLDING}
    if "const" in schema:
        found["enum"] = [schema["const"]]
    if "type" not in found and not any(key in found for key in (*EITHER, "$ref")):
        kind = _kind(found, schema)
        if not kind:
            return {}
        found["type"] = kind
    if found.get("type") == "object":
        found.setdefault("properties", {})
    if found.get("type") == "array":
        found.setdefault("items", {"type": "string"})
    return found


def _value_with_schemas(key: str, value: Any) -> Any:
    """The value of a key, with the schemas that it holds."""
    if key in BY_NAME and isinstance(value, dict):
        return {name: normalised(each) for name, each in value.items()}
    if key in EITHER and isinstance(value, list):
        return [normalised(each) for each in value]
    return normalised(value) if key == "items" or (key == "additionalProperties" and isinstance(value, dict)) else value


def _kind(found: dict[str, Any], schema: dict[str, Any]) -> str:
    """The type that a schema without one has, "" where nothing shows it."""
    if any(key in found for key in ("properties", "required", "additionalProperties")):
        return "object"
    if "items" in found:
        return "array"
    if any(key in schema for key in NUMBERS):
        return "number"
    return "string" if any(key in schema for key in ("enum", "format", "const")) else ""


def _without_descriptions(schema: Any) -> Any:
    return each_schema(schema, lambda each: {key: value for key, value in each.items() if key != "description"})


def _without_definitions(schema: Any) -> Any:
    kept = {key: value for key, value in schema.items() if key not in ("$defs", "definitions")}
    return each_schema(kept, lambda each: {} if "$ref" in each else each)


def _collapsed(schema: Any, depth: int = 0) -> Any:
    if not isinstance(schema, dict):
        return schema
    is_deep = schema.get("type") in ("object", "array") or any(
        key in schema for key in ("properties", "items", *EITHER[:2])
    )
    if depth >= DEEPEST and is_deep:
        return {}
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            found[key] = {name: _collapsed(each, depth + 1) for name, each in value.items()}
        elif key in INSIDE:
            found[key] = _collapsed(value, depth + 1)
        elif key in EITHER and isinstance(value, list):
            found[key] = [_collapsed(each, depth + 1) for each in value]
        else:
            found[key] = value
    return found
