"""Gemini CLI's MCP servers and hooks: what they say is known only when they run, and so is a placeholder.

Instructions of servers follow the project's context files (parts: mcp-server, mcp-two-servers, extension); the text
of hooks is around what the user types (parts: hook-session-start, hook-workspace).
"""

from __future__ import annotations

from promptls.core.formats.tree import EMPTY
from promptls.core.lazy import regex
from promptls.core.model import Origin, Segment, Tool
from promptls.core.values import dataclass, replace
from promptls.harnesses.gemini_cli.spec import SPEC
from promptls.kit.candidates import Rule
from promptls.kit.segments import by_hook, elided, head, tail, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from promptls.core.formats.tree import Value
    from promptls.core.servers import OfferedTool, ServerAnswer
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.extensions import Extension
    from promptls.harnesses.gemini_cli.versions import Facts

WHY_ANSWERED = "the server has answered with it"
NEEDS_APPROVAL = "it needs an approval, and nobody can give it"
NOT_IN_A_NAME = regex(r"[^A-Za-z0-9_.:-]")
WHY = "the MCP server {name} is configured; if it has no instructions, its lines are not sent"
OPTION = "--allowed-mcp-server-names"
SESSION_START, BEFORE_AGENT, AFTER_TOOL = "SessionStart", "BeforeAgent", "AfterTool"
STARTUP, RESUME = "startup", "resume"


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server by its key. ``is_trusted``: its tools need no approval."""

    name: str
    origin: Origin
    is_trusted: bool
    answer: ServerAnswer | None = None
    # The names of its tools that the configuration leaves and takes away; None for all.
    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()
    # Seconds after which the program does without what it asks for.
    timeout: float = float("inf")

    @property
    def has_connected(self) -> bool:
        """Whether it answers at all (captured: fail, slow-timeout)."""
        answer = self.answer
        return answer is None or (answer.failure not in ("start", "init") and answer.delay <= self.timeout)

    def tools(self) -> tuple[OfferedTool, ...]:
        """Those that are taken: of the first page, and none where a property is just ``true``.

        The program keeps what it was told first (captured: page, bool-schema, lists, changed).
        """
        from promptls.kit.server_tools import has_bare_true  # noqa: PLC0415 - few servers are known

        answer = self.answer
        if answer is None or not self.has_connected or answer.failure == "list" or answer.list_delay > self.timeout:
            return ()
        first = answer.tools[: answer.page] if answer.page else answer.tools
        if any(has_bare_true(each.schema) for each in first):
            return ()
        return replace(answer, tools=first).left(self.only, self.without)


def _server(search: Search, name: str, value: Value, origin: Origin) -> Server:
    trust, given = value.get("trust"), (value.get("timeout") or EMPTY).data
    server = Server(name, origin, trust is not None and trust.kind == "true")

    def words(key: str) -> list[str] | None:
        listed = value.get(key)
        return None if listed is None else [str(each.data) for each in listed.items]

    only = words("includeTools")
    return replace(
        server,
        answer=search.host.answer_of(name, words("args") or (), SPEC.name, origin),
        only=None if only is None else frozenset(only),
        without=frozenset(words("excludeTools") or ()),
        timeout=given / 10**3 if isinstance(given, (int, float)) else server.timeout,
    )


def find(search: Search, extensions: Iterable[Extension], chosen: Sequence[str] | None = None) -> list[Server]:
    """The servers of the settings and of extensions that are not excluded; ``chosen``: those of the command line.

    With them the settings neither allow nor exclude a server [source] (captured: allowed-flag).
    """
    found: dict[str, tuple[Value, Origin]] = {}
    for extension in extensions:
        servers = extension.config.get("mcpServers")
        if extension.is_on and servers is not None:
            for key, value in servers.members:
                name = str(key.data)
                found[name] = value, Origin("config", path=extension.file, name=name)
    for source in search.settings.sources:
        servers = source.get("mcpServers")
        for key, value in servers.members if servers is not None else ():
            name = str(key.data)
            where = Origin("config", path=source.path, range=source.document.range(key), name=name)
            found[name] = value, where
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
    # Only what counts in the end is asked.
    for server in (_server(search, name, *said) for name, said in found.items()):
        rule = Rule("the configuration has this MCP server", server.origin, "server")
        if server.name in excluded or (is_narrowed and server.name not in allowed):
            which = "mcp.excluded names it" if server.name in excluded else says
            search.note(rule.disabled(None, which))
        else:
            search.note(rule.loaded())
            kept.append(server)
    return kept


def instructions(servers: Iterable[Server]) -> Iterator[list[Segment]]:
    """What each server says, as gemini-cli frames it; the servers come in the order in which they connect."""
    for server in servers:
        if server.answer is not None and not (server.has_connected and server.answer.instructions):
            continue
        begin = f"The following are instructions provided by the tool server '{server.name}':\n"
        title = f"instructions of the MCP server {server.name}"
        unknown = elided("tools", "gemini-cli", title, why=WHY.format(name=server.name))
        said = [replace(unknown, origin=server.origin)]
        if server.answer is not None:
            text = server.answer.instructions or ""
            said = without_secrets(Segment("tools", title, text, server.origin, WHY_ANSWERED))
        yield [
            head(f"{begin}---[start of server instructions]---\n", "tools"),
            *said,
            tail("\n---[end of server instructions]---", "tools"),
        ]


def tools(servers: Iterable[Server], *, is_approved: bool) -> Iterator[Tool]:
    """A line for the tools of each server: without approval, only those of trusted ones are there."""
    for server in servers:
        is_on = is_approved or server.is_trusted
        if server.answer is not None:
            continue
        why = f"the MCP server {server.name} is configured" if is_on else "it is not trusted, and nobody can approve"
        yield Tool(f"mcp_{server.name}_*", is_on, why, origin=server.origin)


@dataclass(frozen=True, slots=True)
class Rights:
    """Which tools of servers are there: ``excluded`` are not, ``allowed`` need no approval, by the names that are sent.

    ``denied``: the program's own tools that need an approval which nobody can give. A tool of a server that has the
    same name is not there either, also of one that is trusted (captured: untrusted-allowed, server-write-file).
    """

    excluded: Mapping[str, Origin]
    allowed: Container[str]
    denied: Container[str]
    is_approved: bool


def known_tools(servers: Iterable[Server], facts: Facts, rights: Rights) -> Iterator[Tool]:
    """The tools of servers whose answers are known; of two of one name, the last counts (captured: clash-inside)."""
    from promptls.kit import server_tools  # noqa: PLC0415 - few servers are known

    found: dict[str, Tool] = {}
    servers = list(servers)
    for server in servers:
        for offered in server.tools():
            name = shown(f"mcp_{server.name}_{offered.name}", facts)
            parameters = _schema(offered.schema, facts)
            definition = {
                "name": name,
                "description": offered.description or "",
                "parametersJsonSchema": parameters,
            }
            if name in rights.excluded:
                origin = rights.excluded[name]
                found[name] = Tool(name, enabled=False, why="tools.exclude names it", origin=origin)
            elif offered.name in rights.denied and name not in rights.allowed:
                found[name] = Tool(name, enabled=False, why=NEEDS_APPROVAL, origin=server.origin)
            elif rights.is_approved or server.is_trusted or name in rights.allowed:
                why = f"the MCP server {server.name} offers it"
                text = server_tools.compact(definition)
                found[name] = Tool(name, True, why, len(text), server.origin, offered_as=offered.name, definition=text)
            else:
                why = "its server is not trusted, and nobody can approve"
                found[name] = Tool(name, enabled=False, why=why, origin=server.origin)
    yield from found.values()
    if any(each.answer is not None and each.has_connected and each.answer.resources for each in servers):
        for name, size in facts.resource_tools.items():
            yield Tool(name, True, "an MCP server has resources", size)


def shown(name: str, facts: Facts) -> str:
    """The name of a tool as it is sent: in a long one, what is in the middle goes (captured: names, long-names)."""
    kept, around = NOT_IN_A_NAME.sub("_", name), facts.tool_name // 2 - 1
    return kept if len(kept) <= facts.tool_name else f"{kept[:around]}...{kept[-around:]}"


def _schema(schema: Any, facts: Facts) -> dict[str, Any]:
    """A schema as it is sent: null said in another way, and a property of the program's own (captured: shape)."""
    from promptls.kit.server_tools import each_schema  # noqa: PLC0415 - few servers are known

    def nullable(each: dict[str, Any]) -> dict[str, Any]:
        kinds = each.get("type")
        if not isinstance(kinds, list) or "null" not in kinds:
            return each
        rest = [kind for kind in kinds if kind != "null"]
        return {**each, "type": rest[0] if len(rest) == 1 else rest, "nullable": True}

    found: dict[str, Any] = each_schema(schema, nullable)
    waits = {"type": "boolean", "description": "w" * facts.wait_description}
    return {**found, "properties": {**found.get("properties", {}), "wait_for_previous": waits}}


