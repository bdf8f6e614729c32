"""The scratch home of a program: copies of what a preview read in the user's own, and never a credential."""

from __future__ import annotations

import json
import re

from promptls.core.formats import jsonc, yaml
from promptls.core.formats.tree import MAX_DEPTH
from promptls.core.paths import is_below, join, name
from promptls.core.secrets import is_config, masked_file
from promptls.core.text import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any

    from promptls.core.files import Contents
    from promptls.core.formats.tree import Value
    from promptls.harnesses.program import Program

# Files that hold credentials, by name; no program gets one of them.
CREDENTIALS = frozenset(
    (
        *(".credentials.json", "auth.json", "oauth_creds.json", "google_accounts.json", "mcp-oauth-tokens.json"),
        *(".claude.json", ".env", ".netrc", ".npmrc", "hosts.json", "hosts.yml", "apps.json", "models.json"),
    )
)
# Directories of the user's that a variable may name for all programs.
PLACES = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
# The directory of the scratch home with the files that a variable names.
NAMED = ".named"
# The endings of configurations in YAML.
YAML = (".yaml", ".yml")
# Variables that every program gets as they are; TERM and the like are not among them.
KEEPS = ("PATH", "LANG", "LANGUAGE", "TZ", "SHELL", "USER", "LOGNAME")


def places(home: str, env: Mapping[str, str], program: Program) -> dict[str, str]:
    """Directories of the user's, each with the one of the scratch home that takes its place."""
    named = {**PLACES, **program.places}
    found = {env[each]: below for each, below in named.items() if env.get(each)}
    files = (env[each].rpartition("/")[0] for each in program.files if env.get(each))
    return {**{each: NAMED for each in files if each and not is_below(each, home)}, **found, home: ""}


def named(program: Program) -> tuple[str, ...]:
    """Variables that name directories or files of the user's."""
    return (*PLACES, *program.places, *program.files)


def variables(home: str, user_home: str, env: Mapping[str, str], program: Program) -> dict[str, str]:
    """The environment of a program whose home is ``home``: from a list of what is allowed, so no key is among it."""
    kept = {each: env[each] for each in (*KEEPS, *program.keeps) if each in env}
    kept |= {each: value for each, value in env.items() if each.startswith("LC_")}
    moved = {each: join(home, below) for each, below in {**PLACES, **program.places}.items() if env.get(each)}
    where = places(user_home, env, program)
    moved |= {each: join(home, _place(env[each], where) or env[each]) for each in program.files if env.get(each)}
    own = {} if "TMPDIR" in program.keeps else {"TMPDIR": join(home, ".tmp")}
    return {**kept, **moved, **own, "HOME": home, "TERM": "dumb", "NO_COLOR": "1"}


def copies(
    read: Mapping[str, Contents], moved: Mapping[str, str], workspace: str, program: Program, *, is_case: bool = False
) -> dict[str, bytes]:
    """The files of a scratch home, by their place in it: what was read below one of the places of ``moved``.

    What is in the workspace stays there. Secrets in configurations are replaced by stars, and settings that name
    programs are left out, unless the files are those of a case (``is_case``).
    """
    found: dict[str, bytes] = {}
    for path, contents in read.items():
        below = _place(path, moved)
        if below is None or is_below(path, workspace) or contents.state != "file":
            continue
        if is_case:
            found[below] = contents.data
        elif not is_credential(path) or below in program.only:
            found[below] = _copy(below, contents.data, program)
    return found


def with_home(files: Mapping[str, bytes], user_home: str, home: str, program: Program) -> dict[str, bytes]:
    """``files`` with configurations that name the program's own directory where it is now."""
    found = dict(files)
    for below in filter(None, program.places.values()):
        before, after = (join(each, below).encode() + b"/" for each in (user_home, home))
        found = {path: data.replace(before, after) if is_config(path) else data for path, data in found.items()}
    return found


