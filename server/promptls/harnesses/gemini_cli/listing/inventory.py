"""What Gemini CLI knows beside context files: extensions, skills, sub-agents, servers, and its tools."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Tool
from promptls.core.values import dataclass
from promptls.harnesses.gemini_cli.files.places import DEFAULT_NAME, INDEX, project_slug
from promptls.harnesses.gemini_cli.listing import agents, commands, servers, skills
from promptls.harnesses.gemini_cli.listing.extensions import read_extensions
from promptls.harnesses.gemini_cli.settings import home_of
from promptls.harnesses.gemini_cli.versions import NOT_MODELLED, ROWS
from promptls.kit.base import json_size
from promptls.kit.candidates import not_modelled
from promptls.kit.paths import first_above, join, native, relative
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.model import Session
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.agents import Agent
    from promptls.harnesses.gemini_cli.listing.commands import Command
    from promptls.harnesses.gemini_cli.listing.extensions import Extension
    from promptls.harnesses.gemini_cli.listing.servers import Server
    from promptls.harnesses.gemini_cli.versions import Facts, System
    from promptls.kit.named import Named

# The tool that names every skill.
SKILLS = "activate_skill"
# The tool that starts a sub-agent, the ones that begin and end plan mode, and those that change files.
AGENT_TOOL = "invoke_agent"
ENTER_PLAN, LEAVE_PLAN = "enter_plan_mode", "exit_plan_mode"
# The tool that names topics.
TOPICS = "update_topic"
# Tools that a setting switches off, unless it is true.
SWITCHES = {TOPICS: "general.topicUpdateNarration", ENTER_PLAN: "general.plan.enabled"}
# Modes in which plan mode can be begun.
EDITS = ("default", "auto_edit")
CHANGING = ("replace", "write_file")
# The tool that ends a sub-agent.
COMPLETE = "complete_task"
# The tool that asks the user.
ASKING = "ask_user"
PRINTING = frozenset(("-p", "--prompt"))
MODES = ("default", "auto_edit", "yolo", "plan")


@dataclass(frozen=True, slots=True)
class Places:
    """Lengths of the paths that the program's own text names, and whether the folder is in a git repository.

    ``files``: of the sentence that names the context files, without that of the default name alone;
    ``memory``: of the project's private file; ``global_``: of the global one; ``plans``: from the folder;
    ``plan_name``: of what differs from folder to folder in the whole path of plans, which tools name.
    """

    files: int
    memory: int
    global_: int
    plans: int
    plan_name: int
    is_git: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """What is there beside context files. ``model``: what it really is.

    ``is_interactive``: somebody can be asked, on the screen or ``in_editor``. ``mode``: ``default``, ``auto_edit``,
    ``yolo`` or ``plan``.
    ``places``: what the program's own text says of the folder.
    """

    facts: Facts
    system: System
    extensions: list[Extension]
    skills: dict[str, Named]
    agents: dict[str, Agent]
    commands: dict[str, Command]
    servers: list[Server]
    is_interactive: bool
    mode: str
    model: str
    places: Places
    in_editor: bool = False
    # Tools of servers that the command line allows, by the names that are sent.
    allowed: frozenset[str] = frozenset()
    # Tools of the program's own that settings switch off: what is said of them is not sent either.
    off: frozenset[str] = frozenset()
    # Whether the program's own text is one whose size was counted.
    is_counted: bool = True

    @property
    def is_approved(self) -> bool:
        """Whether every call of a tool is approved, or somebody can be asked."""
        return self.mode == "yolo" or self.is_interactive

    def own(self) -> tuple[int | None, int | None]:
        """The sizes of the program's own text before and after sub-agents and skills; None where nobody knows."""
        system, start = self.system, (self.is_interactive, self.mode)
        # Without skills it does not say what to do with one (captured: skills-off).
        less = 0 if self.skills else self.facts.skills_note
        if not self.is_counted:
            return None, None
        if start in system.further:
            base, rest = system.further[start]
        elif self.is_interactive or self.mode == "plan":
            return None, None
        else:
            base, rest = system.base, system.rest
        if TOPICS in self.off:
            base, rest = base + system.no_topics[self.is_interactive], rest + system.no_topics[-1]
        if ENTER_PLAN in self.off and self.mode in EDITS:
            rest += system.no_plan[self.is_interactive]
        return self.with_names(base) - less, self.with_places(rest, on_screen=self.is_interactive)

    def with_names(self, base: int) -> int:
        """The size of what the system prompt begins with for these names of context files."""
        return base + (self.places.files if self.system.names_files else 0)

    def with_places(self, rest: int, *, on_screen: bool) -> int:
        """The size of the rest of the system prompt in this folder (seen by verify)."""
        system, places = self.system, self.places
        named = places.memory + system.global_places * places.global_
        if self.mode == "plan":
            named += system.plan_places * places.plans
        return rest + named - (0 if places.is_git else system.git[on_screen])


