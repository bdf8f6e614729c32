"""What Codex takes from its config.toml files, its profile and ``-c``: which of them count, and in which order.

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

import json

from promptls.core.formats import toml
from promptls.core.formats.tree import EMPTY, Document, Value
from promptls.core.model import Fault, Origin, Range
from promptls.core.text import decode
from promptls.core.values import dataclass, field
from promptls.harnesses.base import CONFIG_LIMIT, LARGE_CONFIG, with_consequence
from promptls.harnesses.candidates import NOTHING, STATE_SAYS, Rule, argument, own
from promptls.harnesses.codex.types import type_fault
from promptls.harnesses.codex.versions import ROWS
from promptls.harnesses.shared.paths import join, parent, path_key, resolve, upwards
from promptls.harnesses.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.harnesses.codex.versions import Facts
    from promptls.harnesses.draft import Draft
    from promptls.harnesses.shared.args import Arguments

CONFIG, MANAGED = "config.toml", "managed_config.toml"

WHY_SYSTEM = "Codex reads the configuration of the machine first"
WHY_USER = "Codex reads config.toml in its home directory"
WHY_PROFILE = "the profile that --profile names goes before config.toml"
WHY_MANAGED = "what the administrator manages goes before everything"
WHY_PROJECT = "Codex reads .codex/config.toml from the project root down to the working directory, the nearest last"


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A value of the configuration: ``path`` is its file, None for ``-c``; relative paths count from ``base``."""

    key: str
    value: Value
    document: Document
    path: str | None
    base: str

    def origin(self, item: Value | None = None) -> Origin:
        """Where the value is, or an ``item`` of it."""
        shown = item or self.value
        name = str(item.data) if item is not None and item.data is not None else self.key
        if self.path is None:
            return Origin("argument", name=f"-c {self.document.text}")
        return Origin("config", path=self.path, range=self.document.range(shown), name=name)

    def names(self) -> list[Value]:
        """The strings of a list."""
        return [item for item in self.value.items if isinstance(item.data, str)]


@dataclass(slots=True)
class CodexConfig:
    """The merged configuration: each key with the layer that wins. ``home`` is CODEX_HOME."""

    home: str
    facts: Facts
    entries: dict[str, ConfigValue] = field(default_factory=dict)
    # Directory to trust level, from all layers but those of projects.
    projects: dict[str, ConfigValue] = field(default_factory=dict)
    # The first thing that makes Codex end before it sends anything, and what is to blame.
    stopped: str | None = None
    stopped_by: Origin | None = None

    @property
    def user_file(self) -> str:
        """Where the user sets things."""
        return join(self.home, CONFIG)

    def markers(self) -> tuple[str, ...]:
        """``project_root_markers`` (section 1.2)."""
        entry = self.entries.get("project_root_markers")
        return self.facts.markers if entry is None else tuple(str(item.data) for item in entry.names())

    def text(self, key: str) -> str | None:
        """The string at ``key``."""
        entry = self.entries.get(key)
        return entry.value.data if entry is not None and isinstance(entry.value.data, str) else None

    def stop(self, says: str, origin: Origin) -> None:
        """Codex ends; the first reason counts."""
        if self.stopped is None:
            self.stopped, self.stopped_by = says, origin


@dataclass(frozen=True, slots=True)
class Layer:
    """A file or ``-c`` option that was read."""

    document: Document
    path: str | None
    base: str

    def entries(self) -> Iterator[ConfigValue]:
        """Its top-level keys."""
        for key, value in (self.document.root or EMPTY).members:
            yield ConfigValue(str(key.data), value, self.document, self.path, self.base)


