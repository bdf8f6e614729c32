"""The tools of Copilot CLI: those that a request has, and how large their definitions are (surfaces, Agents)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.core.values import dataclass
from promptls.harnesses.copilot_cli.versions import OfModel
from promptls.kit.base import json_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from promptls.harnesses.copilot_cli.listing.agents import Agent
    from promptls.harnesses.copilot_cli.versions import Facts

SHELL = ("bash", "read_bash", "stop_bash", "list_bash")
# Tools that come with another one (captured: agents with tools).
_BESIDE_TASK = ("read_agent", "list_agents", "write_agent")
_WITH = {
    "bash": SHELL,
    "task": ("task", *_BESIDE_TASK),
    "edit": ("create", "edit"),
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
# What takes the place of another tool where the model edits files by patches (captured: agents with tools).
RG, PATCH = "rg", "custom"
_OF_PATCHES = {"grep": RG, **dict.fromkeys(("edit", "create", "apply_patch"), PATCH)}
PLAN, AUTOPILOT = "plan", "autopilot"
TYPED_PLAN = "/plan "


@dataclass(frozen=True, slots=True)
class Start:
    """How a session is started and goes on: on the screen or in an editor, and in which mode, "" for the usual one.

    ``is_general``: its last request is that of the built-in agent for everything. ``compactions``: how many it has had.
    ``asks``: the model may ask the user. ``names_author``: it is told to name itself in commits. ``has_skills``: there
    is one to be listed; only an editor may have none (seen by verify).
    """

    is_interactive: bool = False
    in_editor: bool = False
    mode: str = ""
    is_general: bool = False
    compactions: int = 0
    asks: bool = True
    names_author: bool = True
    has_skills: bool = True

    def further_tools(self, facts: Facts) -> dict[str, int]:
        """The tools that others have not, with the sizes of their definitions (later, C)."""
        found: dict[str, int] = {}
        if self.asks and self.is_interactive:
            found["ask_user"] = facts.ask_user
        elif self.asks and self.mode == AUTOPILOT:
            found["ask_user"] = facts.ask_user_of_autopilot
        if self.mode:
            found["task_complete"] = facts.task_complete
        if self.mode == PLAN and self.is_interactive:
            found["exit_plan_mode"] = facts.exit_plan_mode
        return found

    def further_notes(self, facts: Facts) -> int:
        """The size of the notes on these tools, without the one on asking."""
        has_exit = self.mode == PLAN and self.is_interactive
        return facts.task_complete_note * bool(self.mode) + facts.exit_plan_mode_note * has_exit


EVERY = "*"


def of_model(facts: Facts, model: str | None) -> OfModel:
    """What a model changes: by its name, else by how it begins."""
    begins = (each for each in facts.models if each.endswith("*") and (model or "").startswith(each[:-1]))
    found = model if model in facts.models else max(begins, key=len, default=None)
    return facts.models[found] if found is not None else OfModel()


def named(agent: Agent | None, *, is_started: bool) -> tuple[str, ...] | None:
    """The tools that an agent's front matter leaves, in the order of the request; None for all.

    What comes with the tool task comes last (captured: agents with tools).
    """
    if agent is None or agent.tools is None or EVERY in agent.tools:
        return None
    words = [word.lower() for word in agent.tools]
    found = [tool for word in words for tool in _MEANS.get(word, (word,))]
    own = [tool for tool in found if tool in words or tool not in _BESIDE_TASK]
    return tuple(dict.fromkeys((*own, *(() if is_started else KEPT), *found)))


def left(
    facts: Facts, agent: Agent | None, only: Collection[str], without: Collection[str], *, is_started: bool
) -> tuple[str, ...] | None:
    """The tools that an agent, ``--available-tools`` and ``--excluded-tools`` leave; None for all.

    The options take each tool by its own name (parts: available-tools, excluded-tools).
    """
    found = named(agent, is_started=is_started)
    if not only and not without:
        return found
    every = (*facts.tools, *facts.tools_of_agents) if found is None else found
    return tuple(each for each in every if (not only or each in only) and each not in without)


def offered(
    facts: Facts,
    agents: Mapping[str, Agent],
    agent: Agent | None,
    left: tuple[str, ...] | None,
    model: str | None,
    *,
    is_started: bool,
    start: Start,
) -> tuple[Tool, ...]:
    """The tools of a request; ``agent`` is the one of a file that makes it. ``is_started``: by the tool task."""
    sizes = dict(facts.tools)
    if start.in_editor:
        gone = facts.not_in_editor[1:] if start.is_general else facts.not_in_editor
        sizes = {name: size for name, size in sizes.items() if name not in gone}
        sizes |= facts.tools_of_editor
    if not start.has_skills:
        del sizes["skill"]
    if not is_started:
        sizes |= start.further_tools(facts)
        if start.is_interactive:
            sizes["task"] += facts.screen_task + (json_size(model) if model is not None else facts.screen_model)
    if of_model(facts, model).patches:
        known = {**sizes, **facts.tools_of_patches}
        sizes = {name: known[name] for name in (_OF_PATCHES.get(each, each) for each in sizes)}
        left = tuple(_OF_PATCHES.get(each, each) for each in left) if left is not None else None
    if agent is not None:
        sizes |= facts.tools_of_agents
    if is_started:
        sizes |= {**facts.tools_started, **(facts.tools_of_general if start.is_general else {})}
    sizes["task"] += _listed(facts, agents)
    on = [name for name in dict.fromkeys(sizes if left is None else left) if name in sizes]
    found = [Tool(name, True, "it is built in", size=sizes[name]) for name in on]
    of_agent = named(agent, is_started=is_started)
    for name in (each for each in sizes if each not in on):
        is_of_agent = agent is not None and of_agent is not None and name not in of_agent
        why = "the tools of the agent leave it out" if is_of_agent else "an option leaves it out"
        origin = agent.tools_origin if agent and is_of_agent else COMPUTED
        found.append(Tool(name, False, why, size=sizes[name], origin=origin))
    return tuple(found)


def _listed(facts: Facts, agents: Mapping[str, Agent]) -> int:
    """What own agents add to the definition of the tool task: rows below a heading, and the values of a parameter."""
    listed = [each for each in agents.values() if each.is_listed]
    rows = "\n\n".join(f"- **{each.name}**: {each.description}" for each in listed)
    values = sum(json_size(each.name) + len('"",') for each in listed)
    return facts.own_agents + json_size(f"\n{rows}") + values if listed else 0
