"""Plugins of Claude Code: which are on, and what each brings (surfaces, 13; cases plugin-*)."""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY
from promptls.core.model import SKILL_FILE, Origin
from promptls.core.values import replace
from promptls.harnesses.claude_code.listing.places import Place, has_layer, markdown_files
from promptls.harnesses.claude_code.listing.plugin import Plugin
from promptls.harnesses.claude_code.listing.skills import Reader
from promptls.harnesses.claude_code.settings import json_root, read_json
from promptls.kit import collation
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, name, parent, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.harnesses.claude_code.listing.skills import Skill
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

MANIFEST = ".claude-plugin/plugin.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
WHY = "Claude Code loads this plugin"


def plugins(draft: Draft, setup: Setup) -> tuple[Plugin, ...]:
    """Those of --plugin-dir in the order of the flags, then those that the settings turn on."""
    if not has_layer(setup, "plugin") or not setup.facts.built_in_skills:
        return ()
    given = [resolve(setup.cwd, path) for path in setup.command.values.get("plugin-dir", ())]
    places = [(path, Origin("argument", name="--plugin-dir")) for path in given]
    found = [_plugin(draft, setup.host, *place) for place in (*places, *_enabled(draft, setup))]
    return tuple(plugin for plugin in found if plugin is not None)


def _plugin(draft: Draft, host: Host, root: str, origin: Origin) -> Plugin | None:
    rule = Rule(WHY, origin, "config")
    path = join(root, MANIFEST)
    document = read_json(host, path)
    if document is not None:
        draft.candidates.append(rule.loaded(path))
    elif host.kind(path) == "file":
        # 2.1.330 lists nothing of it.
        draft.candidates.append(rule.failed(path, "it cannot be read as JSON"))
        return None
    else:
        draft.candidates.append(rule.loaded(root) if host.kind(root) == "directory" else rule.missing(root))
    manifest = (document and document.root) or EMPTY
    return Plugin(manifest.text("name") or name(root), root, manifest, origin)


# -- those that are installed (surfaces, 13; cases plugin-installed, plugin-local-scope) -------------------------


def _enabled(draft: Draft, setup: Setup) -> Iterator[tuple[str, Origin]]:
    """``enabledPlugins``: of one plugin the strongest settings count."""
    chosen: dict[str, tuple[bool, Origin]] = {}
    for setting in setup.settings.every("enabledPlugins"):
        for key, value in setting.value.members:
            chosen[str(key.data)] = value.kind == "true", setting.part(value, str(key.data))
    for plugin, (is_on, origin) in chosen.items():
        root = _installed(setup, plugin) if is_on else None
        if root is not None:
            yield root, origin
        elif is_on:
            draft.candidates.append(Rule(WHY, origin, "config").missing(None, f"{plugin} is not installed"))


def _installed(setup: Setup, plugin: str) -> str | None:
    """Where its files are read: in the folder of a marketplace that is a directory, else in the cache."""
    called, _, market = plugin.rpartition("@")
    directory = join(setup.directory, "plugins")
    known = json_root(setup.host, join(directory, "known_marketplaces.json"))
    source = _value_at(_value_at(known, market), "source")
    if source.text("source") == "directory" and (path := source.text("path")):
        for each in _value_at(json_root(setup.host, join(path, MARKETPLACE)), "plugins").items:
            if each.text("name") == called:
                return resolve(path, each.text("source") or "")
    installed = _value_at(json_root(setup.host, join(directory, "installed_plugins.json")), "plugins")
    paths = (each.text("installPath") for each in _value_at(installed, plugin).items)
    return next((path for path in paths if path), None)


def _value_at(value: Value, key: str) -> Value:
    return value.get(key) or EMPTY


# -- what they bring ---------------------------------------------------------------------------------------------


def plugin_skills(draft: Draft, setup: Setup) -> list[Skill]:
    """The commands of all plugins, then their skills (cases plugin-two, plugin-order-names)."""
    reader = Reader(draft, setup.host)
    commands = [skill for plugin in setup.plugins for skill in _commands(reader, plugin, setup.cwd)]
    return [*commands, *(skill for plugin in setup.plugins for skill in _skills(reader, plugin, setup.cwd))]


def _commands(reader: Reader, plugin: Plugin, cwd: str) -> Iterator[Skill]:
    """``commands`` of the manifest takes the place of the usual folder (case plugin-order-names)."""
    places = plugin.named("commands") or [join(plugin.root, "commands")]
    for path in places:
        place = Place("plugin", path, cwd)
        if path.endswith(".md"):
            some = list(reader.file("command", place, name(path).removesuffix(".md"), path))
        else:
            some = sorted(reader.commands(place), key=lambda command: collation.key(command.name))
        yield from _skills_of(plugin, some)


def _skills(reader: Reader, plugin: Plugin, cwd: str) -> Iterator[Skill]:
    """``skills`` of the manifest is added to the usual folder (case plugin-order-names)."""
    for path in (join(plugin.root, "skills"), *plugin.named("skills")):
        if reader.host.kind(join(path, SKILL_FILE)) == "file":
            some = list(reader.file("skill", Place("plugin", parent(path), cwd), name(path), join(path, SKILL_FILE)))
        else:
            some = reader.skills(Place("plugin", path, cwd))
        yield from _skills_of(plugin, some)


def _skills_of(plugin: Plugin, skills: Iterable[Skill]) -> Iterator[Skill]:
    return (replace(skill, name=plugin.called(skill.name), root=plugin.root) for skill in skills)


def agent_files(host: Host, plugin: Plugin) -> list[tuple[tuple[str, ...], str]]:
    """The files of its agents: ``agents`` of the manifest takes the place of the usual folder."""
    named = plugin.named("agents")
    if not named:
        return sorted(markdown_files(host, join(plugin.root, "agents")), key=lambda each: each[1])
    found: list[tuple[tuple[str, ...], str]] = []
    for path in named:
        found += [((), path)] if path.endswith(".md") else sorted(markdown_files(host, path), key=lambda each: each[1])
    return found
