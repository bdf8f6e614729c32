"""agent-core's configuration, and which environment and directory it leads to.

Sections named here are those of the harness specification for agent-core; ``source`` is the public program.
"""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Fault, Origin
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.base import type_clause, with_consequence
from promptls.kit.candidates import NOTHING, Rule, own
from promptls.kit.paths import join, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.kit.args import Arguments
    from promptls.kit.draft import Draft

CONTENT = "AGENT_CORE_CONFIG_CONTENT"
FILE = "AGENT_CORE_CONFIG"
PROJECT = ".tong_work"
CONFIG_FILES = ("tong_work.jsonc", "tong_work.json")
ENVIRONMENT_CONFIG = "config.jsonc"
SEARCH_PATHS = ("local", "global")
DEFAULT = "default"
IGNORED = "agent-core ignores the whole file until this is fixed"

WHY_GLOBAL = "agent-core reads the first of tong_work.jsonc and tong_work.json in its configuration directory"
WHY_PROJECT = "agent-core reads .tong_work/tong_work.jsonc in the working directory only, not above it"
WHY_DESIGN = "the design names no file for its configuration; promptls looks where the public program and the design do"
WHY_ENVIRONMENT = "agent-core reads config.jsonc of the environment"
WHY_DIRECTORY = "agent-core uses the first directory that exists for the active environment"


@dataclass(frozen=True, slots=True)
class AgentCoreConfig:
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
class Environment:
    """The environment: its name for the header, the directory with rules.md and prompts/, and what named it.

    ``directory`` is None where no environment is active: agent-core then looks nowhere.
    """

    name: str
    directory: str | None
    origin: Origin
    why: str
    stopped: str | None = None


# -- the public program (section "Only @344500a") ----------------------------------------------------------------


def find_environment(draft: Draft, host: Host, cwd: str, command: Arguments) -> Environment:
    """Name and directory of the environment as 344500a finds them."""
    base = _global_directory(host, cwd)
    general = _first(draft, host, (join(base, name) for name in CONFIG_FILES), WHY_GLOBAL)
    project = read_config(draft, host, join(cwd, PROJECT, CONFIG_FILES[0]), why=WHY_PROJECT)
    directories = {"local": join(cwd, PROJECT, "environments"), "global": join(base, "environments")}

    asked = command.last("env")
    if asked:
        origin = Origin("argument", name="--env")
        directory = _look(draft, host, directories, SEARCH_PATHS, asked, origin)
        stopped = f"agent-core ends, because there is no environment {asked}. Fix --env."
        return Environment(asked, directory, origin, "the option --env names it", None if directory else stopped)

    named = _active((general, project))
    directory = None
    own: AgentCoreConfig | None = None
    if named is not None:
        name, origin = named
        directory = _override(draft, host, cwd, project, name) or _look(
            draft, host, directories, _search_paths(project), name, origin
        )
        own = read_config(draft, host, join(directory, ENVIRONMENT_CONFIG), why=WHY_ENVIRONMENT) if directory else None
    last = _active((own, *_from_environment(draft, host, cwd))) or named
    if last is None:
        # Without a name nothing is read, not even environments/default (captured: default-env-dir).
        return Environment(DEFAULT, None, Origin("computed"), "no configuration names an environment")
    name, origin = last
    if own is None:
        # A directory is only kept if it has a config.jsonc; it is looked for again, without overrides (source).
        directory = _look(draft, host, directories, SEARCH_PATHS, name, origin)
    why = "activeEnvironment of the configuration names it"
    if directory is None:
        # A missing directory is no error: the folder of all environments replaces it (wire: env-missing).
        why = f"the environment {name} has no directory, so agent-core uses the folder of all environments"
        directory = directories["global"]
    return Environment(name, directory, origin, why)


def _global_directory(host: Host, cwd: str) -> str:
    base = host.env.get("XDG_CONFIG_HOME") or join(host.home, ".config")
    return resolve(cwd, join(base, "tong_work", "agent-core"))


def _search_paths(project: AgentCoreConfig | None) -> tuple[str, ...]:
    """``environmentSearchPaths`` of the project file: the order of ``local`` and ``global`` (source)."""
    value = project.root.get("environmentSearchPaths") if project else None
    if value is None or value.kind != "array":
        return SEARCH_PATHS
    return tuple("local" if item.data == "local" else "global" for item in value.items)


