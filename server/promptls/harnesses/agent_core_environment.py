"""agent-core's configuration, and which environment and directory it leads to.

Sections named here are those of the harness specification for agent-core; ``source`` is the public program.
"""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Candidate, Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.harnesses.base import STATE_SAYS, type_clause, with_consequence
from promptls.harnesses.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.harnesses.args import Arguments
    from promptls.harnesses.base import Draft

CONTENT = "AGENT_CORE_CONFIG_CONTENT"
FILE = "AGENT_CORE_CONFIG"
PROJECT = ".tong_work"
CONFIG_FILES = ("tong_work.jsonc", "tong_work.json")
ENVIRONMENT_CONFIG = "config.jsonc"
SEARCH_PATHS = ("local", "global")
DEFAULT = "default"
IGNORED = "agent-core ignores the whole file until this is corrected"

WHY_GLOBAL = "agent-core reads the first of tong_work.jsonc and tong_work.json in its configuration directory"
WHY_PROJECT = "agent-core reads .tong_work/tong_work.jsonc in the working directory, and nowhere above it"
WHY_DESIGN = "the design names no file for its configuration; promptls looks where the public program and the design do"
WHY_ENVIRONMENT = "agent-core reads config.jsonc of the environment"
WHY_DIRECTORY = "agent-core takes the first directory that exists for the active environment"


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration that could be read: the file, or None for an environment variable."""

    path: str | None
    document: Document
    root: Value

    def origin(self, value: Value, name: str | None = None) -> Origin:
        """The place of ``value``."""
        if self.path is None:
            return Origin("argument", name=CONTENT)
        return Origin("config", path=self.path, range=self.document.range(value), name=name)


@dataclass(frozen=True, slots=True)
class Place:
    """The environment: its name for the header, the directory with rules.md and prompts/, and what named it.

    ``directory`` is None where no environment is active: agent-core then looks nowhere.
    """

    name: str
    directory: str | None
    origin: Origin
    why: str
    stopped: str | None = None


# -- the public program (section "Only @344500a") ----------------------------------------------------------------


def find_environment(draft: Draft, host: Host, cwd: str, command: Arguments) -> Place:
    """Name and directory of the environment as 344500a finds them."""
    base = _global_directory(host, cwd)
    general = _first(draft, host, (join(base, name) for name in CONFIG_FILES), WHY_GLOBAL)
    project = read_config(draft, host, join(cwd, PROJECT, CONFIG_FILES[0]), why=WHY_PROJECT)
    directories = {"local": join(cwd, PROJECT, "environments"), "global": join(base, "environments")}

    asked = command.last("env")
    if asked:
        origin = Origin("argument", name="--env")
        directory = _look(draft, host, directories, SEARCH_PATHS, asked, origin)
        stopped = f"agent-core ends, because there is no environment {asked}. Correct --env."
        return Place(asked, directory, origin, "the option --env names it", None if directory else stopped)

    named = _active((general, project))
    directory = None
    own: Config | None = None
    if named is not None:
        name, origin = named
        directory = _override(draft, host, cwd, project, name) or _look(
            draft, host, directories, _search_paths(project), name, origin
        )
        own = read_config(draft, host, join(directory, ENVIRONMENT_CONFIG), why=WHY_ENVIRONMENT) if directory else None
    last = _active((own, *_from_environment(draft, host, cwd))) or named
    if last is None:
        # Without a name nothing is read, not even environments/default (wire: default-env-dir).
        return Place(DEFAULT, None, Origin("computed"), "no configuration names an environment")
    name, origin = last
    if own is None:
        # A directory is only kept if it has a config.jsonc; it is looked for again, without overrides (source).
        directory = _look(draft, host, directories, SEARCH_PATHS, name, origin)
    why = "activeEnvironment of the configuration names it"
    if directory is None:
        # A missing directory is no error: the folder of all environments stands in for it (wire: env-missing).
        why = f"the environment {name} has no directory, so agent-core takes the folder of all environments for it"
        directory = directories["global"]
    return Place(name, directory, origin, why)


def _global_directory(host: Host, cwd: str) -> str:
    base = host.env.get("XDG_CONFIG_HOME") or join(host.home, ".config")
    return resolve(cwd, join(base, "tong_work", "agent-core"))


def _search_paths(project: Config | None) -> tuple[str, ...]:
    """``environmentSearchPaths`` of the project file: the order of ``local`` and ``global`` (source)."""
    value = project.root.get("environmentSearchPaths") if project else None
    if value is None or value.kind != "array":
        return SEARCH_PATHS
    return tuple("local" if item.data == "local" else "global" for item in value.items)


def _override(draft: Draft, host: Host, cwd: str, project: Config | None, name: str) -> str | None:
    """``environmentOverrides`` of the project file, if that directory exists (wire: project-overrides)."""
    value = (project.root.get("environmentOverrides") or EMPTY).get(name) if project else None
    if project is None or value is None or not isinstance(value.data, str) or not value.data:
        return None
    path = resolve(cwd, value.data)
    origin = project.origin(value, value.data)
    if host.kind(path) is None:
        why = "environmentOverrides names this directory, and it does not exist; agent-core looks elsewhere"
        draft.candidates.append(Candidate("missing", why, origin, path=path, use="config", state="missing"))
        return None
    why = "environmentOverrides names this directory"
    draft.candidates.append(Candidate("loaded", why, origin, path=path, use="config"))
    return path


def _look(  # noqa: PLR0917 - a name and where it is looked for
    draft: Draft, host: Host, directories: dict[str, str], order: Iterable[str], name: str, origin: Origin
) -> str | None:
    """The first directory of this name; it is used whole (wire: local-over-global)."""
    found: list[Candidate] = []
    first: str | None = None
    for place in dict.fromkeys(order):
        path = join(directories[place], name)
        if host.kind(path) is None:
            rule = Origin("computed", name=WHY_DIRECTORY)
            found.append(Candidate("missing", WHY_DIRECTORY, rule, path=path, use="config"))
        elif first is None:
            first = path
        else:
            why = f"{WHY_DIRECTORY}: {first} comes first and is used whole"
            found.append(Candidate("shadowed", why, origin, path=path, use="config", other=first))
    if first is None and origin.kind == "config":
        path = join(directories["global"], name)
        why = f"activeEnvironment names the environment {name}, which has no directory"
        found.append(Candidate("missing", why, origin, path=path, use="config", state="missing"))
    draft.candidates += [candidate for candidate in found if candidate not in draft.candidates]
    return first


def _from_environment(draft: Draft, host: Host, cwd: str) -> Iterator[Config]:
    """The configurations of environment variables, which come last and win (wire: inline-config-active)."""
    content = host.env.get(CONTENT)
    if content:
        document = jsonc.parse(content, comments=True)
        if document.root is not None and document.flaw is None:
            yield Config(None, document, document.root)
        else:
            why = f"{CONTENT} cannot be read"
            draft.candidates.append(Candidate("failed", why, Origin("argument", name=CONTENT), use="config"))
    file = host.env.get(FILE)
    if file:
        config = read_config(draft, host, resolve(cwd, file), why=f"{FILE} names this file")
        if config is not None:
            yield config


# -- the design (section "Default version") ----------------------------------------------------------------------


def find_design_environment(draft: Draft, host: Host, cwd: str, command: Arguments) -> Place:
    """``activeEnvironment`` of the configuration, else ``default``; below ``config/environments`` [2.3]."""
    base = join(cwd, "config", "environments")
    asked = command.last("env")
    named: tuple[str, Origin] | None = (asked, Origin("argument", name="--env")) if asked else None
    why = "the option --env names it"
    if named is None:
        places = (
            *(join(_global_directory(host, cwd), name) for name in reversed(CONFIG_FILES)),
            *(join(cwd, "config", name) for name in reversed(CONFIG_FILES)),
            join(cwd, PROJECT, CONFIG_FILES[0]),
        )
        configs = [read_config(draft, host, path, why=WHY_DESIGN) for path in places]
        named = _active((*configs, *_from_environment(draft, host, cwd)))
        why = "activeEnvironment of the configuration names it"
    if named is None:
        return Place(DEFAULT, join(base, DEFAULT), Origin("computed", name=DEFAULT), "no configuration names another")
    name, origin = named
    directory = resolve(base, name)
    if host.kind(directory) is None:
        missing = f"{why}, and it has no directory"
        draft.candidates.append(Candidate("missing", missing, origin, path=directory, use="config", state="missing"))
    return Place(name, directory, origin, why)


# -- reading -----------------------------------------------------------------------------------------------------


def read_config(draft: Draft, host: Host, path: str, *, why: str) -> Config | None:
    """The configuration at ``path``: JSON with comments and trailing commas; None if it cannot be used."""
    origin = Origin("computed", name=why)
    contents = host.read(path)
    if contents.state != "file":
        missing = contents.state in ("missing", "broken-link")
        says = why if missing else f"{why}: {STATE_SAYS[contents.state]}"
        outcome = Candidate(
            "missing" if missing else "failed", says, origin, path=path, use="config", state=contents.state
        )
        draft.candidates.append(outcome)
        return None
    document = jsonc.parse(decode(contents.data, keep_bom=True), comments=path.endswith(".jsonc"))
    empty = not document.text.strip() and path.endswith(".jsonc")
    fault = None if empty else document.fault("config-invalid")
    active = document.root.get("activeEnvironment") if document.root else None
    if fault is None and active is not None and active.kind != "string":
        fault = Fault("config-type", document.range(active), type_clause(("string",)))
        fault = with_consequence(fault, "agent-core takes no environment from this file until it is corrected")
        draft.candidates.append(Candidate("failed", why, origin, path=path, use="config", faults=(fault,)))
        return Config(path, document, document.root or EMPTY)
    if fault is not None:
        fault = with_consequence(fault, IGNORED)
        draft.candidates.append(
            Candidate("failed", f"{why}: it cannot be read", origin, path=path, use="config", faults=(fault,))
        )
        return None
    draft.candidates.append(Candidate("empty" if empty else "loaded", why, origin, path=path, use="config"))
    return Config(path, document, document.root or EMPTY)


def _first(draft: Draft, host: Host, paths: Iterable[str], why: str) -> Config | None:
    """The first file that can be read; one that cannot is passed over with a warning (source)."""
    found: Config | None = None
    for path in paths:
        if found is None:
            found = read_config(draft, host, path, why=why)
        elif host.kind(path) is not None:
            says, origin = f"{why}: {found.path} comes first", Origin("computed", name=why)
            draft.candidates.append(Candidate("shadowed", says, origin, path=path, use="config", other=found.path))
    return found


def _active(configs: Iterable[Config | None]) -> tuple[str, Origin] | None:
    """The last ``activeEnvironment`` that is not empty, with its place."""
    found: tuple[str, Origin] | None = None
    for config in configs:
        value = config.root.get("activeEnvironment") if config else None
        if config is not None and value is not None and isinstance(value.data, str) and value.data:
            found = (value.data, config.origin(value, value.data))
    return found
