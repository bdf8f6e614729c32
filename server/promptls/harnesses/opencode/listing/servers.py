"""opencode's MCP servers: what they add is known only when they run, and so is a placeholder (surfaces, 5)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Tool
from promptls.core.values import replace
from promptls.harnesses.opencode.start.permissions import is_off
from promptls.kit import collation
from promptls.kit.candidates import Rule
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.start.entries import Server
    from promptls.harnesses.opencode.start.setup import Setup

WHY = "the configuration has the MCP server {name}; if it has no instructions, its lines are not sent"
_NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_-]")


def instructions(setup: Setup, agent: Agent) -> Iterator[Segment]:
    """What the servers tell the model, each in a place of its own (surfaces: mcp-deny)."""
    servers = [each for each in _running(setup) if not _is_off(setup, agent, each)]
    if not servers or not has_servers(setup, agent):
        return
    yield tail("\n<mcp_instructions>", "tools")
    for server in servers:
        yield tail(f'\n  <server name="{server.name}">\n    ', "tools")
        title = f"instructions of the MCP server {server.name}"
        unknown = elided("tools", "opencode", title, why=WHY.format(name=server.name))
        yield replace(unknown, origin=server.origin)
        yield tail("\n  </server>", "tools")
    yield tail("\n</mcp_instructions>", "tools")


def has_servers(setup: Setup, agent: Agent) -> bool:
    """Whether the agent sees servers: built-in ones that may do few things do not (surfaces: subagent-explore)."""
    built_in = setup.facts.agents.get(agent.name)
    return built_in is None or "*" not in built_in.permissions


def candidates(setup: Setup) -> None:
    """What comes of each server of the configuration."""
    for server in setup.config.entries.servers.values():
        rule = Rule("the configuration has this MCP server", server.origin, "server")
        setup.draft.candidates.append(rule.loaded() if server.is_enabled else rule.disabled(None, "enabled is false"))


def tools(setup: Setup, agent: Agent) -> Iterator[Tool]:
    """A line for the tools of each server: their names are known only when it runs."""
    for server in _running(setup):
        is_on = has_servers(setup, agent) and not _is_off(setup, agent, server)
        why = f"the MCP server {server.name} is configured" if is_on else "the permissions deny its tools"
        yield Tool(f"{_safe(server.name)}_*", is_on, why, origin=server.origin)


def _running(setup: Setup) -> list[Server]:
    servers = setup.config.entries.servers.values()
    return sorted((each for each in servers if each.is_enabled), key=lambda each: collation.key(each.name))


def _is_off(setup: Setup, agent: Agent, server: Server) -> bool:
    """Whether the permissions deny whatever the server offers; it may still have instructions without any tool."""
    return is_off(f"{_safe(server.name)}_*", *setup.permissions(agent))


def _safe(name: str) -> str:
    return _NOT_IN_A_NAME.sub("_", name)