def read_config(draft: Draft, host: Host, cwd: str, command: Arguments) -> CodexConfig:
    """Machine, user, profile, project (root first), ``-c``, administrator: later ones win [source]."""
    config = CodexConfig(_home(host, cwd), row(ROWS, draft.session.version))
    if host.kind(config.home) != "directory" and host.env.get("CODEX_HOME"):
        says = f"Codex ends, because CODEX_HOME names {config.home}, which is no directory. Create it or unset it."
        config.stop(says, Origin("argument", name="CODEX_HOME"))
    machine, managed = _of_machine(host, config.home)
    below = [_file(draft, host, config, machine, WHY_SYSTEM)]
    if "--ignore-user-config" in command.switches:
        option = Origin("argument", name="--ignore-user-config")
        rule = Rule("the option --ignore-user-config leaves it out", option, "config")
        draft.candidates.append(rule.disabled(config.user_file))
    else:
        below.append(_file(draft, host, config, config.user_file, WHY_USER))
        if profile := command.last("profile"):
            below.append(_file(draft, host, config, join(config.home, f"{profile}.{CONFIG}"), WHY_PROFILE))
    above = [_option(draft, config, cwd, text) for text in command.values.get("config", [])]
    above.append(_file(draft, host, config, managed, WHY_MANAGED))
    for layer in (*below, *above):
        if layer is not None:
            _merge(config, layer)
    _stop_for_old_profiles(config, command.last("profile"))
    above_keys = {entry.key for layer in above if layer is not None for entry in layer.entries()}
    for layer in _project_files(draft, host, config, cwd):
        _merge_project(draft, config, layer, above_keys)
    return config


def _stop_for_old_profiles(config: CodexConfig, named: str | None) -> None:
    """A profile in config.toml itself ends Codex (wire: settle-profile-table; captured: settle-profile-table-flag)."""
    if (old := config.entries.get("profile")) is not None:
        says = f"Codex ends, because the key profile has no effect any more. Start it with --profile {old.value.data}."
        config.stop(says, old.origin())
    tables = config.entries.get("profiles")
    if named and tables is not None and (table := tables.value.get(named)) is not None:
        says = f"Codex ends, because profiles.{named} is in config.toml. Move its keys to a file {named}.{CONFIG}."
        config.stop(says, tables.origin(table))


def project_root(host: Host, cwd: str, markers: tuple[str, ...]) -> str | None:
    """The nearest directory at or above ``cwd`` that has one of the markers, a file or a directory (section 1.2)."""
    for directory in upwards(cwd):
        if any(host.kind(join(directory, marker)) is not None for marker in markers):
            return directory
    return None


def _home(host: Host, cwd: str) -> str:
    """CODEX_HOME with its links resolved, else ``~/.codex``; an empty one is as if unset [source]."""
    named = host.env.get("CODEX_HOME")
    return host.realpath(resolve(cwd, named)) if named else resolve(cwd, join(host.home, ".codex"))


def _of_machine(host: Host, home: str) -> tuple[str, str]:
    """The machine's configuration and the administrator's [source]."""
    if host.platform == "win32":
        data = host.env.get("PROGRAMDATA") or "C:/ProgramData"
        return resolve(home, join(data, "OpenAI", "Codex", CONFIG)), join(home, MANAGED)
    return f"/etc/codex/{CONFIG}", f"/etc/codex/{MANAGED}"


# -- one layer -------------------------------------------------------------------------------------------------


def _file(draft: Draft, host: Host, config: CodexConfig, path: str, why: str) -> Layer | None:
    """A configuration file that must be valid if it is there, else Codex ends."""
    contents, rule = host.read(path), own(why, use="config")
    if contents.state != "file":
        draft.candidates.append(rule.unread(path, contents.state))
        if contents.state not in NOTHING:
            says = f"Codex ends, because it cannot read {path}: {STATE_SAYS[contents.state]}. Make it a readable file."
            config.stop(says, Origin("config", path=path))
        return None
    if contents.size > LARGE_CONFIG:
        draft.notes.append(f"{path} is ignored: {CONFIG_LIMIT}.")
        draft.candidates.append(rule.cut(path, CONFIG_LIMIT))
        return None
    document = toml.parse(decode(contents.data, keep_bom=False))
    fault = document.fault("config-invalid") or _utf8_fault(contents.data) or type_fault(document)
    if fault is None:
        draft.candidates.append(rule.loaded(path))
        return Layer(document, path, parent(path))
    says = f"Codex ends, because {path} is not valid: {fault.message}. Fix it."
    config.stop(says, Origin("config", path, range=fault.range))
    fault = with_consequence(fault, "Codex does not start until this is fixed")
    draft.candidates.append(rule.failed(path, "Codex cannot read it", faults=(fault,)))
    return None


