"""A configuration with the keys of an allow list, written anew: neither an escape nor a comment hides another one."""

from __future__ import annotations

import json

from promptls.core.formats import parse_json, parse_toml, parse_yaml
from promptls.core.formats.tree import MAX_DEPTH
from promptls.core.text import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from promptls.core.formats.tree import Flaw, Value
    from promptls.kit.launch import Configuration

    # The parts of a dotted key.
    Key = tuple[str, ...]

# Keys that configure what is run, whatever a spec says of them.
RUN = frozenset(("hooks", "mcpServers", "mcp-servers", "mcp_servers", "mcp", "command", "env"))
# What cannot be read, in each language.
BROKEN = {".toml": "= \n", ".yaml": "a: [\n", ".yml": "a: [\n"}
YAML = (".yaml", ".yml")
# The end of a key that stands for all below it.
ALL = ("**",)
# Values that say nothing.
NOTHING: tuple[Any, ...] = (None, False, "", [], {})


def of_kind(known: dict[str, Any], kind: Configuration, keeps: Collection[str]) -> tuple[dict[str, Any], list[Key]]:
    """What of a configuration is given, and the keys that are left out."""
    dropped: list[Key] = []
    found = _chosen(known, [parts(key) for key in kind.keys], (), dropped)
    result = found if isinstance(found, dict) else {}
    result |= {place: {} for place in kind.emptied if isinstance(known.get(place), dict)}
    for place in kind.variables:
        named = known.get(place)
        if isinstance(named, dict):
            result[place] = {key: value for key, value in named.items() if key in keeps and not isinstance(value, dict)}
            dropped = [each for each in dropped if each != (place,)]
            dropped += [(place, key) for key in named if key not in result[place]]
    return result, [each for each in dropped if not is_inert(each, kind)]


def parts(key: str) -> Key:
    """A dotted key as its parts; a dot after a backslash belongs to its part."""
    return tuple(each.replace("\0", ".") for each in key.replace("\\.", "\0").split("."))


def is_inert(key: Key, kind: Configuration) -> bool:
    """Whether a key is left out without a word."""
    return RUN.isdisjoint(key) and any(_is_prefix(parts(each), key) for each in kind.inert)


def _is_prefix(above: Key, key: Key) -> bool:
    return len(above) <= len(key) and all(a in (b, "*") for a, b in zip(above, key, strict=False))


def _chosen(value: Any, keys: Sequence[Key], above: Key, dropped: list[Key]) -> Any:
    """What of a value these keys lead to; the keys that they do not come to ``dropped``."""
    if ALL in keys:
        return value
    if isinstance(value, list):
        below = [key[1:] for key in keys if key and key[0] == "*"] or list(keys)
        return [_chosen(each, below, above, dropped) for each in value]
    if not isinstance(value, dict):
        return value if () in keys else None
    found = {}
    for key, each in value.items():
        below = [rest[1:] for rest in keys if rest and rest[0] in (key, "*")]
        if not below:
            if each not in NOTHING:
                dropped.append((*above, key))
            continue
        chosen = _chosen(each, below, (*above, key), dropped)
        if chosen is not None or each is None:
            found[key] = chosen
        elif each not in NOTHING:
            dropped.append((*above, key))
    return found


def read(path: str, data: bytes) -> dict[str, Any]:
    """A configuration, in the language of ``path``; {} where it cannot be read."""
    root, _ = parsed(path, decode(data, keep_bom=False))
    found = plain(root) if root is not None else None
    return found if isinstance(found, dict) else {}


def parsed(path: str, text: str) -> tuple[Value | None, Flaw | None]:
    """What a configuration says, in the language of its path, and what is wrong with it."""
    if path.endswith(".toml"):
        document = parse_toml(text)
    else:
        document = parse_yaml(text) if path.endswith(YAML) else parse_json(text, comments=True)
    return document.root, document.flaw


def broken(path: str) -> bytes:
    """What cannot be read, in the language of a path."""
    return BROKEN.get(path[path.rfind(".") :].lower(), "{").encode()


def plain(value: Value, depth: int = MAX_DEPTH) -> Any:
    """A value of a configuration without its places; None for what is nested too deeply."""
    if depth == 0:
        return None
    if value.kind == "object":
        return {str(key.data): plain(each, depth - 1) for key, each in value.members}
    if value.kind == "array":
        return [plain(each, depth - 1) for each in value.items]
    if value.kind == "number" and isinstance(value.data, float) and value.data.is_integer():
        return int(value.data)
    return {"true": True, "false": False, "null": None}.get(value.kind, value.data)


def written(path: str, data: dict[str, Any]) -> str:
    """A configuration in the language of ``path``: JSON is YAML, too."""
    if path.endswith(".toml"):
        return "".join(f"{as_toml(key)} = {as_toml(value)}\n" for key, value in data.items() if value is not None)
    return json.dumps(data, ensure_ascii=False, indent=1)


def as_toml(value: Any) -> str:
    """A value in TOML."""
    if isinstance(value, dict):
        inner = ", ".join(f"{as_toml(key)} = {as_toml(each)}" for key, each in value.items() if each is not None)
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(as_toml(each) for each in value if each is not None)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
