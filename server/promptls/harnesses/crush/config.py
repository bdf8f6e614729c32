"""The configurations of Crush, as far as they name files of instructions [source: internal/config/load.go]."""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Origin
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.kit.base import with_consequence
from promptls.kit.candidates import own
from promptls.kit.paths import git_root, join, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

WHY_CONFIG = "Crush reads crush.json and .crush.json of the user and of each directory from the git root to cwd"
WHY_SCRIPT = "Crush runs this script for its configuration; promptls runs nothing, and shows the prompt without it"


@dataclass(frozen=True, slots=True)
class Entry:
    """A path of a list, and what says it."""

    written: str
    origin: Origin


@dataclass(slots=True)
class Config:
    """The lists of all configurations, joined. ``stopped`` says why Crush ends; ``user`` is the user's directory."""

    user: str
    paths: list[Entry] = field(default_factory=list)
    global_paths: list[Entry] = field(default_factory=list)
    stopped: str | None = None
    stopped_by: Origin | None = None


def read_config(draft: Draft, host: Host, cwd: str, data: str | None) -> Config:
    """Every configuration; ``data`` is the directory of --data-dir."""
    env = host.env
    base = env.get("XDG_CONFIG_HOME") or join(host.home, ".config")
    named = env.get("CRUSH_GLOBAL_CONFIG")
    config = Config(resolve(cwd, named) if named else join(base, "crush"))
    for path in _files(host, config, cwd, data):
        _read(draft, host, config, path)
    return config


def _files(host: Host, config: Config, cwd: str, data: str | None) -> Iterator[str]:
    """In the order in which they are merged."""
    env, top = host.env, git_root(host, cwd) or cwd
    own_data = env.get("CRUSH_GLOBAL_DATA") or join(
        env.get("XDG_DATA_HOME") or join(host.home, ".local/share"), "crush"
    )
    yield "/etc/crush/crush.json"
    yield from (join(config.user, "crush.json"), join(config.user, "crushrc"), join(own_data, "crush.json"))
    places = [*upwards(cwd, top)]
    for place in reversed(places):
        yield from (join(place, name) for name in ("crush.json", ".crush.json", "crushrc", ".crushrc"))
    nearest = next((path for each in places if host.kind(path := join(each, ".crush")) == "directory"), None)
    yield join(resolve(cwd, data) if data else nearest or join(cwd, ".crush"), "crush.json")


def _read(draft: Draft, host: Host, config: Config, path: str) -> None:
    contents, rule = host.read(path), own(WHY_CONFIG, use="config")
    if contents.state != "file":
        if not path.endswith("rc"):
            draft.candidates.append(rule.unread(path, contents.state))
        return
    if path.endswith("rc"):
        draft.candidates.append(own(WHY_SCRIPT, use="config").excluded(path))
        draft.notes.append(f"{path} is a script that Crush runs; what it configures is not known here.")
        return
    document = jsonc.parse(decode(contents.data, keep_bom=True), comments=False)
    fault = document.fault("config-invalid") if contents.data else None
    if fault is not None:
        fault = with_consequence(fault, "Crush ends until this is fixed")
        draft.candidates.append(rule.failed(path, "it is not valid, and Crush ends", faults=(fault,)))
        config.stopped = config.stopped or f"Crush ends, because it cannot read {path}. Fix it."
        config.stopped_by = config.stopped_by or Origin("config", path=path)
        return
    draft.candidates.append(rule.loaded(path))
    options = (document.root or EMPTY).get("options") or EMPTY
    for key, entries in (("context_paths", config.paths), ("global_context_paths", config.global_paths)):
        value = options.get(key)
        for item in value.items if value is not None else ():
            if isinstance(item.data, str):
                origin = Origin("config", path=path, range=document.range(item), name=item.data)
                entries.append(Entry(item.data, origin))
