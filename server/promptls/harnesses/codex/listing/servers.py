"""MCP servers: what they say and offer is known only to a running one, so each has a placeholder (section 8)."""

from __future__ import annotations

import re

from promptls.core.formats import jsonc
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.kit.candidates import Rule, own
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.harnesses.codex.listing.plugins import Plugin
    from promptls.harnesses.codex.start.config import CodexConfig, ConfigValue
    from promptls.harnesses.codex.versions import Facts
    from promptls.kit.draft import Draft

WHY = "Codex starts this MCP server, and what it offers goes into the request"
WHY_TOOLS = "only the running server knows its instructions and its tools"
WHY_LINE = "only the running server knows its instructions, of which the first line is sent, {} characters at most"
WHY_NAMES = "tools that the model has to look up are sent by name only"
WHY_AGENTS = "the tools for sub-agents have to be looked up, too"
OPENING, CLOSING = "<tools>\nDeferred tool namespaces:\n", "</tools>"
AGENTS = "multi_agent_v1"
ON_SCREEN = "mcp__codex_tui"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is started: its name as configured, as the model sees it, and where it is configured."""

    name: str
    shown: str
    origin: Origin


def find_servers(draft: Draft, host: Host, config: CodexConfig, plugins: Sequence[Plugin]) -> list[Server]:
    """The servers of the configuration and of plugins that are on, by name (surface: mcp-names)."""
    origins = {name: entry.origin() for name, entry in config.named("mcp_servers").items()}
    for name, entry in config.named("mcp_servers").items():
        draft.candidates.append(_outcome(Rule(WHY, entry.origin(), "server"), name, is_on=is_enabled(entry)))
        if draft.candidates[-1].outcome != "loaded":
            del origins[name]
    for plugin in plugins:
        for path in plugin.servers:
            for name, origin in _of_plugin(draft, host, path):
                origins.setdefault(name, origin)
    shown: dict[str, list[str]] = {}
    for name in origins:
        shown.setdefault(safe(name), []).append(name)
    return [Server(name, _shown(name, shown[safe(name)]), origin) for name, origin in sorted(origins.items())]


def is_enabled(entry: ConfigValue) -> bool:
    """Whether the entry of a server leaves it on (surface: mcp-disabled-desc)."""
    enabled = entry.value.get("enabled")
    return enabled is None or enabled.kind == "true"


def _outcome(rule: Rule, name: str, *, is_on: bool) -> Candidate:
    path = rule.origin.path
    if re.search(r"\s", name):
        return rule.failed(path, f"the name {name!r} has a blank, so Codex drops the server")
    return rule.loaded(path, f"it is the server {name}") if is_on else rule.disabled(path, f"{name} is not enabled")


def _of_plugin(draft: Draft, host: Host, path: str) -> Iterator[tuple[str, Origin]]:
    contents = host.read(path)
    if contents.state != "file":
        return
    document = jsonc.parse(decode(contents.data, keep_bom=True), comments=False)
    servers = document.root.get("mcpServers") if document.root is not None else None
    fault = document.fault("config-invalid")
    rule = own(WHY, use="server")
    draft.candidates.append(rule.failed(path, "Codex cannot read it", faults=(fault,)) if fault else rule.loaded(path))
    for key, value in servers.members if servers is not None and fault is None else ():
        yield str(key.data), Origin("config", path, range=document.range(value), name=str(key.data))


def safe(name: str) -> str:
    """A name as the model sees it: other characters than letters, digits and _ are replaced (surface: mcp-one)."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _shown(name: str, same: Sequence[str]) -> str:
    """The namespace of a server's tools; two that would be the same end in a hash (surface: mcp-names)."""
    if len(same) == 1:
        return f"mcp__{safe(name)}"
    from hashlib import sha1  # noqa: PLC0415 - only where two are the same

    digest = sha1(f"{name}\0{name}\0".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return f"mcp__{safe(name)}_{digest[:12]}"


def _unknown(title: str, origin: Origin, why: str) -> Segment:
    return replace(elided("tools", "codex", title, why=why), origin=origin)


def server_tools(servers: Sequence[Server]) -> list[Segment]:
    """What each server adds to the list of tools, for a model that gets them at once (surface: mcp-one)."""
    return [_unknown(f"MCP server {server.name} ({server.shown})", server.origin, WHY_TOOLS) for server in servers]


def deferred(facts: Facts, servers: Sequence[Server], *, has_agents: bool, is_on_screen: bool) -> list[Segment]:
    """The part that names what can be looked up, sorted; [] if there is nothing (surface: mcp-gpt55)."""
    lines: dict[str, list[Segment]] = {}
    why = WHY_LINE.format(facts.server_line)
    for server in servers:
        first = _unknown(f"first line of MCP server {server.name}", server.origin, why)
        lines[server.shown] = [Segment("tools", server.name, f"- {server.shown}", server.origin, WHY_NAMES), first]
    if has_agents:
        note = elided("tools", "codex", "sub-agents", why=WHY_AGENTS, size=facts.agents_note)
        lines[AGENTS] = [head(f"- {AGENTS}: ", "tools"), note]
    if is_on_screen:
        lines[ON_SCREEN] = [head(f"- {ON_SCREEN}", "tools")]
    if not lines:
        return []
    named = [piece for name in sorted(lines) for piece in (*lines[name], tail("\n", "tools"))]
    return [head(OPENING, "tools"), *named, tail(CLOSING, "tools")]