def _option(draft: Draft, config: CodexConfig, cwd: str, text: str) -> Layer | None:
    """``-c key=value``; a value that is no TOML is a string [source]."""
    key, _, value = text.partition("=")
    document = toml.parse(f"{key.strip()} = {value.strip()}")
    if document.flaw is not None:
        unquoted = value.strip().strip("\"'")
        document = toml.parse(f"{key.strip()} = {json.dumps(unquoted, ensure_ascii=False)}")
    origin = Origin("argument", name=f"-c {text}")
    if document.flaw is not None:
        why = "promptls cannot read this option, so the prompt is shown without it"
        draft.candidates.append(argument(f"-c {text}", why, use="config"))
        return None
    fault = type_fault(document)
    if fault is not None:
        config.stop(f"Codex ends, because it cannot take the option -c {text}: {fault.message}. Fix it.", origin)
        return None
    return Layer(document, None, cwd)


def _merge(config: CodexConfig, layer: Layer) -> None:
    """Later layers replace a key; the table of projects is merged by directory."""
    for entry in layer.entries():
        if entry.key != "projects":
            config.entries[entry.key] = entry
            continue
        for directory, project in entry.value.members:
            if level := project.get("trust_level"):
                trust = ConfigValue("trust_level", level, entry.document, entry.path, entry.base)
                config.projects[path_key(str(directory.data))] = trust


def _utf8_fault(data: bytes) -> Fault | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start)
        return Fault("config-invalid", Range(line, 0, line + 1, 0), "this line is not UTF-8")
    return None


# -- the project's own files -----------------------------------------------------------------------------------


def _project_files(draft: Draft, host: Host, config: CodexConfig, cwd: str) -> Iterator[Layer]:
    """``.codex/config.toml`` of each directory from the root to cwd, where it is trusted (section 1.3)."""
    root = project_root(host, cwd, config.markers()) or cwd
    for directory in reversed(list(upwards(cwd, root))):
        path = join(directory, ".codex", CONFIG)
        if host.kind(path) is None or host.realpath(parent(path)) == host.realpath(config.home):
            continue
        level = _trust(host, config, directory, root, cwd)
        if not draft.session.is_trusted if level is None else level.value.data != "trusted":
            advice = f'set trust_level = "trusted" for {root} in {config.user_file} to have it read'
            why = f"the project is not trusted, so Codex ignores this file; {advice}"
            if level is not None:
                why = f"the project is marked as untrusted, so Codex ignores this file; {advice}"
            origin = level.origin() if level else Origin("computed", name=WHY_PROJECT)
            draft.candidates.append(Rule(why, origin, "config").excluded(path, state="untrusted"))
        elif layer := _file(draft, host, config, path, WHY_PROJECT):
            yield layer


def untrusted(host: Host, config: CodexConfig, cwd: str) -> ConfigValue | None:
    """The entry that marks the working directory or its root as untrusted, the nearest of them (wire: settle-trust-*).

    Codex then sends no instruction file of the project.
    """
    level = _trust(host, config, cwd, project_root(host, cwd, config.markers()) or cwd, cwd)
    return level if level is not None and level.value.data == "untrusted" else None


def _trust(host: Host, config: CodexConfig, directory: str, root: str, cwd: str) -> ConfigValue | None:
    """The trust level of the directory itself, else the project root's, else the repository's (wire: settle-trust-*).

    Each is looked up with its links resolved, then as it is. A trusted parent counts for nothing.
    """
    repository = _repository(host, cwd)
    for place in (directory, root, *([repository] if repository else [])):
        for spelled in (host.realpath(place), place):
            if path_key(spelled) in config.projects:
                return config.projects[path_key(spelled)]
    return None


def _repository(host: Host, cwd: str) -> str | None:
    """The repository's root, for a linked worktree that of the main one [source]."""
    for directory in upwards(cwd):
        git = join(directory, ".git")
        kind = host.kind(git)
        if kind == "directory":
            return directory
        if kind == "file":
            head, _, there = host.read(git).data.decode("utf-8", "replace").partition(":")
            worktrees = parent(resolve(directory, there.strip()))
            return parent(parent(worktrees)) if head == "gitdir" and worktrees.endswith("/worktrees") else None
    return None


def _merge_project(draft: Draft, config: CodexConfig, layer: Layer, above_keys: set[str]) -> None:
    """A project's keys replace the user's, but for root markers and trust, and not those of ``-c``."""
    for entry in layer.entries():
        if entry.key == "project_root_markers":
            why = "Codex ignores root markers that a project sets itself; set them in the user's config.toml"
            draft.candidates.append(Rule(why, entry.origin(), "config").excluded(layer.path))
        elif entry.key != "projects" and entry.key not in above_keys:
            config.entries[entry.key] = entry
