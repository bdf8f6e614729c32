"""The tools of Copilot CLI: those that a request has, and how large their definitions are (surfaces, Agents)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.kit.json_size import json_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from promptls.harnesses.copilot_cli.agents import Agent
    from promptls.harnesses.copilot_cli.versions import Facts

SHELL = ("bash", "read_bash", "stop_bash", "list_bash")
# Tools that come with another one (captured: agents with tools).
_WITH = {
    "bash": SHELL,
    "task": ("task", "read_agent", "list_agents", "write_agent"),
    "edit": ("edit", "create"),
}
# Other names, in any letter case (captured: agents with tools; documentation: custom agents configuration).
_MEANS = {
    **dict.fromkeys(("execute", "shell"), _WITH["bash"]),
    "read": ("view",),
    **dict.fromkeys(("multiedit", "write", "notebookedit"), _WITH["edit"]),
    "search": ("grep", "glob"),
    **dict.fromkeys(("agent", "custom-agent"), _WITH["task"]),
    **dict.fromkeys(("todo", "todowrite"), ("update_todo",)),
    **_WITH,
    # Names of VS Code; all others of its have no effect (captured: agents with each of them).
    "execute/runinterminal": SHELL,
    "read/readfile": ("view",),
    "edit/editfiles": ("edit",),
    **dict.fromkeys(("edit/createfile", "edit/createdirectory"), ("create",)),
    "search/codebase": ("grep", "glob"),
    "search/filesearch": ("glob",),
    "search/textsearch": ("grep",),
    "agent/runsubagent": _WITH["task"],
}
# What an agent of the session's keeps, whatever it names; one that is started does not (captured: agents with tools).
KEPT = ("skill", "sql")
EVERY = "*"


def named(agent: Agent | None, *, is_started: bool) -> frozenset[str] | None:
    """The tools that an agent's front matter leaves; None for all."""
    if agent is None or agent.tools is None or EVERY in agent.tools:
        return None
    words = [word.lower() for word in agent.tools]
    found = [tool for word in words for tool in _MEANS.get(word, (word,))]
    return frozenset(found if is_started else (*found, *KEPT))


def left(
    facts: Facts, agent: Agent | None, only: Collection[str], without: Collection[str], *, is_started: bool
) -> frozenset[str] | None:
    """The tools that an agent, ``--available-tools`` and ``--excluded-tools`` leave; None for all.

    The options take each tool by its own name (surfaces: available-tools, excluded-tools).
    """
    found = named(agent, is_started=is_started)
    if not only and not without:
        return found
    every = {*facts.tools, *facts.tools_of_agents} if found is None else found
    return frozenset(each for each in every if (not only or each in only) and each not in without)


def offered(
    facts: Facts,
    agents: Mapping[str, Agent],
    agent: Agent | None,
    left: frozenset[str] | None,
    *,
    is_started: bool,
) -> tuple[Tool, ...]:
    """The tools of a request; ``agent`` is the one of a file that makes it. ``is_started``: by the tool task."""
    sizes = dict(facts.tools)
    if agent is not None:
        sizes |= facts.tools_of_agents
    if is_started:
        sizes |= facts.tools_started if agent is not None else {**facts.tools_started, **facts.tools_of_general}
    sizes["task"] += _listed(facts, agents)
    of_agent = named(agent, is_started=is_started)
    found = []
    for name, size in sizes.items():
        is_on = left is None or name in left
        is_of_agent = agent is not None and of_agent is not None and name not in of_agent
        why = "the tools of the agent leave it out" if is_of_agent else "an option leaves it out"
        origin = agent.tools_origin if agent and is_of_agent else COMPUTED
        found.append(Tool(name, is_on, "it is built in" if is_on else why, size=size, origin=origin))
    return tuple(found)


def _listed(facts: Facts, agents: Mapping[str, Agent]) -> int:
    """What own agents add to the definition of the tool task: rows below a heading, and the values of a parameter."""
    listed = [each for each in agents.values() if each.is_listed]
    rows = "\n\n".join(f"- **{each.name}**: {each.description}" for each in listed)
    values = sum(json_size(each.name) + len('"",') for each in listed)
    return facts.own_agents + json_size(f"\n{rows}") + values if listed else 0
