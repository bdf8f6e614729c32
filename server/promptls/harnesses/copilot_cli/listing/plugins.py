"""Copilot CLI's plugins of --plugin-dir: where their skills, commands and agents are (later: plugin-dir-two)."""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY
from promptls.core.model import Origin
from promptls.core.values import dataclass
from promptls.harnesses.copilot_cli.listing.servers import configuration
from promptls.harnesses.copilot_cli.search import PLUGINS
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, name, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats.tree import Value
    from promptls.harnesses.copilot_cli.search import Search

WHY = "--plugin-dir names the directory of a plugin, which is what its plugin.json says"
# The first that is there counts (captured: plugins with several).
MANIFESTS = (".plugin/plugin.json", "plugin.json", ".github/plugin/plugin.json", ".claude-plugin/plugin.json")
SKILLS, COMMANDS, AGENTS = "skills", "commands", "agents"
# What it may hold that only a running program knows.
RUN = (".mcp.json", "hooks.json", "hooks/hooks.json")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin: its name, and the directories of each kind."""

    name: str
    skills: tuple[str, ...]
    commands: tuple[str, ...]
    agents: tuple[str, ...]


def find(search: Search, named: Sequence[str]) -> list[Plugin]:
    """The plugins in the order of the options; a directory without a plugin.json is none."""
    return [each for place in dict.fromkeys(resolve(search.cwd, each) for each in named) for each in _of(search, place)]


def _of(search: Search, place: str) -> Iterator[Plugin]:
    rule = Rule(WHY, Origin("argument", name=PLUGINS))
    paths = (join(place, each) for each in MANIFESTS)
    path = next((each for each in paths if search.host.kind(each) == "file"), None)
    if path is None:
        search.draft.candidates.append(rule.excluded(place, "it has no plugin.json, so it is not a plugin"))
        return
    # One that cannot be read says nothing, and the directory is a plugin all the same.
    document = configuration(search, path, WHY, "config", counts=True)
    root = (document.root if document is not None else None) or EMPTY
    skills, commands, agents = (_places(place, root.get(kind), kind) for kind in (SKILLS, COMMANDS, AGENTS))
    for each in RUN:
        if search.host.kind(join(place, each)) == "file":
            reason = "promptls does not know what it adds; the prompt is shown without it"
            search.draft.candidates.append(rule.excluded(join(place, each), reason))
    yield Plugin(root.text("name") or name(place), skills, commands, agents)


def _places(plugin: str, value: Value | None, default: str) -> tuple[str, ...]:
    """Where a plugin has its files of a kind: a text, or a list of texts."""
    given = (value or EMPTY).items or ((value,) if value is not None else ())
    texts = [str(each.data) for each in given if isinstance(each.data, str)]
    return tuple(resolve(plugin, each) for each in (texts or [default]))
