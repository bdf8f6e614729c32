"""The tools that Codex offers: its own, those for sub-agents, and those of servers (sections 8 and 10)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.harnesses.codex.roles import role_list
from promptls.harnesses.codex.servers import AGENTS, ON_SCREEN, WHY_TOOLS, is_enabled, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.codex.start.setup import Setup

COLLABORATION = "collaboration"
WEB_SEARCH = "web_search"
# The parameter that lists the roles, which is there only with a role of the user's (captured: agents-text).
ROLES = '"agent_type":{"type":"string","description":""},'
WHY_OWN = "its definition is sent"
WHY_AGENTS = "Codex offers tools for sub-agents"
WHY_NAMED = "only its name is sent; the model looks it up"
WHY_RESOURCES = "it comes with any MCP server"
WHY_OFF = "the configuration switches it off"


def tools(setup: Setup) -> tuple[Tool, ...]:
    """Each tool or namespace of tools, with the size of its definition; what a setting turns off is there, too."""
    return (*_own(setup), *_agents(setup), *_servers(setup))


def _own(setup: Setup) -> Iterator[Tool]:
    """``web_search = "disabled"`` takes that tool away (captured)."""
    for name, size in setup.model.tools.items():
        entry = setup.config.find(WEB_SEARCH) if name == WEB_SEARCH else None
        if entry is not None and entry.value.data == "disabled":
            yield Tool(name, enabled=False, why=WHY_OFF, size=size, origin=entry.origin())
        elif name not in (AGENTS, COLLABORATION):
            yield Tool(name, enabled=True, why=WHY_OWN, size=size)


def _agents(setup: Setup) -> Iterator[Tool]:
    """Version 2 is a namespace of another name, and has a switch less (surface: multi-agent-off)."""
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
        size += len(ROLES) + sum(each.characters for each in roles)
    yield Tool(name, not off, WHY_OFF if off else WHY_AGENTS, size, origin)


def _servers(setup: Setup) -> Iterator[Tool]:
    size, why = (0, WHY_NAMED) if setup.model.is_deferred else (None, WHY_TOOLS)
    for server in setup.servers:
        yield Tool(server.shown, True, f"{why}: {server.name}", size, server.origin)
    if setup.model.is_deferred and setup.start.is_on_screen:
        yield Tool(ON_SCREEN, True, WHY_NAMED, 0)
    configured = setup.config.named("mcp_servers")
    # They come with any server, also with one that is dropped for its name, that does not start, or whose own tools are
    # looked up; a model that runs code has no list of them (captured: mcp-names, changed-gpt55).
    if not setup.model.has_tool_item and (setup.servers or any(map(is_enabled, configured.values()))):
        for name, known in setup.config.facts.resource_tools.items():
            yield Tool(name, True, WHY_RESOURCES, known)
    for name, entry in configured.items():
        if not is_enabled(entry):
            yield Tool(f"mcp__{safe(name)}", False, WHY_OFF, None, entry.origin())
