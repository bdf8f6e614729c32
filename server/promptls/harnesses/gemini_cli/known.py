"""What Gemini CLI knows beside context files: extensions, skills, sub-agents, servers, and its tools."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.core.values import dataclass
from promptls.harnesses.gemini_cli import agents, commands, servers, skills
from promptls.harnesses.gemini_cli.extensions import read_extensions
from promptls.harnesses.gemini_cli.versions import ROWS
from promptls.kit.json_size import json_size
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.harnesses.gemini_cli.agents import Agent
    from promptls.harnesses.gemini_cli.commands import Command
    from promptls.harnesses.gemini_cli.extensions import Extension
    from promptls.harnesses.gemini_cli.places import Search
    from promptls.harnesses.gemini_cli.servers import Server
    from promptls.harnesses.gemini_cli.skills import Skill
    from promptls.harnesses.gemini_cli.versions import Facts, System

# The tool that names every skill.
SKILLS = "activate_skill"
# The tool that starts a sub-agent.
AGENT_TOOL = "invoke_agent"


@dataclass(frozen=True, slots=True)
class Known:
    """What is there beside context files. ``is_approved``: every call of a tool is. ``model``: what it really is."""

    facts: Facts
    system: System
    extensions: list[Extension]
    skills: dict[str, Skill]
    agents: dict[str, Agent]
    commands: dict[str, Command]
    servers: list[Server]
    is_approved: bool
    model: str


def read_known(
    search: Search,
    chosen: Sequence[str],
    model: str | None,
    *,
    is_approved: bool,
    chosen_servers: Sequence[str] | None = None,
) -> Known:
    """All of it. The command line names the extensions ``chosen`` and the servers ``chosen_servers``, if it does."""
    facts = row(ROWS, search.draft.session.version)
    asked = facts.aliases.get(model or "", model or "")
    system = next(each for name, each in facts.systems.items() if asked.startswith(name))
    extensions = read_extensions(search, chosen)
    servers.hook_candidates(search)
    return Known(
        facts,
        system,
        extensions,
        skills.find(search, extensions, facts),
        agents.find(search, extensions, facts),
        commands.find(search, extensions),
        servers.find(search, extensions, chosen_servers),
        is_approved,
        asked,
    )


def tools(search: Search, known: Known) -> tuple[Tool, ...]:
    """Every tool; without approval, those that change something are not there (surfaces: skills-directories).

    ``tools.core`` leaves those that it names, ``tools.allowed`` adds some; both approve of them (wire: tools-core).
    """
    excluded = {each.text: each.origin for each in search.settings.all_strings("tools.exclude")}
    core = search.settings.strings("tools.core")
    allowed = {_tool_of(each.text) for each in (*(core or ()), *(search.settings.strings("tools.allowed") or ()))}
    found: list[Tool] = []
    for name, size in _built_in(known).items():
        is_free = name in known.facts.tools
        if name in excluded:
            found.append(Tool(name, enabled=False, why="tools.exclude names it", size=size, origin=excluded[name]))
        elif core is not None and _tool_of(name) not in {_tool_of(each.text) for each in core}:
            origin = core[0].origin if core else COMPUTED
            found.append(Tool(name, enabled=False, why="tools.core does not name it", size=size, origin=origin))
        elif is_free or known.is_approved or _tool_of(name) in allowed:
            found.append(Tool(name, enabled=True, why="it is built in", size=size))
        else:
            found.append(Tool(name, enabled=False, why="it needs an approval, and nobody can give it", size=size))
    return (*found, *servers.tools(known.servers, is_approved=known.is_approved))


def _tool_of(named: str) -> str:
    """``read_file``, ``read_file(x)`` and ``ReadFileTool`` name one tool (wire: tools-core)."""
    return named.partition("(")[0].removesuffix("Tool").replace("_", "").lower()


def _built_in(known: Known) -> dict[str, int]:
    """The tools that a model can have, with the sizes of their definitions (surfaces: model-gemini-3)."""
    facts = known.facts
    found = {**facts.tools, **facts.tools_of_yolo}
    for beginning, others in facts.other_tools.items():
        if known.model.startswith(beginning):
            found = {name: size for name, size in {**found, **others}.items() if name not in facts.no_tools[beginning]}
    own = [each.name for each in known.skills.values() if each.name not in facts.built_in_skills]
    # It names each skill in its description and among the values of its parameter (surfaces: skill-activated).
    found[SKILLS] += sum(json_size(f", '{name}'") + json_size(name) + len(',""') for name in own)
    return found
