"""The tools that Claude Code offers to the model, as far as their names are known (surfaces, 1, 5 and 13)."""

from __future__ import annotations

from promptls.core.model import Origin, Tool
from promptls.harnesses.claude_code.environment import has_tool_search, may_search
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
WHY_PLACEHOLDER = "it stands for the tools that are named only"
DEFERRED = "only its name is sent; the model finds its definition with ToolSearch"


# In the place of the tools that are named only; no setting that names tools takes it away.
PLACEHOLDER = "DeferredToolPlaceholder"
BUILT_IN = Origin("builtin", name=PLACEHOLDER)


def offered(started: Started) -> tuple[Tool, ...] | None:
    """Each tool that is known by name, and what turns it off; None where no names are known."""
    setup = started.setup
    if not setup.tools.sent:
        return None
    if setup.is_bare:
        return tuple(Tool(name, True, SENT, size) for name, size in setup.facts.bare_tools.items())
    is_searched = has_tool_search(started)
    has_placeholder = may_search(setup) and (is_searched or setup.has_system_messages)
    found = []
    for name in sorted({*setup.tools.sent, *setup.tools.deferred}):
        off = _off(started, name)
        if name == PLACEHOLDER:
            found += [Tool(name, True, WHY_PLACEHOLDER, setup.tools.sent[name], BUILT_IN)] if has_placeholder else []
        elif off:
            found.append(Tool(name, enabled=False, why=off[0], origin=off[1]))
        elif is_searched and name in setup.tools.deferred:
            found.append(Tool(name, enabled=True, why=DEFERRED, size=0))
        else:
            found.append(Tool(name, True, SENT, _size(started, name)))
    return tuple(sorted((*found, *_of_restricted(setup)), key=lambda tool: tool.name))


def _size(started: Started, name: str) -> int | None:
    """The characters of a definition (cases git-no-instructions, deny-skill-tool)."""
    setup, known = started.setup, started.setup.tools
    if name == "Bash" and setup.settings.is_false("includeGitInstructions"):
        return known.bash_without_git
    if name == "Workflow" and not (started.has_skills and setup.has_bundled_skills):
        return known.workflow_without_skills
    return known.sent.get(name, known.deferred.get(name))


def _of_restricted(setup: Setup) -> Iterator[Tool]:
    """The tools that stand in for those that --restricted takes away (case restricted)."""
    if RESTRICTED in setup.command.switches:
        origin = Origin("argument", name=RESTRICTED)
        for name, size in setup.facts.tools_of_restricted.items():
            yield Tool(name, True, f"{RESTRICTED} offers it", size, origin)


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