def links(
    looked_at: Iterable[str], moved: Mapping[str, str], workspace: str, realpath: Callable[[str], str]
) -> dict[str, str]:
    """The places in a scratch home of what the user has as links, each with the one of the file that it leads to.

    A program names the file that a link leads to, and looks for imports beside it.
    """
    real = {realpath(place): below for place, below in moved.items()}
    outside = (path for path in looked_at if not is_below(path, workspace))
    found = ((_place(path, moved), _place(realpath(path), real)) for path in outside)
    return {below: target for below, target in found if below and target and below != target}


def _place(path: str, moved: Mapping[str, str]) -> str | None:
    """Where ``path`` is in the scratch home; None if it is in no directory that has a place there."""
    place = next((each for each in sorted(moved, key=len, reverse=True) if is_below(path, each)), None)
    return None if place is None else join(moved[place], path.removeprefix(place).lstrip("/")).lstrip("/")


def is_credential(path: str) -> bool:
    """Whether a file holds credentials, by its name."""
    return name(path).lower() in CREDENTIALS


def with_settings(files: Mapping[str, bytes], settings: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    """``files`` with JSON that has these keys, over what they have already."""
    found = dict(files)
    for path, wanted in settings.items():
        known = _data(path, found.get(path, b"{}"))
        found[path] = json.dumps(_merged(known if isinstance(known, dict) else {}, wanted)).encode()
    return found


def without(path: str, data: bytes, keys: Collection[str]) -> str | None:
    """A configuration without these keys, wherever they are; None if it has none of them."""
    text = decode(data, keep_bom=False)
    if not is_config(path) or not any(key in text for key in keys):
        return None
    if path.endswith(".toml"):
        tables = re.split(r"^(?=[ \t]*\[)", text, flags=re.MULTILINE)
        return "".join(each for each in tables if re.split(r"[\].]", each.lstrip(" \t["))[0].strip() not in keys)
    return json.dumps(_dropped(_data(path, data), keys))


def _dropped(value: Any, keys: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {key: _dropped(each, keys) for key, each in value.items() if key not in keys}
    return [_dropped(each, keys) for each in value] if isinstance(value, list) else value


def _copy(below: str, data: bytes, program: Program) -> bytes:
    if not is_config(below):
        return data
    text = decode(data, keep_bom=True)
    only = program.only.get(below)
    if only is not None or below.endswith((".json", ".jsonc")):
        known = _data(below, data)
        kept = known if isinstance(known, dict) else {}
        kept = _chosen(kept, only) if only else {key: kept[key] for key in kept if key not in program.drops}
        text = json.dumps(kept, ensure_ascii=False, indent=1)
    return masked_file(below, text).encode("utf-8", "replace")


def _chosen(value: Any, keys: Collection[str]) -> Any:
    """What of JSON these keys lead to: ``a.b`` to the key in another, ``a.*.b`` to that of each."""
    if not isinstance(value, dict) or "" in keys:
        return value
    found = {}
    for key, each in value.items():
        split = [name.partition(".") for name in keys]
        below = [rest for first, _, rest in split if first in (key, "*")]
        if below:
            found[key] = _chosen(each, below)
    return found


def _data(path: str, data: bytes) -> Any:
    """JSON, with comments or without, or YAML, which JSON is, too; None if it cannot be read."""
    text = decode(data, keep_bom=False)
    root = yaml.parse(text).root if path.endswith(YAML) else jsonc.parse(text, comments=True).root
    return None if root is None else _plain(root, MAX_DEPTH)


def _plain(value: Value, depth: int) -> Any:
    if depth == 0:
        return None
    if value.kind == "object":
        return {str(key.data): _plain(each, depth - 1) for key, each in value.members}
    if value.kind == "array":
        return [_plain(each, depth - 1) for each in value.items]
    if value.kind == "number" and isinstance(value.data, float) and value.data.is_integer():
        return int(value.data)
    return {"true": True, "false": False, "null": None}.get(value.kind, value.data)


def _merged(known: dict[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(known)
    for key, value in wanted.items():
        own = found.get(key)
        found[key] = _merged(own, value) if isinstance(own, dict) and isinstance(value, dict) else value
    return found
