"""opencode's MCP servers: what they add is known only when they run, and so is a placeholder (surfaces, 5)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import Segment, Tool
from promptls.core.values import replace
from promptls.harnesses.opencode.spec import SPEC
from promptls.harnesses.opencode.start.permissions import is_off
from promptls.kit import collation
from promptls.kit.candidates import Rule
from promptls.kit.segments import elided, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.servers import OfferedTool, ServerAnswer
    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.start.entries import Server
    from promptls.harnesses.opencode.start.setup import Setup

WHY_ANSWERED = "the server has answered with it"
WHY = "the configuration has the MCP server {name}; if it has no instructions, its lines are not sent"
_NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_-]")


def instructions(setup: Setup, agent: Agent) -> Iterator[Segment]:
    """What the servers tell the model, each in a place of its own (parts: mcp-deny)."""
    servers = [each for each in _running(setup) if not _is_off(setup, agent, each) and _says(setup, agent, each)]
    if not servers or not has_servers(setup, agent):
        return
    yield tail("\n<mcp_instructions>", "tools")
    for server in servers:
        yield tail(f'\n  <server name="{server.name}">\n    ', "tools")
        title = f"instructions of the MCP server {server.name}"
        if (answer := _answer(setup, server)) is not None:
            lines = (answer.instructions or "").strip().splitlines()
            yield from without_secrets(Segment("tools", title, "\n    ".join(lines), server.origin, WHY_ANSWERED))
            yield tail("\n  </server>", "tools")
            continue
        unknown = elided("tools", "opencode", title, why=WHY.format(name=server.name))
        yield replace(unknown, origin=server.origin)
        yield tail("\n  </server>", "tools")
    yield tail("\n</mcp_instructions>", "tools")


def has_servers(setup: Setup, agent: Agent) -> bool:
    """Whether the agent sees servers: built-in ones that may do few things do not (parts: subagent-explore)."""
    built_in = setup.facts.agents.get(agent.name)
    return built_in is None or "*" not in built_in.permissions


def candidates(setup: Setup) -> None:
    """What comes of each server of the configuration."""
    for server in setup.config.entries.servers.values():
        rule = Rule("the configuration has this MCP server", server.origin, "server")
        setup.draft.candidates.append(rule.loaded() if server.is_enabled else rule.disabled(None, "enabled is false"))


def tools(setup: Setup, agent: Agent, package: str) -> Iterator[Tool]:
    """A line for the tools of each server: their names are known only when it runs.

    ``package``: the one that speaks to the provider.
    """
    yield from _known_tools(setup, agent, setup.facts.server_tool_more.get(package, 0))
    for server in _running(setup):
        if _answer(setup, server) is not None:
            continue
        is_on = has_servers(setup, agent) and not _is_off(setup, agent, server)
        why = f"the MCP server {server.name} is configured" if is_on else "the permissions deny its tools"
        yield Tool(f"{_safe(server.name)}_*", is_on, why, origin=server.origin)


def _answer(setup: Setup, server: Server) -> ServerAnswer | None:
    """What a server answers, where that is known."""
    return setup.host.answer_of(server.name, server.command, SPEC.name, server.started_at)


def _known_tools(setup: Setup, agent: Agent, more: int) -> Iterator[Tool]:
    """The tools of servers whose answers are known; of two of one name, the last counts (captured: clash-inside).

    ``more``: how much longer each definition is for the provider.
    """
    known = [(each, answer) for each in _running(setup) if (answer := _answer(setup, each)) is not None]
    if not known:
        return
    from promptls.kit import server_tools  # noqa: PLC0415 - few servers are known

    found: dict[str, Tool] = {}
    for server, _ in known:
        for offered in _offered(setup, server):
            name = f"{_safe(server.name)}_{_safe(offered.name)}"
            schema = {**offered.schema, "additionalProperties": False}
            schema.setdefault("properties", {})
            definition = {"name": name, "description": offered.description or "", "parameters": schema}
            text = server_tools.compact(definition)
            is_on = has_servers(setup, agent) and not is_off(name, *setup.permissions(agent))
            why = f"the MCP server {server.name} offers it" if is_on else "the permissions deny it"
            size = len(text) + more if is_on else None
            # With more than this text, only the size is known.
            text = text if is_on and not more else ""
            found[name] = Tool(name, is_on, why, size, server.origin, offered_as=offered.name, definition=text)
    yield from found.values()
    if has_servers(setup, agent) and any(answer.has_resources for _, answer in known):
        for name, size in setup.facts.resource_tools.items():
            yield Tool(name, True, "an MCP server has resources", size + more)


def _offered(setup: Setup, server: Server) -> tuple[OfferedTool, ...]:
    """What a server offers, as far as the program takes it (captured: fail, slow-timeout, bool-schema, changed)."""
    from promptls.kit import server_tools  # noqa: PLC0415 - few servers are known

    answer = _answer(setup, server)
    limit = float("inf") if server.timeout is None else server.timeout / 10**3
    if answer is None or answer.failure or max(answer.delay, answer.list_delay) > limit:
        return ()
    tools = answer.tools_after(server_tools.calls_of(setup.draft.session, f"{_safe(server.name)}_"))
    return () if any(server_tools.has_bare_true(each.schema) for each in tools) else tools


def _says(setup: Setup, agent: Agent, server: Server) -> bool:
    """Whether a server has a place among the instructions: one without any has none, nor one whose tools are all off.

    One that lists no tool has its place (captured: instr-limits, agent-lists; seen by verify).
    """
    answer = _answer(setup, server)
    if answer is None:
        return True
    names = [f"{_safe(server.name)}_{_safe(each.name)}" for each in _offered(setup, server)]
    has_tool = any(not is_off(name, *setup.permissions(agent)) for name in names)
    lists_none = not answer.tools and not answer.failure
    return (has_tool or lists_none) and bool((answer.instructions or "").strip())


def _running(setup: Setup) -> list[Server]:
    servers = setup.config.entries.servers.values()
    return sorted((each for each in servers if each.is_enabled), key=lambda each: collation.key(each.name))


def _is_off(setup: Setup, agent: Agent, server: Server) -> bool:
    """Whether the permissions deny whatever the server offers; it may still have instructions without any tool."""
    return is_off(f"{_safe(server.name)}_*", *setup.permissions(agent))


def _safe(name: str) -> str:
    return _NOT_IN_A_NAME.sub("_", name)