def is_attended(session: Session) -> bool:
    """Whether the last process is the program on the screen, or one that an editor runs.

    Without a command line of its own, a session is taken up by a run that prints (captured: compact-resume; with one
    seen by verify).
    """
    last = next((turn for turn in reversed(session.turns) if turn.resumes), None)
    prints = last is not None and (last.args is None or not PRINTING.isdisjoint(last.args))
    return (session.interactive or session.editor) is True and not prints


def read_inventory(
    search: Search,
    chosen: Sequence[str],
    model: str | None,
    *,
    mode: str,
    chosen_servers: Sequence[str] | None = None,
    allowed: frozenset[str] = frozenset(),
) -> Inventory:
    """All of it. The command line names the extensions ``chosen`` and the servers ``chosen_servers``, if it does."""
    session = search.draft.session
    facts = row(ROWS, session.version)
    asked = facts.aliases.get(model or "", model or "")
    system = next(each for name, each in facts.systems.items() if asked.startswith(name))
    extensions = read_extensions(search, chosen)
    servers.hook_candidates(search)
    unusual = [each for each in NOT_MODELLED if search.settings.is_true(each, default=False)]
    search.draft.candidates += map(not_modelled, unusual)
    return Inventory(
        facts,
        system,
        extensions,
        skills.find(search, extensions, facts),
        agents.find(search, extensions, facts),
        commands.find(search, extensions),
        servers.find(search, extensions, chosen_servers),
        is_attended(session),
        mode,
        asked,
        _places(search, facts),
        session.editor is True,
        allowed,
        frozenset(name for name, key in SWITCHES.items() if not search.settings.is_true(key, default=True)),
        not unusual,
    )


def _places(search: Search, facts: Facts) -> Places:
    """Memory and plans are below the home directory, in a folder of the project's name."""
    project = project_slug(search.host, search.directory, search.cwd)
    private = join(search.directory, "tmp", project)
    names = [f"`{each.text}`" for each in search.names]
    listed = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return Places(
        files=len(listed) - len(f"`{DEFAULT_NAME}`"),
        memory=len(native(join(private, "memory", INDEX))),
        global_=len(native(join(search.directory, search.names[0].text))),
        plans=len(relative(join(private, "0" * facts.plan_session, "plans"), search.cwd)),
        plan_name=len(native(home_of(search.host))) + len(project),
        is_git=first_above(search.host, search.cwd, ".git") is not None,
    )