def hooks(search: Search, event: str, way: str = "") -> Iterator[Segment]:
    """The hooks of the settings for an event, each a place of its own.

    ``way``: how the session begins, where that is the event; a matcher is this word (source: matchesTrigger).
    """
    if not search.settings.is_true("hooksConfig.enabled", default=True):
        return
    for source in search.settings.sources:
        listed = source.get(f"hooks.{event}")
        for group in listed.items if listed is not None else ():
            if way and (group.text("matcher") or "").strip() not in ("", "*", way):
                continue
            commands = group.get("hooks")
            for hook in commands.items if commands is not None else ():
                name = hook.text("name") or hook.text("command") or event
                where = Origin("config", path=source.path, range=source.document.range(hook), name=name)
                why = f"a hook for {event} may add text, which is known only when it runs"
                yield by_hook(elided("runtime", "gemini-cli", f"context of hook {name}", why=why), where)


def hook_candidates(search: Search) -> None:
    """What comes of each hook of the settings."""
    is_on = search.settings.is_true("hooksConfig.enabled", default=True)
    for source in search.settings.sources:
        events = source.get("hooks")
        for key, _ in events.members if events is not None else ():
            where = Origin("config", path=source.path, range=source.document.range(key), name=str(key.data))
            rule = Rule("the settings have hooks for this event", where, "hook")
            search.note(rule.loaded() if is_on else rule.disabled(None, "hooksConfig.enabled is false"))
