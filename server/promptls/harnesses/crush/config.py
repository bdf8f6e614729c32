"""The configurations of Crush, as far as they name files of instructions [source: internal/config/load.go]."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.values import dataclass, field
from promptls.kit.candidates import own
from promptls.kit.configs import ConfigReader, Setting, strings
from promptls.kit.paths import git_root, join, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.kit.draft import Draft

READER = ConfigReader(
    "Crush reads crush.json and .crush.json of the user and of each directory from the git root to cwd",
    # An empty file is one without keys.
    parse=lambda text: parse_json(text or "{}", comments=False),
    reason="it is not valid, and Crush ends",
    until="Crush ends until this is fixed",
    ends="Crush ends, because it cannot read {path}. Fix it.",
    keeps_bom=True,
)
WHY_SCRIPT = "Crush runs this script for its configuration; promptls runs nothing, and shows the prompt without it"


@dataclass(slots=True)
class Config:
    """The lists of all configurations, joined. ``user`` is the user's directory."""

    user: str
    paths: list[Setting] = field(default_factory=list)
    global_paths: list[Setting] = field(default_factory=list)


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
    if path.endswith("rc"):
        if host.kind(path) == "file":
            draft.candidates.append(own(WHY_SCRIPT, use="config").excluded(path))
            draft.notes.append(f"{path} is a script that Crush runs; what it configures is not known here.")
        return
    document = READER.read(draft, host, path)
    if document is not None:
        options = (document.root or EMPTY).get("options") or EMPTY
        config.paths += strings(path, document, options.get("context_paths"))
        config.global_paths += strings(path, document, options.get("global_context_paths"))
