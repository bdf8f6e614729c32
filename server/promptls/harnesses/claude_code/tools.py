"""The tools that Claude Code offers to the model, as far as their names are known (surfaces, 1, 5 and 13)."""

from __future__ import annotations

from promptls.core.model import Origin, Tool
from promptls.harnesses.claude_code.environment import has_tool_search
from promptls.harnesses.claude_code.setup import RESTRICTED
from promptls.harnesses.frames import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.model import Segment
    from promptls.harnesses.claude_code.servers import Server
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.started import Started

SENT = "its definition is sent"
DEFERRED = "only its name is sent; the model finds its definition with ToolSearch"


def offered(started: Started) -> tuple[Tool, ...] | None:
    """Each tool that is known by name, and what turns it off; None where no names are known."""
    setup, facts = started.setup, started.setup.facts
    if not facts.tools:
        return None
    if setup.is_bare:
        return tuple(Tool(name, enabled=True, why=SENT) for name in facts.bare_tools)
    deferred = facts.deferred_tools if setup.has_system_messages else facts.deferred_tools_inline
    is_searched = has_tool_search(started)
    found = []
    for name in sorted({*facts.tools, *deferred}):
        off = _off(started, name)
        if off:
            found.append(Tool(name, enabled=False, why=off[0], origin=off[1]))
        elif is_searched and name in deferred:
            found.append(Tool(name, enabled=True, why=DEFERRED, size=0))
        else:
            found.append(Tool(name, enabled=True, why=SENT))
    return tuple(found)


def tools_size(started: Started, tools: tuple[Tool, ...] | None) -> int | None:
    """The characters of all definitions, which were measured together: known where none is missing or added."""
    setup, facts = started.setup, started.setup.facts
    is_usual = has_tool_search(started) and not any(each.is_always_loaded for each in started.servers)
    if tools is None or setup.is_bare or not is_usual or not all(tool.enabled for tool in tools):
        return None
    return facts.tools_size if setup.has_system_messages else facts.tools_size_inline


def _off(started: Started, name: str) -> tuple[str, Origin] | None:
    """What takes a tool away, in a clause, and where that is said."""
    setup = started.setup
    if RESTRICTED in setup.command.switches and name in setup.facts.restricted_tools:
        return f"{RESTRICTED} takes it away", Origin("argument", name=RESTRICTED)
    if not setup.has_tool(name):
        return next(_denials(setup, name), ("--tools does not name it", Origin("argument", name="--tools")))
    if started.agent is not None and not started.agent.has(name):
        return f"the agent {started.agent.name} does not have it", started.agent.origin
    return None


def _denials(setup: Setup, name: str) -> Iterator[tuple[str, Origin]]:
    for setting in setup.settings.every("permissions"):
        listed = setting.value.get("deny")
        for item in listed.items if listed is not None else ():
            if item.data == name:
                yield "the settings deny it", setting.part(item, f"permissions.deny {name}")
    for option in ("disallowedTools", "disallowed-tools"):
        if any(name in words.replace(",", " ").split() for words in setup.command.values.get(option, ())):
            yield f"--{option} takes it away", Origin("argument", name=f"--{option}")


def definitions(started: Started) -> list[Segment]:
    """The places of the tools of servers whose definitions are sent (cases mcp-always-load, mcp-limits)."""
    if started.setup.is_bare:
        return []
    all_of_them = not has_tool_search(started)
    found: list[Server] = [each for each in started.servers if all_of_them or each.is_always_loaded]
    return [piece for server in found for piece in (tail("\n", "tools"), server.tools())][1:]