def tools(search: Search, inventory: Inventory, *, of_agent: bool = False) -> tuple[Tool, ...]:
    """Every tool; those that need an approval that nobody can give are not there (parts: skills-directories).

    ``tools.core`` leaves those that it names, ``tools.allowed`` and ``--allowed-tools`` add some; all approve of them
    (wire: tools-core; seen by verify).
    """
    excluded = {each.text: each.origin for each in search.settings.all_strings("tools.exclude")}
    core = search.settings.strings("tools.core")
    named = {each.text for each in (*(core or ()), *(search.settings.strings("tools.allowed") or ()))}
    named |= inventory.allowed
    allowed = {_tool_of(each) for each in named}
    added = inventory.facts.tools_by_start[inventory.is_interactive, inventory.mode]
    found: list[Tool] = []
    denied = set() if inventory.is_approved else {LEAVE_PLAN}
    for name, size in _built_in(inventory, of_agent=of_agent).items():
        is_free = name in inventory.facts.tools or name == LEAVE_PLAN
        if name in inventory.off:
            found.append(Tool(name, enabled=False, why=f"{SWITCHES[name]} is false", size=size))
        elif name in excluded:
            found.append(Tool(name, enabled=False, why="tools.exclude names it", size=size, origin=excluded[name]))
        elif core is not None and _tool_of(name) not in {_tool_of(each.text) for each in core}:
            origin = core[0].origin if core else COMPUTED
            found.append(Tool(name, enabled=False, why="tools.core does not name it", size=size, origin=origin))
        elif is_free or name in added or _tool_of(name) in allowed:
            found.append(Tool(name, enabled=True, why="it is built in", size=size))
        else:
            why = "nobody can be asked" if name == ASKING else servers.NEEDS_APPROVAL
            found.append(Tool(name, enabled=False, why=why, size=size))
            denied.add(name)
    if any(each.answer is not None for each in inventory.servers):
        rights = servers.Rights(excluded, named, denied, is_approved=inventory.is_approved)
        found += servers.known_tools(inventory.servers, inventory.facts, rights)
    return (*found, *servers.tools(inventory.servers, is_approved=inventory.is_approved))


def tools_of_agent(search: Search, inventory: Inventory, agent: Agent) -> tuple[Tool, ...]:
    """The tools of a sub-agent: those of the session, or those that it names, and the one that ends it (later, B)."""
    facts, built_in = inventory.facts, inventory.facts.built_in_agents.get(agent.name) if agent.body is None else None
    wanted = agent.tools if built_in is None else built_in.tools
    # One that names its own model gets the definitions for it (seen by verify).
    offered = tools(search, inventory, of_agent=built_in is None or built_in.is_main)
    found = [each for each in offered if each.enabled and each.name not in facts.tools_of_main]
    if wanted is not None:
        by_name = {each.name: each for each in found}
        found = [by_name[name] for name in dict.fromkeys(wanted) if name in by_name]
    further = dict((built_in.further if built_in else None) or {})
    further[COMPLETE] = built_in.complete if built_in else facts.complete
    return (*found, *(Tool(name, enabled=True, why="sub-agents have it", size=size) for name, size in further.items()))


def _tool_of(named: str) -> str:
    """``read_file``, ``read_file(x)`` and ``ReadFileTool`` name one tool (wire: tools-core)."""
    return named.partition("(")[0].removesuffix("Tool").replace("_", "").lower()


def _built_in(inventory: Inventory, *, of_agent: bool = False) -> dict[str, int]:
    """The tools that a model can have, with the sizes of their definitions (parts: model-gemini-3).

    A sub-agent gets the definitions that no model has others for (captured: subagent-gemini3).
    """
    facts = inventory.facts
    found = {**facts.tools, **facts.tools_of_yolo, **(facts.tools_of_screen if inventory.is_interactive else {})}
    for beginning, others in facts.other_tools.items():
        if inventory.model.startswith(beginning):
            sizes = found if of_agent else {**found, **others}
            found = {name: size for name, size in sizes.items() if name not in facts.no_tools[beginning]}
    if inventory.in_editor:
        found.pop(ASKING)
    if inventory.mode == "plan":
        note = facts.plan_note + inventory.places.plan_name
        found = {name: size + note * (name in CHANGING) for name, size in found.items()}
        found[LEAVE_PLAN] = facts.leaves_plan
    if inventory.mode == "plan" or (inventory.is_interactive and inventory.mode == "yolo"):
        del found[ENTER_PLAN]
    names = [each.name for each in inventory.skills.values()]
    found[SKILLS] += _named(each for each in names if each not in facts.built_in_skills)
    found[SKILLS] -= (
        _named(each for each in facts.built_in_skills if each not in names) if names else facts.skills_named
    )
    return found


def _named(skills: Iterable[str]) -> int:
    """Each is named in the tool's description and among the values of its parameter (parts: skill-activated)."""
    return sum(json_size(f", '{each}'{each}") + len(',""') for each in skills)
