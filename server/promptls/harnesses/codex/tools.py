"""The tools that files decide over: those of servers, and those for sub-agents (sections 8 and 10 of the surfaces)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.harnesses.codex.servers import AGENTS, WHY_TOOLS, is_enabled, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.harnesses.codex.setup import Setup

COLLABORATION = "collaboration"
WHY_AGENTS = "Codex offers tools for sub-agents"
WHY_OFF = "the configuration switches it off"


def tools(setup: Setup) -> tuple[Tool, ...]:
    """Each namespace of tools; what a setting turns off is there, too. Nobody has measured their definitions."""
    return (*_agents(setup), *_servers(setup))


def _agents(setup: Setup) -> Iterator[Tool]:
    """Version 2 is a namespace of another name, and has a switch less (surface: multi-agent-off)."""
    is_first = setup.model.agents == "v1"
    switches = [("agents", "enabled"), *([("features", "multi_agent")] if is_first else [])]
    off = [names for names in switches if not setup.config.is_on(*names, default=True)]
    entry = setup.config.find(*off[0]) if off else None
    origin = entry.origin() if entry is not None else COMPUTED
    yield Tool(AGENTS if is_first else COLLABORATION, not off, WHY_OFF if off else WHY_AGENTS, None, origin)


def _servers(setup: Setup) -> Iterator[Tool]:
    for server in setup.servers:
        yield Tool(server.shown, True, f"{WHY_TOOLS}: {server.name}", None, server.origin)
    for name, entry in setup.config.named("mcp_servers").items():
        if not is_enabled(entry):
            yield Tool(f"mcp__{safe(name)}", False, WHY_OFF, None, entry.origin())
