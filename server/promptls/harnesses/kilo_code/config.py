"""Kilo Code's configuration: the entries of ``instructions`` of every file, in order.

(source; wire: config-relative, config-env)
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Fault, Origin
from promptls.core.values import dataclass, field
from promptls.kit.base import type_clause
from promptls.kit.configs import ConfigReader, strings
from promptls.kit.paths import is_below, join, resolve, upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.formats.tree import Document
    from promptls.core.host import Host
    from promptls.kit.draft import Draft

NAMES = ("kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc")
OWN_DIRECTORIES = (".kilocode", ".kilo")
NO_PROJECT = "KILO_DISABLE_PROJECT_CONFIG"
ON = ("1", "true")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of ``instructions``. ``is_trusted``: it is from a global file, and may name what lies elsewhere."""

    text: str
    origin: Origin
    is_trusted: bool


@dataclass(slots=True)
class Config:
    """What the configurations say. ``directory`` is the global one, ``root`` the worktree, else the cwd."""

    directory: str
    cwd: str
    top: str
    root: str
    has_project: bool
    entries: list[Entry] = field(default_factory=list)
    skill_paths: list[str] = field(default_factory=list)
    model: str | None = None


def read_config(draft: Draft, host: Host, cwd: str, repository: str | None) -> Config:
    """The global files, that of KILO_CONFIG, the project's from the root down, then those in directories of its own.

    (wire: config-instructions-global)
    """
    xdg = host.env.get("XDG_CONFIG_HOME") or join(host.home, ".config")
    has_project = host.env.get(NO_PROJECT, "").lower() not in ON
    config = Config(resolve(cwd, join(xdg, "kilo")), cwd, repository or cwd, repository or cwd, has_project)
    for path, is_trusted in _files(host, config):
        _read(draft, host, config, path, is_trusted=is_trusted)
    return config


def _files(host: Host, config: Config) -> Iterator[tuple[str, bool]]:
    """Each file that is looked for, and whether it is a global one."""
    for name in ("config.json", *NAMES):
        yield join(config.directory, name), True
    if named := host.env.get("KILO_CONFIG"):
        yield resolve(config.cwd, named), True
    places = list(upwards(config.cwd, config.top)) if config.has_project else []
    for names in (NAMES[:2], NAMES[2:]):
        for place in reversed(places):
            yield from ((join(place, name), False) for name in names)
    own_places = [join(place, each) for place in places for each in OWN_DIRECTORIES]
    further = [join(host.home, each) for each in OWN_DIRECTORIES]
    further += [resolve(config.cwd, named)] if (named := host.env.get("KILO_CONFIG_DIR")) else []
    for place in dict.fromkeys((*own_places, *further)):
        is_trusted = place not in own_places and not is_below(place, config.root)
        yield from ((join(place, name), is_trusted) for name in NAMES)


def _read(draft: Draft, host: Host, config: Config, path: str, *, is_trusted: bool) -> None:
    """A file that is not valid is skipped, and Kilo Code warns (wire: config-broken)."""
    document = READER.read(draft, host, path)
    if document is not None:
        root = document.root or EMPTY
        config.model = root.text("model") or config.model
        listed = strings(path, document, root.get("instructions"))
        named = (root.get("skills") or EMPTY).get("paths")
        config.skill_paths += (each.text for each in strings(path, document, named))
        config.entries += (Entry(each.text, each.origin, is_trusted) for each in listed)


def _wrong(document: Document) -> Fault | None:
    listed = (document.root or EMPTY).get("instructions")
    is_wrong = listed is not None and listed.kind != "array"
    return Fault("config-type", document.range(listed), type_clause(("array",))) if listed and is_wrong else None


READER = ConfigReader(
    "Kilo Code joins the instructions of its configurations",
    parse=lambda text: parse_json(text, comments=True),
    reason="it is not valid, so it is skipped",
    until="Kilo Code skips this file",
    wrong=_wrong,
)
