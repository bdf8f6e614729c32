"""Writes what is made from the code: the extension's types and settings. ``--check`` only says what is stale.

    python tools/generate.py [--check]

The pydantic models in ``lsp.payloads`` and ``lsp.options`` are the only source.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from promptls.lsp import payloads
from promptls.lsp.options import Options
from promptls.lsp.virtual import SCHEME

EXTENSION = Path(__file__).parent.parent / "vscode-extension"
MODELS: tuple[type[BaseModel], ...] = (
    payloads.PreviewParams,
    payloads.PreviewResult,
    payloads.DidChangeParams,
    payloads.HarnessesParams,
    payloads.HarnessesResult,
    payloads.ExplainParams,
    payloads.ExplainResult,
)
HEAD = """\
/**
 * What the server and this extension say to each other beyond LSP, and the settings of the server.
 *
 * Generated from the server's models by tools/generate.py: change it there.
 */
"""


def main() -> int:
    """Write the files, or name those that are stale."""
    check = "--check" in sys.argv[1:]
    stale = []
    for path, text in generated():
        if path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if stale:
        print("stale:" if check else "written:", *stale)
    return 1 if check and stale else 0


def generated() -> Iterator[tuple[Path, str]]:
    """Each generated file with the text that it should have."""
    yield EXTENSION / "src" / "protocol.ts", protocol()
    package = EXTENSION / "package.json"
    yield package, with_settings(package.read_text(encoding="utf-8"))


def protocol() -> str:
    """The TypeScript types."""
    schemas: dict[str, Any] = {}
    for model in MODELS:
        schema = model.model_json_schema(mode="validation" if model.__name__.endswith("Params") else "serialization")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    options = Options.model_json_schema()
    keys = [f"  {json.dumps(key)}," for key, _ in settings(options)]
    return "\n".join(
        [
            HEAD,
            *(_constant(name) for name in ("PREVIEW", "DID_CHANGE", "HARNESSES", "EXPLAIN")),
            "/** The URI scheme of the virtual documents. */",
            f"export const SCHEME = {json.dumps(SCHEME)};",
            "",
            "/** Every setting of the server, as one names it in settings.json. */",
            "export const SETTING_KEYS = [",
            *keys,
            "] as const;",
            "",
            _interface("Settings", options, all_optional=True),
            "export interface InitializationOptions extends Settings {\n  untrustedWorkspace: boolean;\n}\n",
            *(_interface(name, schema) for name, schema in schemas.items()),
        ]
    )


def with_settings(package: str) -> str:
    """package.json with the server's settings in it; those of the extension itself stay."""
    manifest = json.loads(package)
    properties = manifest["contributes"]["configuration"]["properties"]
    own = {key: value for key, value in properties.items() if key.partition(".")[2] in EXTENSION_ONLY}
    server = {}
    for order, (key, schema) in enumerate(settings(Options.model_json_schema()), 1):
        kept = {name: schema[name] for name in ("type", "items", "default", "minimum") if name in schema}
        kept.setdefault("default", [])
        about = {"scope": "resource", "order": order, "markdownDescription": schema["description"]}
        server[f"promptls.{key}"] = kept | about
    manifest["contributes"]["configuration"]["properties"] = server | own
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


EXTENSION_ONLY = ("path", "interpreter", "trace.server")


def settings(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each setting with its schema; nested ones with dots."""
    for key, value in schema["properties"].items():
        nested = schema.get("$defs", {}).get(value.get("$ref", "").rpartition("/")[2])
        if nested is None:
            yield key, value
        else:
            yield from ((f"{key}.{inner}", item) for inner, item in settings(nested))


def _constant(name: str) -> str:
    return f"export const {name} = {json.dumps(getattr(payloads, name))};"


def _interface(name: str, schema: dict[str, Any], *, all_optional: bool = False) -> str:
    required = () if all_optional else schema.get("required", ())
    lines = [f"/** {schema['description'].split(chr(10))[0]} */"] if schema.get("description") else []
    lines.append(f"export interface {name} {{")
    for key, value in schema["properties"].items():
        if "description" in value and not all_optional:
            lines.append(f"  /** {value['description']} */")
        mark = "" if key in required else "?"
        nested = schema.get("$defs", {}).get(value.get("$ref", "").rpartition("/")[2])
        kind = _inline(nested) if nested else _type(value)
        lines.append(f"  {key}{mark}: {kind};")
    return "\n".join([*lines, "}", ""])


def _inline(schema: dict[str, Any]) -> str:
    members = "; ".join(f"{key}?: {_type(value)}" for key, value in schema["properties"].items())
    return f"{{ {members} }}"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return " | ".join(_type(each) for each in schema["anyOf"])
    if schema["type"] == "array":
        inner = _type(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}[
        schema["type"]
    ]


if __name__ == "__main__":
    sys.exit(main())
