"""Which config.toml files, profile and ``-c`` options Codex reads, and in which order they count.

Sections named here are those of the harness specification for Codex; [source] is the public source text.
"""

from __future__ import annotations

from promptls.core.formats import parse_toml
from promptls.core.model import Fault, Origin, Range
from promptls.core.text import decode
from promptls.harnesses.codex.start.config import CONFIG, MANAGED, CodexConfig, ConfigValue, Layer
from promptls.harnesses.codex.start.trust import level_of, project_root
from promptls.harnesses.codex.versions import ROWS
from promptls.kit.base import CONFIG_LIMIT, LARGE_CONFIG, with_consequence
from promptls.kit.candidates import NOTHING, STATE_SAYS, Rule, argument, own
from promptls.kit.paths import join, parent, path_key, resolve, upwards
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.kit.args import Arguments
    from promptls.kit.draft import Draft

WHY_SYSTEM = "Codex reads the configuration of the machine first"
WHY_USER = "Codex reads config.toml in its home directory"
WHY_PROFILE = "the profile that --profile names goes before config.toml"
WHY_MANAGED = "what the administrator manages goes before everything"
# How a server is started.
WAYS = ("command", "url")
NEEDS_WAY = "this needs either command or url"
WHY_SERVER = "each MCP server is started by a command or has an address"
TRUSTS = "--trust"
UNREADABLE, NOT_STARTED = "Codex cannot read it", "Codex does not start until this is fixed"
WHY_PROJECT = "Codex reads .codex/config.toml from the project root down to the working directory, the nearest last"


def read_config(draft: Draft, host: Host, cwd: str, command: Arguments) -> CodexConfig:
    """Machine, user, profile, project (root first), ``-c``, administrator: later ones win [source]."""
    # The option trusts what the user's configuration does not mark as untrusted (seen by verify).
    is_trusted = draft.session.is_trusted or TRUSTS in command.switches
    config = CodexConfig(_home(host, cwd), _machine(host, cwd), row(ROWS, draft.session.version), is_trusted)
    if host.kind(config.home) != "directory" and host.env.get("CODEX_HOME"):
        says = f"Codex ends, because CODEX_HOME names {config.home}, which is no directory. Create it or unset it."
        config.stop(says, Origin("argument", name="CODEX_HOME"))
    below = [_file(draft, host, config, join(config.machine, CONFIG), WHY_SYSTEM)]
    if "--ignore-user-config" in command.switches:
        option = Origin("argument", name="--ignore-user-config")
        rule = Rule("the option --ignore-user-config leaves it out", option, "config")
        draft.candidates.append(rule.disabled(config.user_file))
    else:
        below.append(_file(draft, host, config, config.user_file, WHY_USER, is_own=True))
        if profile := command.last("profile"):
            path = join(config.home, f"{profile}.{CONFIG}")
            below.append(_file(draft, host, config, path, WHY_PROFILE, is_own=True))
    options = [*command.values.get("config", []), *_features(command)]
    above = [_option(draft, config, cwd, text) for text in options]
    above.append(_file(draft, host, config, _managed(host, config), WHY_MANAGED))
    for layer in (*below, *above):
        if layer is not None:
            _merge(config, layer)
    _stop_for_old_profiles(config, command.last("profile"))
    above_keys = {entry.key for layer in above if layer is not None for entry in layer.entries()}
    projects = list(_project_files(draft, host, config, cwd))
    for layer in projects:
        _merge_project(draft, config, layer, above_keys)
    config.layers = [layer for layer in (*below, *projects, *above) if layer is not None]
    _stop_for_servers(draft, config)
    return config


def _stop_for_servers(draft: Draft, config: CodexConfig) -> None:
    """A server that is started in no way, or in two, ends Codex; the tables of all layers are one (seen by verify)."""
    for name, entry in config.named("mcp_servers").items():
        ways = [way for way in WAYS if config.find("mcp_servers", name, way) is not None]
        if entry.value.kind != "object" or len(ways) == 1:
            continue
        fault = Fault("config-type", entry.document.range(entry.value), NEEDS_WAY)
        where = entry.path or f"the option -c {entry.document.text}"
        config.stop(f"Codex ends, because {where} is not valid: {fault.message}. Fix it.", entry.origin())
        if entry.path is not None:
            rule = own(WHY_SERVER, use="config")
            draft.candidates.append(rule.failed(entry.path, UNREADABLE, faults=(with_consequence(fault, NOT_STARTED),)))


def _features(command: Arguments) -> list[str]:
    """``--enable`` and ``--disable`` as options of the configuration."""
    on = [f"features.{name}=true" for name in command.values.get("enable", [])]
    return on + [f"features.{name}=false" for name in command.values.get("disable", [])]