def _override(draft: Draft, host: Host, cwd: str, project: AgentCoreConfig | None, name: str) -> str | None:
    """``environmentOverrides`` of the project file, if that directory exists (wire: project-overrides)."""
    value = (project.root.get("environmentOverrides") or EMPTY).get(name) if project else None
    if project is None or value is None or not isinstance(value.data, str) or not value.data:
        return None
    path = resolve(cwd, value.data)
    origin = project.origin(value, value.data)
    if host.kind(path) is None:
        why = "environmentOverrides names this directory, and it does not exist; agent-core looks elsewhere"
        draft.candidates.append(Rule(why, origin, "config").missing(path, state="missing"))
        return None
    draft.candidates.append(Rule("environmentOverrides names this directory", origin, "config").loaded(path))
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
            found.append(own(WHY_DIRECTORY, use="config").missing(path))
        elif first is None:
            first = path
        else:
            reason = f"{first} comes first and is used whole"
            found.append(Rule(WHY_DIRECTORY, origin, "config").shadowed(path, reason, by=first))
    if first is None and origin.kind == "config":
        path = join(directories["global"], name)
        why = f"activeEnvironment names the environment {name}, which has no directory"
        found.append(Rule(why, origin, "config").missing(path, state="missing"))
    draft.candidates += [candidate for candidate in found if candidate not in draft.candidates]
    return first


def _from_environment(draft: Draft, host: Host, cwd: str) -> Iterator[AgentCoreConfig]:
    """The configurations of environment variables, which come last and win (wire: inline-config-active)."""
    content = host.env.get(CONTENT)
    if content:
        document = parse_json(content, comments=True)
        if document.root is not None and document.flaw is None:
            yield AgentCoreConfig(None, document, document.root)
        else:
            rule = Rule(f"{CONTENT} cannot be read", Origin("argument", name=CONTENT), "config")
            draft.candidates.append(rule.failed())
    file = host.env.get(FILE)
    if file:
        config = read_config(draft, host, resolve(cwd, file), why=f"{FILE} names this file")
        if config is not None:
            yield config


# -- the design (section "Default version") ----------------------------------------------------------------------


def find_design_environment(draft: Draft, host: Host, cwd: str, command: Arguments) -> Environment:
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
        return Environment(
            DEFAULT, join(base, DEFAULT), Origin("computed", name=DEFAULT), "no configuration names another"
        )
    name, origin = named
    directory = resolve(base, name)
    if host.kind(directory) is None:
        rule = Rule(f"{why}, and it has no directory", origin, "config")
        draft.candidates.append(rule.missing(directory, state="missing"))
    return Environment(name, directory, origin, why)


# -- reading -----------------------------------------------------------------------------------------------------


def read_config(draft: Draft, host: Host, path: str, *, why: str) -> AgentCoreConfig | None:
    """The configuration at ``path``: JSON with comments and trailing commas; None if it cannot be used."""
    rule = own(why, use="config")
    contents = host.read(path)
    if contents.state in NOTHING:
        draft.candidates.append(rule.missing(path, state=contents.state))
        return None
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        return None
    document = parse_json(decode(contents.data, keep_bom=True), comments=path.endswith(".jsonc"))
    empty = not document.text.strip() and path.endswith(".jsonc")
    fault = None if empty else document.fault("config-invalid")
    active = document.root.get("activeEnvironment") if document.root else None
    if fault is None and active is not None and active.kind != "string":
        fault = Fault("config-type", document.range(active), type_clause(("string",)))
        fault = with_consequence(fault, "agent-core reads no environment from this file until it is fixed")
        draft.candidates.append(rule.failed(path, faults=(fault,)))
        return AgentCoreConfig(path, document, document.root or EMPTY)
    if fault is not None:
        fault = with_consequence(fault, IGNORED)
        draft.candidates.append(rule.failed(path, "it cannot be read", faults=(fault,)))
        return None
    draft.candidates.append(rule.empty(path) if empty else rule.loaded(path))
    return AgentCoreConfig(path, document, document.root or EMPTY)


def _first(draft: Draft, host: Host, paths: Iterable[str], why: str) -> AgentCoreConfig | None:
    """The first file that can be read; one that cannot is skipped with a warning (source)."""
    found: AgentCoreConfig | None = None
    for path in paths:
        if found is None:
            found = read_config(draft, host, path, why=why)
        elif host.kind(path) is not None:
            rule = own(why, use="config")
            draft.candidates.append(rule.shadowed(path, f"{found.path} comes first", by=found.path))
    return found


def _active(configs: Iterable[AgentCoreConfig | None]) -> tuple[str, Origin] | None:
    """The last ``activeEnvironment`` that is not empty, with its place."""
    found: tuple[str, Origin] | None = None
    for config in configs:
        value = config.root.get("activeEnvironment") if config else None
        if config is not None and value is not None and isinstance(value.data, str) and value.data:
            found = (value.data, config.origin(value, value.data))
    return found
