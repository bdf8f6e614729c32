"""The tools that opencode offers, and those whose definitions hold text of the user's (surfaces, 3 and 7)."""

from __future__ import annotations

import re

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, Origin, Segment, Tool
from promptls.core.text import LineIndex, decode
from promptls.core.values import dataclass
from promptls.harnesses.opencode import models
from promptls.harnesses.opencode.listing.skills import is_offered
from promptls.harnesses.opencode.start.permissions import action, is_off
from promptls.harnesses.opencode.start.variables import BRINGS, USUAL_TIMEOUT
from promptls.kit import collation
from promptls.kit.base import json_size
from promptls.kit.candidates import STATE_SAYS
from promptls.kit.candidates import own as own_rule
from promptls.kit.paths import join, name, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.start.setup import Setup

WHY_AGENT = "the tool task names every agent that can be started by another, by name"
LIST_OF_AGENTS = "Available agent types and the tools they have access to:"
ROW = "\n- {}: "
NO_DESCRIPTION = "This subagent should only be called manually by the user."
ENDINGS = (".js", ".ts")
# A model has either of these (captured: models gpt-4o, gpt-5, gpt-oss-120b, o3).
EDITING, PATCHING = ("edit", "write"), ("apply_patch",)
# What an agent that another one has started does without.
OF_MAIN = ("task", "todowrite")
# What comes with the models of its maker [source], or with a variable.
SEARCH, OF_ITS_MAKER = "websearch", ("opencode/", "opencode-go/")
# Of the program on the screen, for the agents that may ask [source].
QUESTION, ASKING = "question", ("build", "plan")
USUAL_SHELL = "bash"
TEMPORARY = "/tmp"  # noqa: S108 - only its length counts


@dataclass(frozen=True, slots=True)
class OwnTool:
    """A tool that a file of the user's exports. ``description`` is None where it is no plain text."""

    name: str
    path: str
    description: str | None
    origin: Origin


def offered(
    setup: Setup, agent: Agent, own: Iterable[OwnTool], model: str | None, *, is_started: bool
) -> tuple[Tool, ...]:
    """Every tool, those that settings turn off too (parts: config-tools).

    ``is_started``: another agent has started this one.
    """
    package = models.package(setup.config, model)
    sizes = setup.facts.tools.get(package, {})
    is_patching = models.is_patching(models.own_id(setup.config, model)) if model is not None else False
    names = {name: sizes.get(name) for each in setup.facts.tools.values() for name in each}
    unused = [*(EDITING if is_patching else PATCHING), *(() if setup.is_on_screen else (QUESTION,))]
    brought = setup.flag.tools.union((SEARCH,) if (model or "").startswith(OF_ITS_MAKER) else ())
    unused += [each for each in BRINGS if each not in brought]
    found = [
        _built_in(setup, agent, tool, size, is_started=is_started) for tool, size in names.items() if tool not in unused
    ]
    for tool in own:
        is_on = not is_off(tool.name, *setup.permissions(agent))
        why = "a file of a tool directory exports it" if is_on else "the permissions deny it"
        found.append(Tool(tool.name, is_on, why, origin=tool.origin))
    if setup.config.entries.servers:
        from promptls.harnesses.opencode.listing import servers  # noqa: PLC0415 - few folders have any

        found += servers.tools(setup, agent, package)
    return tuple(sorted(found, key=lambda each: each.name))


def _built_in(setup: Setup, agent: Agent, tool: str, size: int | None, *, is_started: bool) -> Tool:
    if tool == "skill" and not is_offered(setup, agent):
        return Tool(tool, enabled=False, why="the agent has no skills", size=size)
    if is_off(tool, *setup.permissions(agent)):
        return Tool(tool, enabled=False, why="the permissions deny it for everything", size=size)
    if tool == QUESTION and agent.name not in ASKING and not any(tool in each for each in setup.permissions(agent)):
        return Tool(tool, enabled=False, why="this agent asks nothing", size=size)
    if is_started and not _may_start(setup, agent, tool):
        return Tool(tool, enabled=False, why="a sub-agent has it only where permissions name it", size=size)
    more = 0
    if tool == "task":
        more = sum(_row_in_json(setup, each) for each in _listed(setup, agent))
        more += setup.facts.background_in_json * setup.flag.has_background
    elif tool == "bash":
        more = len(native(join(setup.host.env.get("TMPDIR") or TEMPORARY, "opencode")))
        more += len(setup.flag.timeout) - len(USUAL_TIMEOUT)
        more += len(_shell(setup)) - len(USUAL_SHELL)
        more += sum(
            len(str(setup.config.output.get(key, most))) - len(str(most))
            for key, most in setup.facts.most_output.items()
        )
    return Tool(tool, enabled=True, why="it is built in", size=None if size is None else size + more)


