"""MCP servers: what they say and offer is known only to a running one, so each has a placeholder (section 8)."""

from __future__ import annotations

import re

from promptls.core.formats import parse_json
from promptls.core.model import Origin, Segment
from promptls.core.text import decode
from promptls.core.values import dataclass, replace
from promptls.harnesses.codex.spec import SPEC
from promptls.kit.candidates import Rule, own
from promptls.kit.segments import elided, head, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Candidate
    from promptls.core.servers import OfferedTool, ServerAnswer
    from promptls.harnesses.codex.listing.plugins import Plugin
    from promptls.harnesses.codex.start.config import CodexConfig, ConfigValue
    from promptls.harnesses.codex.versions import Facts
    from promptls.kit.draft import Draft

WHY = "Codex starts this MCP server, and what it offers goes into the request"
WHY_TOOLS = "only the running server knows its instructions and its tools"
# What a line ends in that is cut.
CUT = "..."
WHY_LINE = "only the running server knows its instructions, of which the first line is sent, {} characters at most"
WHY_NAMES = "tools that the model has to look up are sent by name only"
WHY_AGENTS = "the tools for sub-agents have to be looked up, too"
OPENING, CLOSING = "<tools>\nDeferred tool namespaces:\n", "</tools>"
AGENTS = "multi_agent_v1"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is started: its name as configured, as the model sees it, and where it is configured."""

    name: str
    shown: str
    origin: Origin
    answer: ServerAnswer | None = None
    # The names of its tools that the configuration leaves and takes away; None for all.
    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    # Seconds after which it counts no more, and whether the program waits for it.
    most: float | None = None
    is_required: bool = False

    def has_started(self, facts: Facts, *, later: bool) -> bool:
        """Whether it is there in a request: the first is not held up for long (captured: slow-fine, fail)."""
        if self.answer is None or self.answer.failure:
            return self.answer is None
        takes = self.answer.delay + self.answer.list_delay
        is_given_up = self.most is not None and self.answer.delay > self.most
        return not is_given_up and (later or self.is_required or takes <= facts.server_wait)

    def tools(self) -> tuple[OfferedTool, ...]:
        """Those that the configuration leaves, by their own names (captured: lists)."""
        return self.answer.left(self.only, self.without) if self.answer is not None else ()


def find_servers(
    draft: Draft, host: Host, config: CodexConfig, plugins: Sequence[Plugin], *, is_patient: bool
) -> list[Server]:
    """The servers of the configuration and of plugins that are on, by name (parts: mcp-names).

    ``is_patient``: one that was late in the first request is there in the next one.
    """
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
    found = [Server(name, _shown(name, shown[safe(name)]), origin) for name, origin in sorted(origins.items())]
    # What is deferred stands in the first request (captured: slow-gpt55).
    later = (is_patient and any(turn.steps for turn in draft.session.turns)) or len(draft.session.turns) > 1
    answered = [_listed(draft, _answered(each, host, config), config) for each in found]
    # One whose tools are none, or none that is left, is nowhere (captured: servers-without-tools).
    known = [each for each in answered if each.answer is None or each.tools()]
    return [each for each in known if each.has_started(config.facts, later=later)]


def _listed(draft: Draft, server: Server, config: CodexConfig) -> Server:
    """With the list of tools that is asked for again where a feature has it so (captured: flag-list-changed)."""
    if server.answer is None or not config.is_on("features", "mcp_tool_list_changed", default=False):
        return server
    calls = sum(call.namespace == server.shown for turn in draft.session.turns for call in turn.calls)
    return replace(server, answer=replace(server.answer, tools=server.answer.tools_after(calls)))


def _answered(server: Server, host: Host, config: CodexConfig) -> Server:
    """With what it answers, as far as that is known; the tables of several layers are one (captured: merge-project)."""

    def words(key: str) -> list[str] | None:
        entry = config.find("mcp_servers", server.name, key)
        return None if entry is None else [str(each.data) for each in entry.names()]

    only = words("enabled_tools")
    return replace(
        server,
        answer=host.answer_of(server.name, words("args") or (), SPEC.name, _started_at(server, config)),
        only=None if only is None else frozenset(only),
        without=frozenset(words("disabled_tools") or ()),
        most=config.number("mcp_servers", server.name, "startup_timeout_sec"),
        is_required=config.is_on("mcp_servers", server.name, "required", default=False),
    )


def _started_at(server: Server, config: CodexConfig) -> Origin:
    """Where it is said how it is started: another layer may only say what of it counts (captured: merge-project)."""
    tables = (layer.find(("mcp_servers", server.name)) for layer in reversed(config.layers))
    says = (each for each in tables if each is not None and (each.value.get("command") or each.value.get("url")))
    return next((each.origin() for each in says), server.origin)


def is_enabled(entry: ConfigValue) -> bool:
    """Whether the entry of a server leaves it on (parts: mcp-disabled-desc)."""
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
    document = parse_json(decode(contents.data, keep_bom=True), comments=False)
    servers = document.root.get("mcpServers") if document.root is not None else None
    fault = document.fault("config-invalid")
    rule = own(WHY, use="server")
    draft.candidates.append(rule.failed(path, "Codex cannot read it", faults=(fault,)) if fault else rule.loaded(path))
    for key, value in servers.members if servers is not None and fault is None else ():
        yield str(key.data), Origin("config", path, range=document.range(value), name=str(key.data))


def safe(name: str) -> str:
    """A name as the model sees it: other characters than letters, digits and _ are replaced (parts: mcp-one)."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _shown(name: str, same: Sequence[str]) -> str:
    """The namespace of a server's tools; two that would be the same end in a hash (parts: mcp-names)."""
    if len(same) == 1:
        return f"mcp__{safe(name)}"
    from hashlib import sha1  # noqa: PLC0415 - only where two are the same

    digest = sha1(f"{name}\0{name}\0".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return f"mcp__{safe(name)}_{digest[:12]}"


def _unknown(title: str, origin: Origin, why: str) -> Segment:
    return replace(elided("tools", "codex", title, why=why), origin=origin)


def server_tools(servers: Sequence[Server]) -> list[Segment]:
    """What each server adds to the list of tools, for a model that gets them at once (parts: mcp-one)."""
    return [
        _unknown(f"MCP server {server.name} ({server.shown})", server.origin, WHY_TOOLS)
        for server in servers
        if server.answer is None
    ]


def first_line(server: Server, facts: Facts) -> str:
    """The first line of the instructions of a server whose answer is known (captured: server-lines)."""
    says = (server.answer.instructions if server.answer is not None else None) or ""
    line = next(iter(says.strip().splitlines()), "")
    return line if len(line) <= facts.server_line else line[: facts.server_line - len(CUT)] + CUT


def deferred(facts: Facts, servers: Sequence[Server], *, has_agents: bool, is_on_screen: bool) -> list[Segment]:
    """The part that names what can be looked up, sorted; [] if there is nothing (parts: mcp-gpt55)."""
    lines: dict[str, list[Segment]] = {}
    why = WHY_LINE.format(facts.server_line)
    for server in servers:
        lines[server.shown] = [Segment("tools", server.name, f"- {server.shown}", server.origin, WHY_NAMES)]
        if server.answer is None:
            lines[server.shown].append(_unknown(f"first line of MCP server {server.name}", server.origin, why))
        elif first := first_line(server, facts):
            text = Segment("tools", server.name, first, server.origin, why)
            lines[server.shown] += [head(": ", "tools"), *without_secrets(text)]
    if has_agents:
        note = elided("tools", "codex", "sub-agents", why=WHY_AGENTS, size=facts.agents_note)
        lines[AGENTS] = [head(f"- {AGENTS}: ", "tools"), note]
    for name in facts.screen_tools if is_on_screen else ():
        lines[name] = [head(f"- {name}", "tools")]
    if not lines:
        return []
    named = [piece for name in sorted(lines) for piece in (*lines[name], tail("\n", "tools"))]
    return [head(OPENING, "tools"), *named, tail(CLOSING, "tools")]
