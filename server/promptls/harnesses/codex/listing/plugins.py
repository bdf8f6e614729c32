"""Plugins that the user has switched on: where their skills, servers and hooks are (section 7 of the surfaces)."""

from __future__ import annotations

from promptls.core.formats import parse_json
from promptls.core.text import decode
from promptls.core.values import dataclass
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, parent, resolve
from promptls.kit.versions import key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.formats.tree import Value
    from promptls.core.host import Host
    from promptls.harnesses.codex.start.config import CodexConfig
    from promptls.kit.draft import Draft

MANIFEST = ".codex-plugin/plugin.json"
WHY = "the configuration switches this plugin on"
WHY_OFF = "the configuration switches plugins off"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin: ``market`` is the folder of its marketplace; ``skills`` are folders, the others files."""

    market: str
    skills: tuple[str, ...]
    servers: tuple[str, ...]
    hooks: tuple[str, ...]


def find_plugins(draft: Draft, host: Host, config: CodexConfig) -> list[Plugin]:
    """Those of the user's configuration that are on, of each the highest version (parts: plugin).

    ``features.plugins`` switches them all off (parts: plugin-feature-off).
    """
    found: list[Plugin] = []
    is_on = config.is_on("features", "plugins", default=True)
    for title, entry in config.named("plugins").items():
        rule = Rule(WHY, entry.origin(), "server")
        enabled = entry.value.get("enabled")
        name, _, market = title.partition("@")
        folder = join(config.home, "plugins", "cache", market, name) if market else ""
        if not is_on:
            draft.candidates.append(Rule(WHY_OFF, entry.origin(), "server").disabled(folder))
        elif enabled is None or enabled.kind != "true":
            draft.candidates.append(rule.disabled(folder, "enabled is not true"))
        elif plugin := _plugin(draft, host, rule, folder):
            found.append(plugin)
    return found


def _plugin(draft: Draft, host: Host, rule: Rule, folder: str) -> Plugin | None:
    versions = [entry.name for entry in host.entries(folder)] if folder else []
    places = [version for version in versions if host.kind(join(folder, version, MANIFEST)) == "file"]
    if not places:
        draft.candidates.append(rule.missing(folder or None, f"there is no version of it with {MANIFEST}"))
        return None
    version = max(places, key=lambda version: (key(version) or ((), False, ()), version))
    top = join(folder, version)
    path = join(top, MANIFEST)
    # A byte order mark is no JSON to it, as in each of its JSON files [source].
    document = parse_json(decode(host.read(path).data, keep_bom=True), comments=False)
    if document.root is None or document.flaw is not None:
        fault = document.fault("config-invalid")
        draft.candidates.append(rule.failed(path, "Codex cannot read it", faults=(fault,) if fault else ()))
        return None
    draft.candidates.append(rule.loaded(path))
    return Plugin(
        market=host.realpath(parent(folder)),
        skills=_places(top, document.root.get("skills"), "skills"),
        servers=_places(top, document.root.get("mcpServers"), ".mcp.json"),
        hooks=_places(top, document.root.get("hooks"), "hooks/hooks.json"),
    )


def _places(top: str, value: Value | None, usual: str) -> tuple[str, ...]:
    """What a key of the manifest names, else the usual place."""
    named = [item.data for item in (value.items or (value,)) if isinstance(item.data, str)] if value else []
    return tuple(resolve(top, each) for each in named or [usual])
