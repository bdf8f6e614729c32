"""The tools that opencode offers, and those whose definitions hold text of the user's (surfaces, 3 and 7)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Origin, Segment, Tool
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.harnesses.candidates import STATE_SAYS
from promptls.harnesses.candidates import own as own_rule
from promptls.harnesses.frames import elided, head, tail
from promptls.harnesses.opencode import servers
from promptls.harnesses.opencode.permissions import action, is_off
from promptls.harnesses.opencode.skills import is_offered
from promptls.harnesses.shared import collation
from promptls.harnesses.shared.paths import join, name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.harnesses.opencode.agents import Agent
    from promptls.harnesses.opencode.setup import Setup

WHY_AGENT = "the tool task names every agent that can be started by another, by name"
LIST_OF_AGENTS = "Available agent types and the tools they have access to:"
NO_DESCRIPTION = "This subagent should only be called manually by the user."
ENDINGS = (".js", ".ts")


@dataclass(frozen=True, slots=True)
class OwnTool:
    """A tool that a file of the user's exports. ``description`` is None where it is no plain text."""

    name: str
    path: str
    description: str | None
    origin: Origin


def offered(setup: Setup, agent: Agent, own: Iterable[OwnTool]) -> tuple[Tool, ...]:
    """Every tool, those that settings turn off too (surfaces: config-tools)."""
    found = [_built_in(setup, agent, tool, size) for tool, size in setup.facts.tools.items()]
    for tool in own:
        is_on = not is_off(tool.name, setup.config.permissions, agent.permissions)
        why = "a file of a tool directory exports it" if is_on else "the permissions deny it"
        found.append(Tool(tool.name, is_on, why, origin=tool.origin))
    return tuple(sorted((*found, *servers.tools(setup, agent)), key=lambda each: each.name))


def _built_in(setup: Setup, agent: Agent, tool: str, size: int | None) -> Tool:
    if tool == "skill" and not is_offered(setup, agent):
        return Tool(tool, enabled=False, why="the agent has no skills", size=size)
    if is_off(tool, setup.config.permissions, agent.permissions):
        return Tool(tool, enabled=False, why="the permissions deny it for everything", size=size)
    if tool == "task" and size is not None:
        listed = sum((each.elided.size or 0) if each.elided else len(each.text) for each in _agent_rows(setup, agent))
        size += listed
    return Tool(tool, enabled=True, why="it is built in", size=size)


def definitions(setup: Setup, agent: Agent, own: Iterable[OwnTool]) -> Iterator[list[Segment]]:
    """The definitions that hold text of the user's, each with its description."""
    for tool in own:
        if is_off(tool.name, setup.config.permissions, agent.permissions):
            continue
        why = f"{name(tool.path)} exports the tool {tool.name}"
        if tool.description is None:
            yield [elided("tools", "opencode", f"description of tool {tool.name}", why=f"{why}; its text is computed")]
        else:
            yield [Segment("tools", f"description of tool {tool.name}", tool.description, tool.origin, why)]
    if not is_off("task", setup.config.permissions, agent.permissions):
        size = setup.facts.task_intro
        intro = elided("tools", "opencode", "description of tool task", why=WHY_AGENT, size=size)
        yield [intro, head(LIST_OF_AGENTS, "tools"), *_agent_rows(setup, agent)]


def _agent_rows(setup: Setup, agent: Agent) -> Iterator[Segment]:
    """The agents that another one can start and may (surfaces: agents, agents-permission)."""
    for each in sorted(setup.agents.names(), key=collation.key):
        listed = setup.agents.get(each)
        built_in = setup.facts.agents.get(each)
        is_denied = action("task", each, setup.config.permissions, agent.permissions) == "deny"
        if setup.agents.mode(each) == "primary" or is_denied:
            continue
        yield head(f"\n- {each}: ", "tools")
        title = f"description of agent {each}"
        if listed.description is not None:
            origin = listed.description_origin or COMPUTED
            yield Segment("tools", title, listed.description, origin, WHY_AGENT)
        elif built_in is not None:
            yield elided("tools", "opencode", title, why="the agent is built in", size=built_in.description)
        else:
            yield tail(NO_DESCRIPTION, "tools")


# -- tools of the user's (surfaces: custom-tool) -----------------------------------------------------------------------


def own_tools(setup: Setup) -> list[OwnTool]:
    """The tools that files in the tool directories export, as far as their texts show it: nothing is run."""
    found: dict[str, OwnTool] = {}
    for directory in setup.config.directories:
        for folder in ("tool", "tools"):
            for entry in setup.host.entries(join(directory, folder)):
                if entry.name.endswith(ENDINGS):
                    found.update((each.name, each) for each in _exported(setup, join(directory, folder, entry.name)))
    return list(found.values())


_EXPORT = regex(r"^export[ \t]+(?:default\b|const[ \t]+(?P<name>[A-Za-z_$][\w$]*))", re.MULTILINE)
_DESCRIPTION = regex(
    r"""\bdescription[ \t]*:\s*(?:"(?P<double>[^"\\\n]*)"|'(?P<single>[^'\\\n]*)'|`(?P<long>[^`\\$]*)`)\s*[,}]"""
)


def _exported(setup: Setup, path: str) -> Iterator[OwnTool]:
    contents = setup.host.read(path)
    rule = own_rule("opencode offers what files in its tool directories export as tools", use="config")
    if contents.state != "file":
        setup.draft.candidates.append(rule.failed(path, STATE_SAYS[contents.state]))
        return
    setup.draft.candidates.append(rule.read(path, contents))
    yield from exported(path, decode(contents.data, keep_bom=False))


def exported(path: str, text: str) -> Iterator[OwnTool]:
    """The tools that the text of a file exports: its name, and its name with that of each constant."""
    exports = list(_EXPORT.finditer(text))
    base = name(path).rpartition(".")[0]
    index = LineIndex(text)
    for export, end in zip(exports, [*(each.start() for each in exports[1:]), len(text)], strict=True):
        described = _DESCRIPTION.search(text, export.end(), end)
        group = described.lastgroup if described else None
        start, stop = described.span(group) if described and group else (export.start(), export.end())
        origin = Origin("file", path=path, range=index.range(start, stop))
        own_name = f"{base}_{export['name']}" if export["name"] else base
        yield OwnTool(own_name, path, text[start:stop] if group else None, origin)
