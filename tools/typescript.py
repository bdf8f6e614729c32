"""Types of the protocol, and the settings, as TypeScript: for the extension and for the pages in docs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel


def settings(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each setting with its schema; nested ones with dots."""
    for key, value in schema["properties"].items():
        nested = schema.get("$defs", {}).get(value.get("$ref", "").rpartition("/")[2])
        if nested is None:
            yield key, value
        else:
            yield from ((f"{key}.{inner}", item) for inner, item in settings(nested))


def interface(name: str, schema: dict[str, Any], *, all_optional: bool = False) -> str:
    """The TypeScript of a type from its JSON schema."""
    required = () if all_optional else schema.get("required", ())
    lines = [f"/** {schema['description'].split(chr(10))[0]} */"] if schema.get("description") else []
    lines.append(f"export interface {name} {{")
    for key, value in schema["properties"].items():
        if "description" in value and not all_optional:
            lines.append(f"  /** {value['description']} */")
        mark = "" if key in required else "?"
        nested = schema.get("$defs", {}).get(value.get("$ref", "").rpartition("/")[2])
        kind = _inline(nested) if nested else type_of(value)
        lines.append(f"  {key}{mark}: {kind};")
    return "\n".join([*lines, "}", ""])


def _inline(schema: dict[str, Any]) -> str:
    members = "; ".join(f"{key}?: {type_of(value)}" for key, value in schema["properties"].items())
    return f"{{ {members} }}"


TYPES = {
    "integer": "number",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "null": "null",
    "object": "Record<string, unknown>",
}


def type_of(schema: dict[str, Any]) -> str:
    """The TypeScript of a value."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return " | ".join(type_of(each) for each in schema["anyOf"])
    if schema["type"] == "array":
        inner = type_of(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    return TYPES[schema["type"]]


def schemas_of(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """The JSON schema of a payload and of every type in it, by name; the payload is last."""
    schema = model.model_json_schema(mode="validation" if model.__name__.endswith("Params") else "serialization")
    nested: dict[str, dict[str, Any]] = schema.pop("$defs", {})
    return nested | {model.__name__: schema}
