"""Gemini CLI's MCP servers and hooks: what they say is known only when they run, and so is a placeholder.

Instructions of servers follow the project's context files (surfaces: mcp-server, mcp-two-servers, extension); the text
of hooks is around what the user types (surfaces: hook-session-start, hook-workspace).
"""

from __future__ import annotations

from promptls.core.model import Origin, Tool
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import Rule
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptls.core.formats.tree import Value
    from promptls.core.model import Segment
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.extensions import Extension

WHY = "the MCP server {name} is configured; if it has no instructions, its lines are not sent"
OPTION = "--allowed-mcp-server-names"
SESSION_START, BEFORE_AGENT, AFTER_TOOL = "SessionStart", "BeforeAgent", "AfterTool"


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server by its key. ``is_trusted``: its tools need no approval."""

    name: str
    origin: Origin
    is_trusted: bool


def find(search: Search, extensions: Iterable[Extension], chosen: Sequence[str] | None = None) -> list[Server]:
    """The servers of the settings and of extensions that are not excluded; ``chosen``: those of the command line.

    With them the settings neither allow nor exclude a server [source] (captured: allowed-flag).
    """
    found: dict[str, Server] = {}
    for extension in extensions:
        servers = extension.config.get("mcpServers")
        if extension.is_on and servers is not None:
            for key, value in servers.members:
                name = str(key.data)
                found[name] = Server(name, Origin("config", path=extension.file, name=name), _is_trusted(value))
    for source in search.settings.sources:
        servers = source.get("mcpServers")
        for key, value in servers.members if servers is not None else ():
            name = str(key.data)
            where = Origin("config", path=source.path, range=source.document.range(key), name=name)
            found[name] = Server(name, where, _is_trusted(value))
    excluded: set[str] = set()
    allowed, says = set(chosen or ()), f"{OPTION} does not name it"
    if chosen is None:
        excluded = {each.text for each in search.settings.all_strings("mcp.excluded")}
        allowed, says = (
            {each.text for each in search.settings.all_strings("mcp.allowed")},
            "mcp.allowed does not name it",
        )
    is_narrowed = chosen is not None or bool(allowed)
    kept: list[Server] = []
    for server in found.values():
        rule = Rule("the configuration has this MCP server", server.origin, "server")
        if server.name in excluded or (is_narrowed and server.name not in allowed):
            which = "mcp.excluded names it" if server.name in excluded else says
            search.note(rule.disabled(None, which))
        else:
            search.note(rule.loaded())
            kept.append(server)
    return kept


def _is_trusted(value: Value) -> bool:
    trust = value.get("trust")
    return trust is not None and trust.kind == "true"


def instructions(servers: Iterable[Server]) -> Iterator[list[Segment]]:
    """What each server says, as gemini-cli frames it; the servers come in the order in which they connect."""
    for server in servers:
        begin = f"The following are instructions provided by the tool server '{server.name}':\n"
        title = f"instructions of the MCP server {server.name}"
        unknown = elided("tools", "gemini-cli", title, why=WHY.format(name=server.name))
        yield [
            head(f"{begin}---[start of server instructions]---\n", "tools"),
            replace(unknown, origin=server.origin),
            tail("\n---[end of server instructions]---", "tools"),
        ]


def tools(servers: Iterable[Server], *, is_approved: bool) -> Iterator[Tool]:
    """A line for the tools of each server: without approval, only those of trusted ones are there."""
    for server in servers:
        is_on = is_approved or server.is_trusted
        why = f"the MCP server {server.name} is configured" if is_on else "it is not trusted, and nobody can approve"
        yield Tool(f"mcp_{server.name}_*", is_on, why, origin=server.origin)


def hooks(search: Search, event: str) -> Iterator[Segment]:
    """The hooks of the settings for an event, each a place of its own."""
    if not search.settings.is_true("hooksConfig.enabled", default=True):
        return
    for source in search.settings.sources:
        listed = source.get(f"hooks.{event}")
        for group in listed.items if listed is not None else ():
            commands = group.get("hooks")
            for hook in commands.items if commands is not None else ():
                name = hook.text("name") or hook.text("command") or event
                where = Origin("config", path=source.path, range=source.document.range(hook), name=name)
                why = f"a hook for {event} may add text, which is known only when it runs"
                yield replace(elided("runtime", "gemini-cli", f"context of hook {name}", why=why), origin=where)


def hook_candidates(search: Search) -> None:
    """What comes of each hook of the settings."""
    is_on = search.settings.is_true("hooksConfig.enabled", default=True)
    for source in search.settings.sources:
        events = source.get("hooks")
        for key, _ in events.members if events is not None else ():
            where = Origin("config", path=source.path, range=source.document.range(key), name=str(key.data))
            rule = Rule("the settings have hooks for this event", where, "hook")
            search.note(rule.loaded() if is_on else rule.disabled(None, "hooksConfig.enabled is false"))
