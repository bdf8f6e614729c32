"""What Gemini CLI knows beside context files: extensions, skills, sub-agents, servers, and its tools."""

from __future__ import annotations

from promptls.core.model import Tool
from promptls.core.values import dataclass
from promptls.harnesses.gemini_cli import agents, commands, servers, skills
from promptls.harnesses.gemini_cli.extensions import read_extensions
from promptls.harnesses.gemini_cli.versions import ROWS
from promptls.harnesses.versions import row

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


@dataclass(frozen=True, slots=True)
class Known:
    """What is there beside context files. ``is_approved``: every call of a tool is."""

    facts: Facts
    system: System
    extensions: list[Extension]
    skills: dict[str, Skill]
    agents: dict[str, Agent]
    commands: dict[str, Command]
    servers: list[Server]
    is_approved: bool


def read_known(search: Search, chosen: Sequence[str], model: str | None, *, is_approved: bool) -> Known:
    """All of it. ``chosen`` are the extensions that the command line names, if it does."""
    facts = row(ROWS, search.draft.session.version)
    system = next(each for name, each in facts.systems.items() if (model or "").startswith(name))
    extensions = read_extensions(search, chosen)
    servers.hook_candidates(search)
    return Known(
        facts,
        system,
        extensions,
        skills.find(search, extensions, facts),
        agents.find(search, extensions, facts),
        commands.find(search, extensions),
        servers.find(search, extensions),
        is_approved,
    )


def tools(search: Search, known: Known) -> tuple[Tool, ...]:
    """Every tool; without approval, those that change something are not there (surfaces: skills-directories)."""
    excluded = {each.text: each.origin for each in search.settings.all_strings("tools.exclude")}
    found: list[Tool] = []
    for name, size in {**known.facts.tools, **known.facts.tools_of_yolo}.items():
        is_free = name in known.facts.tools
        if name in excluded:
            found.append(Tool(name, enabled=False, why="tools.exclude names it", size=size, origin=excluded[name]))
        elif is_free or known.is_approved:
            found.append(Tool(name, enabled=True, why="it is built in", size=size))
        else:
            found.append(Tool(name, enabled=False, why="it needs an approval, and nobody can give it", size=size))
    return (*found, *servers.tools(known.servers, is_approved=known.is_approved))