def _stop_for_old_profiles(config: CodexConfig, named: str | None) -> None:
    """A profile in config.toml itself ends Codex (wire: settle-profile-table; captured: settle-profile-table-flag)."""
    if (old := config.entries.get("profile")) is not None:
        says = f"Codex ends, because the key profile has no effect any more. Start it with --profile {old.value.data}."
        config.stop(says, old.origin())
    tables = config.entries.get("profiles")
    if named and tables is not None and (table := tables.value.get(named)) is not None:
        says = f"Codex ends, because profiles.{named} is in config.toml. Move its keys to a file {named}.{CONFIG}."
        config.stop(says, tables.origin(table))


def _home(host: Host, cwd: str) -> str:
    """CODEX_HOME with its links resolved, else ``~/.codex``; an empty one is as if unset [source]."""
    named = host.env.get("CODEX_HOME")
    return host.realpath(resolve(cwd, named)) if named else resolve(cwd, join(host.home, ".codex"))


def _machine(host: Host, cwd: str) -> str:
    """Where the machine's configuration is [source]."""
    if host.platform == "win32":
        return resolve(cwd, join(host.env.get("PROGRAMDATA") or "C:/ProgramData", "OpenAI", "Codex"))
    return "/etc/codex"


def _managed(host: Host, config: CodexConfig) -> str:
    """The administrator's configuration [source]."""
    return join(config.home if host.platform == "win32" else config.machine, MANAGED)


# -- one layer -------------------------------------------------------------------------------------------------


def _file(draft: Draft, host: Host, config: CodexConfig, path: str, why: str, *, is_own: bool = False) -> Layer | None:
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
    from promptls.harnesses.codex.start.types import type_fault  # noqa: PLC0415 - only with such a file

    document = parse_toml(decode(contents.data, keep_bom=False))
    fault = _utf8_fault(contents.data) or document.fault("config-invalid") or type_fault(document)
    if fault is None:
        draft.candidates.append(rule.loaded(path))
        return Layer(document, path, parent(path), is_own=is_own)
    says = f"Codex ends, because {path} is not valid: {fault.message}. Fix it."
    config.stop(says, Origin("config", path, range=fault.range))
    fault = with_consequence(fault, NOT_STARTED)
    draft.candidates.append(rule.failed(path, UNREADABLE, faults=(fault,)))
    return None


def _option(draft: Draft, config: CodexConfig, cwd: str, text: str) -> Layer | None:
    """``-c key=value``; a value that is no TOML is a string [source]."""
    from promptls.harnesses.codex.start.types import type_fault  # noqa: PLC0415 - only with such an option

    key, _, value = text.partition("=")
    document = parse_toml(f"{key.strip()} = {value.strip()}")
    if document.flaw is not None:
        import json  # noqa: PLC0415 - only for a string without quotation marks

        unquoted = value.strip().strip("\"'")
        document = parse_toml(f"{key.strip()} = {json.dumps(unquoted, ensure_ascii=False)}")
    origin = Origin("argument", name=f"-c {text}")
    if document.flaw is not None:
        why = "promptls cannot read this option, so the prompt is shown without it"
        draft.candidates.append(argument(f"-c {text}", why, use="config"))
        return None
    fault = type_fault(document)
    if fault is not None:
        config.stop(f"Codex ends, because it cannot take the option -c {text}: {fault.message}. Fix it.", origin)
        return None
    return Layer(document, None, cwd, is_own=True)


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
        level = level_of(host, config, directory, root, cwd)
        if not config.is_trusted if level is None else level.value.data != "trusted":
            advice = f'set trust_level = "trusted" for {root} in {config.user_file} to have it read'
            why = f"the project is not trusted, so Codex ignores this file; {advice}"
            if level is not None:
                why = f"the project is marked as untrusted, so Codex ignores this file; {advice}"
            origin = level.origin() if level else Origin("computed", name=WHY_PROJECT)
            draft.candidates.append(Rule(why, origin, "config").excluded(path, state="untrusted"))
        elif layer := _file(draft, host, config, path, WHY_PROJECT):
            yield layer


def _merge_project(draft: Draft, config: CodexConfig, layer: Layer, above_keys: set[str]) -> None:
    """A project's keys replace the user's, but for root markers and trust, and not those of ``-c``."""
    for entry in layer.entries():
        if entry.key == "project_root_markers":
            why = "Codex ignores root markers that a project sets itself; set them in the user's config.toml"
            draft.candidates.append(Rule(why, entry.origin(), "config").excluded(layer.path))
        elif entry.key not in above_keys:
            config.entries[entry.key] = entry