def _shell(setup: Setup) -> str:
    """The name of the shell that the tool bash runs commands in (seen by verify)."""
    return name(native(setup.config.shell or setup.host.env.get("SHELL") or USUAL_SHELL))


def _may_start(setup: Setup, agent: Agent, tool: str) -> bool:
    """Whether an agent that another one has started has the tool (captured: sub-agents with permissions)."""
    return tool not in OF_MAIN or any(tool in layer for layer in setup.permissions(agent))


def may_delegate(setup: Setup, agent: Agent) -> bool:
    """Whether a sub-agent can start another one (captured: subagent-both)."""
    return not is_off("task", *setup.permissions(agent)) and _may_start(setup, agent, "task")


def _row_in_json(setup: Setup, name: str) -> int:
    """How long the row of an agent is as JSON."""
    described = setup.agents.get(name).description
    built_in = setup.facts.agents.get(name)
    if described is None and built_in is not None:
        return json_size(ROW.format(name)) + (built_in.in_json or 0)
    return json_size(f"{ROW.format(name)}{NO_DESCRIPTION if described is None else described}")


def definitions(setup: Setup, agent: Agent, own: Iterable[OwnTool], *, is_started: bool) -> Iterator[list[Segment]]:
    """The definitions that hold text of the user's, each with its description."""
    for tool in own:
        if is_off(tool.name, *setup.permissions(agent)):
            continue
        why = f"{name(tool.path)} exports the tool {tool.name}"
        if tool.description is None:
            yield [elided("tools", "opencode", f"description of tool {tool.name}", why=f"{why}; its text is computed")]
        else:
            yield [Segment("tools", f"description of tool {tool.name}", tool.description, tool.origin, why)]
    if not is_off("task", *setup.permissions(agent)) and not (is_started and not _may_start(setup, agent, "task")):
        size = setup.facts.task_intro + setup.facts.background * setup.flag.has_background
        intro = elided("tools", "opencode", "description of tool task", why=WHY_AGENT, size=size)
        yield [intro, head(LIST_OF_AGENTS, "tools"), *_agent_rows(setup, agent)]


def _listed(setup: Setup, agent: Agent) -> list[str]:
    """The agents that another one can start and may (parts: agents, agents-permission)."""
    layers = setup.permissions(agent)
    startable = [each for each in setup.agents.names() if setup.agents.mode(each) != "primary"]
    return sorted((each for each in startable if action("task", each, *layers) != "deny"), key=collation.key)


def _agent_rows(setup: Setup, agent: Agent) -> Iterator[Segment]:
    for each in _listed(setup, agent):
        listed = setup.agents.get(each)
        built_in = setup.facts.agents.get(each)
        yield head(ROW.format(each), "tools")
        title = f"description of agent {each}"
        if listed.description is not None:
            origin = listed.description_origin or COMPUTED
            yield Segment("tools", title, listed.description, origin, WHY_AGENT)
        elif built_in is not None:
            yield elided("tools", "opencode", title, why="the agent is built in", size=built_in.description)
        else:
            yield tail(NO_DESCRIPTION, "tools")


# -- tools of the user's (parts: custom-tool) -----------------------------------------------------------------------


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
    """The tools that the text of a file exports: its name, and that with each constant's; there may be none."""
    exports = list(_EXPORT.finditer(text))
    base = name(path).rpartition(".")[0]
    index = LineIndex(text)
    ends = [*(each.start() for each in exports), len(text)][1:]
    for export, end in zip(exports, ends, strict=True):
        described = _DESCRIPTION.search(text, export.end(), end)
        group = described.lastgroup if described else None
        start, stop = described.span(group) if described and group else (export.start(), export.end())
        origin = Origin("file", path=path, range=index.range(start, stop))
        own_name = f"{base}_{export['name']}" if export["name"] else base
        yield OwnTool(own_name, path, text[start:stop] if group else None, origin)
