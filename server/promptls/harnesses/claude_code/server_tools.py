"""The tools of MCP servers whose answers are known: names, sizes, which are only named (captured: names-nosearch)."""

from __future__ import annotations

from promptls.core.model import Origin, Segment, Tool
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.servers import TRUNCATED, WHY_LATE, instructions, safe
from promptls.harnesses.claude_code.setup import denials
from promptls.kit import collation
from promptls.kit.segments import elided
from promptls.kit.server_tools import compact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Turn
    from promptls.core.servers import OfferedTool
    from promptls.harnesses.claude_code.servers import Server
    from promptls.harnesses.claude_code.start_values import StartedSession

ALWAYS = "anthropic/alwaysLoad"
WHY_SENT = "the server answers with it, and its definition is sent"
# As those of the program's own are told.
WHY_NAMED = "only its name is sent; the model finds its definition with ToolSearch"
WHY_FOUND = "the model has found it with ToolSearch, so its definition is sent"
WHY_WAIT = "a server is not ready when the first request is sent, and nothing is searched for"


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of a server by the name under which it is sent."""

    name: str
    server: Server
    offered: OfferedTool
    off: tuple[str, Origin] | None

    @property
    def is_always_loaded(self) -> bool:
        """Whether its definition is sent where others are only named (captured: always-load)."""
        return self.server.is_always_loaded or self.offered.meta.get(ALWAYS) is True

    def definition(self, limit: int) -> str:
        """Its definition; of a description ``limit`` characters count (captured: sizes-nosearch)."""
        description = self.offered.description or ""
        if len(description) > limit:
            description = description[:limit] + TRUNCATED
        return compact({"name": self.name, "description": description, "input_schema": self.offered.schema})


def server_tools(started: StartedSession, *, has_late: bool) -> list[ServerTool]:
    """Every tool once, in the order in which definitions are sent; ``has_late``: of servers that were late, too.

    Of two that are called the same, the first counts (captured: names-nosearch, clash).
    """
    found: dict[str, ServerTool] = {}
    for server in sorted(started.servers, key=lambda each: collation.key(each.name)):
        is_there = server.is_ready(started.setup) or (has_late and server.is_late(started.setup))
        answer = server.answer if is_there else None
        for offered in answer.tools if answer is not None and answer.failure != "list" else ():
            name = f"{server.prefix}{safe(offered.name)}"
            found.setdefault(name, ServerTool(name, server, offered, _taken_away_by(started, server, name)))
    return sorted(found.values(), key=lambda each: collation.key(each.name))


def _taken_away_by(started: StartedSession, server: Server, name: str) -> tuple[str, Origin] | None:
    """What takes it away: a rule, an option, or the list of an agent."""
    whole = server.prefix.removesuffix("__")
    if denied := next(denials(started.setup, name, lambda rule: _names(rule, name, whole)), None):
        return denied
    agent = started.lists
    if agent is None:
        return None
    has_it = agent.tools is None or any(_names(each, name, whole) for each in agent.tools)
    if not has_it or any(_names(each, name, whole) for each in agent.disallowed):
        return f"the agent {agent.name} does not have it", agent.origin
    return None


def _names(rule: str, name: str, server: str) -> bool:
    """Whether a rule means a tool: by its name, by its server, or by how its name begins (captured: deny)."""
    return rule in (name, server) or (rule.endswith("*") and name.startswith(rule[:-1]) and rule.startswith("mcp__"))


def offered_tools(
    started: StartedSession, loaded: set[str], turns: Sequence[Turn], *, is_searched: bool
) -> Iterator[Tool]:
    """The tools of servers, with the size of each definition that is sent; ``loaded``: those found with ToolSearch.

    ``is_searched``: the others are only named. In a request that is not the first, servers that were late are there,
    too.
    """
    facts, goes_on = started.setup.facts, len(turns) > 1 or any(turn.steps for turn in turns)
    for each in server_tools(started, has_late=goes_on):
        origin = each.server.origin
        if each.off is not None:
            yield Tool(each.name, enabled=False, why=each.off[0], origin=each.off[1])
            continue
        text, why = each.definition(facts.server_description), WHY_SENT
        size = len(text)
        if is_searched and not each.is_always_loaded:
            is_found = each.name in loaded
            size, why = (size + facts.loaded_tool, WHY_FOUND) if is_found else (0, WHY_NAMED)
            text = ""
        yield Tool(each.name, True, why, size, origin, offered_as=each.offered.name, definition=text)
    if is_searched:
        yield from _found_later(started, loaded, turns)
    for name, known in facts.resource_tools.items() if _has_resources(started) else ():
        yield Tool(name, True, "a server has resources", 0 if is_searched and name not in loaded else known)
    if not is_searched and any(each.is_late(started.setup) for each in started.servers) and started.task is None:
        for name, known in facts.waiting_tool.items():
            yield Tool(name, True, WHY_WAIT, known)


def _found_later(started: StartedSession, loaded: set[str], turns: Sequence[Turn]) -> Iterator[Tool]:
    """Those found among the tools of a list that has changed: each that was loaded before is as it was.

    (captured: search-call)
    """
    facts, calls = started.setup.facts, [call.tool or "" for turn in turns for calls in turn.steps for call in calls]
    for server in started.servers:
        answer = server.answer
        known = {each.name for each in answer.tools} if answer is not None else ()
        number = sum(each.startswith(server.prefix) for each in calls)
        for each in answer.tools_after(number) if answer is not None else ():
            tool = ServerTool(f"{server.prefix}{safe(each.name)}", server, each, None)
            if each.name not in known and tool.name in loaded and _taken_away_by(started, server, tool.name) is None:
                size = len(tool.definition(facts.server_description)) + facts.loaded_tool
                yield Tool(tool.name, True, WHY_FOUND, size, server.origin, offered_as=each.name)


def _has_resources(started: StartedSession) -> bool:
    return any(each.answer is not None and each.answer.resources for each in started.servers)


def listed_names(started: StartedSession) -> dict[str, Origin]:
    """The names of tools that stand among the deferred ones, also where their definitions are sent."""
    found = {
        each.name: each.server.origin
        for each in server_tools(started, has_late=False)
        if each.off is None and not each.is_always_loaded
    }
    if _has_resources(started):
        found |= dict.fromkeys(started.setup.facts.resource_tools, Origin("computed", name="resources"))
    return found


def weighed(started: StartedSession) -> StartedSession:
    """The same, where the tools of servers count for how much of the window tools fill (captured: auto-large)."""
    limit = started.setup.facts.server_description
    found = sum(
        len(each.definition(limit)) for each in server_tools(started, has_late=False) if not each.is_always_loaded
    )
    return replace(started, setup=replace(started.setup, server_characters=found))


def late_sections(started: StartedSession, *, is_searched: bool) -> list[list[Segment]]:
    """What a request says of servers that have become ready since the first one: their tools, what they say.

    (captured: slow-fine, slow-nosearch)
    """
    setup = started.setup
    names = [each for each in server_tools(started, has_late=True) if each.off is None and each.server.is_late(setup)]
    found: list[list[Segment]] = []
    if is_searched and names:
        size = setup.facts.new_tools
        found.append([elided("tools", "Claude Code", "tools that have come meanwhile", why=WHY_LATE, size=size)])
        for each in sorted(names, key=lambda each: each.name):
            found[0].append(Segment("tools", each.name, f"\n{each.name}", each.server.origin, WHY_LATE))
    said = instructions(
        [each for each in started.servers if each.answer and each.answer.instructions], setup, are_late=True
    )
    return [*found, said] if said else found
