"""etcode's configuration: which files, how they are merged, and what a broken one costs (section "Both")."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import Document, Value
from promptls.core.model import Fault
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.base import CONFIG_LIMIT, LARGE_CONFIG, type_clause, with_consequence
from promptls.kit.candidates import STATE_SAYS, own
from promptls.kit.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

CONFIG_FILES = ("etcode.json", "etcode.jsonc", ".etcode.json")
LOSS = "etcode loses the whole configuration and stops with “No model configured”"


@dataclass(frozen=True, slots=True)
class EtcodeConfig:
    """The merged configuration: each key with the file that it comes from."""

    values: dict[str, tuple[str, Document, Value]]
    broken: str | None = None

    def get(self, key: str) -> tuple[str, Document, Value] | None:
        """Path, document and value of a top-level key."""
        return self.values.get(key)


def config_directory(host: Host, cwd: str, home: str) -> str:
    """Where the global files are. An empty XDG_CONFIG_HOME counts: a directory below cwd (wire: xdg-empty)."""
    base = host.env.get("XDG_CONFIG_HOME")
    return resolve(cwd, join(base, "etcode")) if base is not None else join(home, ".config", "etcode")


def read_config(draft: Draft, host: Host, cwd: str, directory: str) -> EtcodeConfig:
    """Global, then project; top-level keys of the project replace (wire: config-merge-shallow)."""
    values: dict[str, tuple[str, Document, Value]] = {}
    broken = None
    for place in dict.fromkeys((directory, cwd)):
        path = _first_config(draft, host, place)
        if path is None:
            continue
        contents = host.read(path)
        rule = own("etcode reads the first of etcode.json, etcode.jsonc and .etcode.json here", use="config")
        if contents.state != "file":
            draft.candidates.append(rule.failed(path, STATE_SAYS[contents.state]))
            continue
        if contents.size > LARGE_CONFIG:
            draft.notes.append(f"{path} is ignored: {CONFIG_LIMIT}.")
            draft.candidates.append(rule.cut(path, CONFIG_LIMIT))
            continue
        document = parse_json(decode(contents.data, keep_bom=True), comments=False)
        fault = document.fault("config-invalid") or _type_fault(document)
        if fault is not None:
            broken = broken or path
            fault = with_consequence(fault, f"{LOSS} until this is fixed")
            draft.candidates.append(rule.failed(path, LOSS, faults=(fault,)))
            continue
        draft.candidates.append(rule.loaded(path))
        root = document.root
        values.update({str(key.data): (path, document, value) for key, value in root.members} if root else {})
    return EtcodeConfig({} if broken else values, broken)


def _first_config(draft: Draft, host: Host, place: str) -> str | None:
    first = None
    for name in CONFIG_FILES:
        path = join(place, name)
        why = f"etcode reads the first of {', '.join(CONFIG_FILES)} in its configuration directory and in cwd"
        rule = own(why, use="config")
        if host.kind(path) is None:
            draft.candidates.append(rule.missing(path))
        elif first is None:
            first = path
        else:
            draft.candidates.append(replace(rule, why=f"{first} comes first").shadowed(path, by=first))
    return first


def _type_fault(document: Document) -> Fault | None:
    """The first value that etcode's schema refuses; unknown keys are fine (wire: config-unknown-keys)."""
    root = document.root
    if root is None:
        return None
    for value, kind in _typed(root):
        if value.kind != kind:
            return Fault("config-type", document.range(value), type_clause((kind,)))
    return None


def _typed(root: Value) -> list[tuple[Value, str]]:
    """Each value of a key that etcode knows, with the kind it must have."""
    wanted: list[tuple[Value, str]] = [(root, "object")]
    if instructions := root.get("instructions"):
        wanted += [(instructions, "array"), *((item, "string") for item in instructions.items)]
    if default := root.get("default_agent"):
        wanted.append((default, "string"))
    if provider := root.get("provider"):
        wanted.append((provider, "array"))
        for item in provider.items:
            wanted.append((item, "object"))
            wanted += [(v, "string") for k in ("id", "model", "npm", "baseURL", "apiKey") if (v := item.get(k))]
    if agents := root.get("agent"):
        wanted.append((agents, "object"))
        for _, agent in agents.members:
            wanted.append((agent, "object"))
            wanted += [(v, "string") for k in ("prompt", "model", "description") if (v := agent.get(k))]
    return wanted
