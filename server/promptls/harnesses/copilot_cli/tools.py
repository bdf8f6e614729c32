"""The tools of Copilot CLI: those that a request has, and how large their definitions are (surfaces, Agents)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.harnesses.shared.json_size import json_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.harnesses.copilot_cli.agents import Agent
    from promptls.harnesses.copilot_cli.versions import Facts

# Tools that come with another one (captured: agents with tools).
_WITH = {
    "bash": ("bash", "read_bash", "stop_bash", "list_bash"),
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


def offered(facts: Facts, agents: Mapping[str, Agent], agent: Agent | None, *, is_started: bool) -> tuple[Tool, ...]:
    """The tools of a request; ``agent`` is the one of a file that makes it. ``is_started``: by the tool task."""
    sizes = dict(facts.tools)
    if agent is not None:
        sizes |= facts.tools_of_agents
    if is_started:
        sizes |= facts.tools_started if agent is not None else {**facts.tools_started, **facts.tools_of_general}
    sizes["task"] += _listed(facts, agents)
    left = named(agent, is_started=is_started)
    found = []
    for name, size in sizes.items():
        is_on = left is None or name in left
        why = "it is built in" if is_on else "the tools of the agent leave it out"
        found.append(Tool(name, is_on, why, size=size, origin=agent.tools_origin if agent and not is_on else COMPUTED))
    return tuple(found)


def _listed(facts: Facts, agents: Mapping[str, Agent]) -> int:
    """What own agents add to the definition of the tool task: rows below a heading, and the values of a parameter."""
    listed = [each for each in agents.values() if each.is_listed]
    rows = "\n\n".join(f"- **{each.name}**: {each.description}" for each in listed)
    values = sum(json_size(each.name) + len('"",') for each in listed)
    return facts.own_agents + json_size(f"\n{rows}") + values if listed else 0
