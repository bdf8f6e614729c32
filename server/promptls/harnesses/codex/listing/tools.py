"""The tools that Codex offers: its own, those for sub-agents, and those of servers (sections 8 and 10)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.harnesses.codex.listing.roles import role_list
from promptls.harnesses.codex.listing.servers import AGENTS, WHY_TOOLS, deferred, is_enabled, safe
from promptls.harnesses.codex.messages.developer import COLLABORATION, WORLD_STATE, has_agents_v1
from promptls.harnesses.codex.start.sandbox import FULL
from promptls.harnesses.codex.versions import FEATURES
from promptls.kit.base import json_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Origin
    from promptls.harnesses.codex.start.config import ConfigValue
    from promptls.harnesses.codex.start.setup import Setup

WEB_SEARCH, SEARCH = "web_search", "tool_search"
# The parameter that lists the roles, which is there only with a role of the user's (captured: agents-text).
ROLES = '"agent_type":{"type":"string","description":""},'
WHY_OWN = "its definition is sent"
WHY_AGENTS = "Codex offers tools for sub-agents"
WHY_NAMED = "only its name is sent; the model looks it up"
WHY_SCREEN = "the program on the screen offers it"
WHY_RESOURCES = "it comes with any MCP server"
WHY_OFF = "the configuration switches it off"


def tools(setup: Setup, *, is_forked: bool = False) -> tuple[Tool, ...]:
    """Each tool or namespace of tools, with the size of its definition; what a setting turns off is there, too.

    ``is_forked``: a sub-agent has its parent's history, and what it has not got is said there.
    """
    agents = () if setup.start.is_review or (setup.is_below and setup.model.agents == "v1") else _agents(setup)
    return (*_own(setup, is_forked=is_forked), *agents, *_screen(setup), *_servers(setup))


def _own(setup: Setup, *, is_forked: bool) -> Iterator[Tool]:
    """``web_search = "disabled"`` takes that tool away (captured).

    A sub-agent for which nothing is deferred cannot search for tools (captured: subagent-gpt55).
    """
    model = setup.model
    known = model.tools_of_review if setup.start.is_review else model.tools
    below = model.tools_below if setup.is_below and not is_forked else {}
    longer, off = _of_features(setup)
    for name, size in known.items():
        if name in off:
            yield Tool(name, enabled=False, why=WHY_OFF, size=size, origin=off[name])
            continue
        if name == SEARCH and size is not None and not setup.config.is_on(*WORLD_STATE, default=True):
            size += _listed_in_search(setup)  # noqa: PLW2901 - the size of this one
        entry = setup.config.find(WEB_SEARCH) if name == WEB_SEARCH else None
        if name == WEB_SEARCH and size is not None:
            size += _of_search(setup, entry)  # noqa: PLW2901 - the size of this one
        if entry is not None and entry.value.data == "disabled":
            yield Tool(name, enabled=False, why=WHY_OFF, size=size, origin=entry.origin())
        elif name not in (AGENTS, COLLABORATION) and not (name == SEARCH and not _is_searched(setup)):
            found = below.get(name, size)
            # Of another kind of session it was not measured.
            is_known = not longer.get(name) or (known is model.tools and name not in below)
            size = found + longer.get(name, 0) if found is not None and is_known else None  # noqa: PLW2901 - as above
            yield Tool(name, enabled=True, why=WHY_OWN, size=size)


def _of_features(setup: Setup) -> tuple[dict[str, int], dict[str, Origin]]:
    """By tool, how many characters the features that are set add; and what takes tools away."""
    longer: dict[str, int] = {}
    off: dict[str, Origin] = {}
    for feature, (usual, changes) in FEATURES.items():
        entry = setup.config.find("features", feature)
        if entry is None or setup.config.is_on("features", feature, default=usual) == usual:
            continue
        off |= {name: entry.origin() for name, more in changes.items() if more is None}
        longer |= {name: longer.get(name, 0) + more for name, more in changes.items() if more is not None}
    return longer, off


def _is_searched(setup: Setup) -> bool:
    """Whether there is anything to look up: a sub-agent, for one, has none on the screen either.

    (captured: subagent-gpt55; seen by verify, with agents.enabled off)
    """
    return bool(setup.servers) or has_agents_v1(setup) or (setup.start.is_on_screen and not setup.is_below)


def _of_search(setup: Setup, entry: ConfigValue | None) -> int:
    """What a search that does not ask a cache adds to its definition, in characters.

    Without a sandbox it goes to the web itself, also where it is set to ask a cache (captured: agents-changed-turn).
    """
    wanted, facts = entry.value.data if entry is not None else None, setup.config.facts
    narrowed = _of_narrowed_search(setup)
    if wanted == "indexed":
        return facts.indexed_search + narrowed
    return narrowed + (facts.live_search if wanted == "live" or setup.sandbox.mode == FULL else 0)


def _of_narrowed_search(setup: Setup) -> int:
    """What ``tools.web_search`` adds: how much is found, where and for whom (seen by verify)."""
    found: dict[str, object] = {}
    size, domains = (setup.config.find("tools", WEB_SEARCH, name) for name in ("context_size", "allowed_domains"))
    if size is not None:
        found["search_context_size"] = size.value.data
    if domains is not None:
        found["filters"] = {"allowed_domains": [each.data for each in domains.names()]}
    place = setup.config.find("tools", WEB_SEARCH, "location")
    if place is not None:
        parts = {str(key.data): value.data for key, value in place.value.members}
        found["user_location"] = {**parts, "type": "approximate"}
    # Of an object in it, the members and a comma.
    if not found:
        return 0
    import json  # noqa: PLC0415 - only where something is set

    return len(json.dumps(found, ensure_ascii=False, separators=(",", ":"))) - 1


def _listed_in_search(setup: Setup) -> int:
    """The characters that the namespaces take in the definition of the tool that looks them up, as JSON."""
    facts = setup.config.facts
    has_agents = facts.names_agents and has_agents_v1(setup)
    listed = deferred(facts, setup.servers, has_agents=has_agents, is_on_screen=setup.start.is_on_screen)[1:-1]
    lines = "".join(each.text for each in listed if each.elided is None).count("\n")
    return facts.search_list + sum(each.characters for each in listed) + lines - 2 if listed else 0


def _agents(setup: Setup) -> Iterator[Tool]:
    """Version 2 is a namespace of another name, and has a switch less (parts: multi-agent-off)."""
    model = setup.model
    is_first = model.agents == "v1"
    switches = [("agents", "enabled"), *([("features", "multi_agent")] if is_first else [])]
    off = [names for names in switches if not setup.config.is_on(*names, default=True)]
    entry = setup.config.find(*off[0]) if off else None
    origin = entry.origin() if entry is not None else COMPUTED
    name = AGENTS if is_first else COLLABORATION
    if name not in model.tools:
        yield Tool(name, not off, WHY_OFF if off else WHY_NAMED, 0, origin)
        return
    size = model.tools[name]
    if roles := role_list(setup.config.facts, model.agents, setup.roles):
        escapes = setup.config.facts.roles_escapes
        size += len(ROLES) + sum(
            each.characters + escapes.get(each.title, 0) if each.elided else json_size(each.text) for each in roles
        )
    yield Tool(name, not off, WHY_OFF if off else WHY_AGENTS, size, origin)


def _screen(setup: Setup) -> Iterator[Tool]:
    """What the program on the screen adds (captured: interactive-start, compact-typed-default-model)."""
    if setup.start.is_on_screen:
        for name, size in setup.config.facts.screen_tools.items():
            is_named = setup.model.is_deferred
            yield Tool(name, True, WHY_NAMED if is_named else WHY_SCREEN, 0 if is_named else size)


def _servers(setup: Setup) -> Iterator[Tool]:
    size, why = (0, WHY_NAMED) if setup.model.is_deferred else (None, WHY_TOOLS)
    for server in setup.servers:
        if server.answer is None or setup.model.is_deferred:
            yield Tool(server.shown, True, f"{why}: {server.name}", size, server.origin)
        else:
            from promptls.harnesses.codex.listing.server_tools import namespace  # noqa: PLC0415 - few servers are known

            yield from namespace(server, setup.config.facts)
    configured = setup.config.named("mcp_servers")
    # They come with any server, also with one that is dropped for its name, that does not start, or whose own tools are
    # looked up; a model that runs code has no list of them (captured: mcp-names, changed-gpt55).
    has_some = setup.servers or setup.start.is_on_screen or any(map(is_enabled, configured.values()))
    if not setup.model.has_tool_item and has_some:
        for name, known in setup.config.facts.resource_tools.items():
            yield Tool(name, True, WHY_RESOURCES, known)
    for name, entry in configured.items():
        if not is_enabled(entry):
            yield Tool(f"mcp__{safe(name)}", False, WHY_OFF, None, entry.origin())
