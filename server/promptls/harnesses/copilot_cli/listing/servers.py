"""Copilot CLI's MCP servers and hooks: what they add is known only when they run, and so is a placeholder.

Of servers, only the tools are sent (surfaces: mcp-server). Those of the workspace count where its folder is trusted
(surfaces: hooks-claude-format-trusted).
"""

from __future__ import annotations

from promptls.core.formats import jsonc
from promptls.core.formats.tree import EMPTY
from promptls.core.model import Origin, Tool
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import NOTHING, STATE_SAYS, Rule
from promptls.kit.paths import is_below, join, resolve
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.formats.tree import Document
    from promptls.core.model import Segment, Use
    from promptls.harnesses.copilot_cli.search import Search

WHY_SERVERS = "Copilot CLI reads its MCP servers here"
WHY_HOOKS = "Copilot CLI reads its hooks here"
NOT_TRUSTED = "the folder is not trusted"
TRUSTED = ("trusted_folders", "trustedFolders")
SESSION_START, PROMPT, BEFORE_TOOL, AFTER_TOOL = "sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse"


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook: its event, and where it is configured."""

    event: str
    name: str
    origin: Origin

    def placeholder(self) -> Segment:
        """What it may add."""
        why = f"a hook for {self.event} may add text, which is known only when it runs"
        return replace(elided("runtime", "Copilot CLI", f"text of hook {self.name}", why=why), origin=self.origin)


def is_trusted(search: Search) -> bool:
    """Whether the user trusts the working directory, as Copilot's own configuration says."""
    document = _document(search, join(search.home, "config.json"))
    root = (document.root if document is not None else None) or EMPTY
    places = [item.data for key in TRUSTED for item in (root.get(key) or EMPTY).items if isinstance(item.data, str)]
    is_known = any(is_below(search.cwd, search.host.realpath(resolve(search.cwd, place))) for place in places)
    if is_known or not search.draft.session.is_trusted:
        return is_known
    below = [(".mcp.json",), (".github", "hooks")]
    search.draft.once_trusted += [join(directory, *names) for directory in search.directories for names in below]
    return True


def server_tools(search: Search, added: Sequence[str], *, trusted: bool) -> list[Tool]:
    """A line for the tools of each MCP server: their names are known only when it runs."""
    found: dict[str, Tool] = {}
    places = [(join(search.home, "mcp-config.json"), True)]
    places += [(resolve(search.cwd, each[1:]), True) for each in added if each.startswith("@")]
    places += [(join(directory, ".mcp.json"), trusted) for directory in search.directories]
    for path, counts in places:
        document = configuration(search, path, WHY_SERVERS, "server", counts=counts)
        root = (document.root if document is not None else None) or EMPTY
        for key, _ in (root.get("mcpServers") or EMPTY).members if document is not None else ():
            name = str(key.data)
            where = Origin("config", path=path, range=document.range(key), name=name) if document else Origin("config")
            found[name] = Tool(f"{name}-*", enabled=True, why=f"the MCP server {name} is configured", origin=where)
    return list(found.values())


def hooks(search: Search, *, trusted: bool) -> list[Hook]:
    """The hooks of the home directory, and of the workspace where it is trusted (surfaces: hooks-session-start)."""
    found: list[Hook] = []
    places = [(join(search.home, "hooks"), True)]
    places += [(join(directory, ".github", "hooks"), trusted) for directory in search.directories]
    for place, counts in places:
        for entry in sorted(search.host.entries(place), key=lambda each: each.name):
            if entry.name.endswith(".json"):
                path = join(place, entry.name)
                document = configuration(search, path, WHY_HOOKS, "hook", counts=counts)
                found += _hooks_of(path, document) if document is not None else ()
    return found


def _hooks_of(path: str, document: Document) -> Iterator[Hook]:
    root = document.root or EMPTY
    for key, listed in (root.get("hooks") or EMPTY).members:
        for hook in listed.items:
            command = hook.text("bash") or hook.text("command") or str(key.data)
            where = Origin("config", path=path, range=document.range(hook), name=str(key.data))
            yield Hook(str(key.data), command, where)


def configuration(search: Search, path: str, why: str, use: Use, *, counts: bool) -> Document | None:
    """A configuration, if it is there, counts and can be read."""
    rule = Rule(why, Origin("computed", name=why), use)
    state = search.host.read(path).state
    if state in NOTHING:
        return None
    if state != "file":
        search.draft.candidates.append(rule.failed(path, STATE_SAYS[state]))
        return None
    if not counts:
        search.draft.candidates.append(rule.excluded(path, NOT_TRUSTED, state="untrusted"))
        return None
    document = _document(search, path)
    fault = document.fault("config-invalid") if document is not None else None
    faults = (fault,) if fault is not None else ()
    add = rule.failed(path, "it is not valid JSON", faults=faults) if faults else rule.loaded(path)
    search.draft.candidates.append(add)
    return None if faults else document


def _document(search: Search, path: str) -> Document | None:
    contents = search.host.read(path)
    if contents.state != "file":
        return None
    return jsonc.parse(decode(contents.data, keep_bom=False), comments=True)
