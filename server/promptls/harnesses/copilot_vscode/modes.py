"""How a request is made: agent mode, ask, edit, Plan or a custom agent, and the tools of it.

(parts: mode-edit, mode-plan, agent-used, agent-without-read, mode-ask, prompt-file)
"""

from __future__ import annotations

from promptls.core.model import Origin, Tool, Turn
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_vscode.files.locations import PROMPTS, base_name, files
from promptls.harnesses.copilot_vscode.listing import skills
from promptls.harnesses.copilot_vscode.listing.agents import Agent, tool_faults, tools_of
from promptls.harnesses.copilot_vscode.parts import PROGRAM, scalar
from promptls.harnesses.copilot_vscode.settings import SKILL_TOOL
from promptls.harnesses.copilot_vscode.tasks import has_tasks
from promptls.harnesses.copilot_vscode.turns import called, counted
from promptls.harnesses.copilot_vscode.versions import Family
from promptls.kit.candidates import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.harnesses.copilot_vscode.parts import Chat
    from promptls.harnesses.copilot_vscode.versions import Facts, ToolFact

AGENT, ASK, EDIT, PLAN, CUSTOM = "agent", "ask", "edit", "plan", "custom"
BUILT_IN = (AGENT, ASK, EDIT, PLAN)
WHY_TOOL = f"{PROGRAM} offers it in agent mode"
EDITING = "edit/editFiles"


@dataclass(frozen=True, slots=True)
class Mode:
    """How the last prompt is sent. ``counted`` are the files that patterns are matched with.

    ``is_whole``: with all tools, for which the sizes of the program's texts are known. ``commands``: prompt files and
    skills by the name that calls them. ``editing``: the tools that need the text before the prompt.
    """

    kind: str
    name: str
    agent: Agent | None
    family: Family
    tools: tuple[Tool, ...]
    counted: list[str]
    commands: dict[str, str]
    is_whole: bool
    editing: frozenset[str]

    @property
    def reminders(self) -> int | None:
        """The size of the text before the prompt; without tools that edit there is none."""
        edits = [tool.enabled for tool in self.tools if tool.name in self.editing]
        return (self.family.reminders if all(edits) else None) if any(edits) else 0

    @property
    def offered(self) -> set[str]:
        """The names of the tools that are offered."""
        return {tool.name for tool in self.tools if tool.enabled}


def mode_of(chat: Chat, custom: list[Agent]) -> Mode:
    """The mode of the last prompt: the agent that a prompt file names, else that of the session."""
    session = chat.draft.session
    commands = _commands(chat)
    last = session.turns[-1] if session.turns else Turn()
    call = called(last.prompt, commands)
    matter = chat.head(call.path) if call is not None else None
    wanted = (scalar(matter, "agent") or scalar(matter, "mode") if matter is not None else "") or session.agent or AGENT
    kind = wanted.lower() if wanted.lower() in BUILT_IN else CUSTOM
    agent = next((each for each in custom if each.name == wanted), None) if kind == CUSTOM else None
    if kind == CUSTOM and agent is None:
        why = f"there is no agent {wanted}; the prompt is shown as in agent mode"
        chat.draft.candidates.append(Rule(why, Origin("argument", name=wanted), "agent").missing())
        kind, wanted = AGENT, AGENT
    asked, origin = (agent.tools, _origin(agent)) if agent is not None else (None, _origin(None))
    if matter is not None and call is not None and tools_of(matter) is not None:
        asked = tools_of(matter)
        origin = Origin("config", path=call.path, range=matter.range("tools"), name="tools")
    family = _family(chat.facts, session.model)
    if kind in (ASK, EDIT):
        tools: tuple[Tool, ...] = ()
    elif kind == PLAN:
        tools = _tools(chat, family, chat.facts.plan_tools, Origin("builtin", name="Plan"))
    else:
        tools = _tools(chat, family, asked, origin)
    is_whole = asked is None and kind in (AGENT, CUSTOM)
    editing = frozenset(each.name for each in chat.facts.tools if each.reference == EDITING)
    return Mode(kind, wanted, agent, family, tools, counted(last), commands, is_whole, editing)


def subagent_mode(chat: Chat, mode: Mode, agent: Agent | None) -> Mode:
    """The mode of a sub-agent, which gets neither the tool for sub-agents nor the one for the list of tasks.

    (parts: subagent)
    """
    asked = agent.tools if agent is not None else None
    tools = _tools(chat, mode.family, asked, _origin(agent), without=chat.facts.not_for_subagents)
    return replace(mode, kind=CUSTOM, agent=agent, tools=tools, counted=[])


def _origin(agent: Agent | None) -> Origin:
    if agent is None:
        return Origin("computed", name=WHY_TOOL)
    return Origin("config", path=agent.path, range=agent.matter.range("tools"), name="tools")


def _commands(chat: Chat) -> dict[str, str]:
    """What ``/name`` calls: prompt files, then skills that the user may call."""
    found: dict[str, str] = {}
    for path in files(chat, "prompt", PROMPTS):
        matter = chat.head(path)
        found.setdefault(scalar(matter, "name") or base_name(path) if matter is not None else base_name(path), path)
    typed = [turn.prompt for turn in chat.draft.session.turns if turn.prompt is not None]
    used = {call.path for prompt in typed if (call := called(prompt, found)) is not None}
    for name, path in found.items():
        if path not in used:
            why = f"{PROGRAM} sends it when a prompt begins with /{name}"
            rule = Rule(why, Origin("computed", name=why), "command")
            matter = chat.head(path)
            faults = tool_faults(chat, path, matter) if matter is not None else ()
            chat.draft.candidates.append(replace(rule.unscoped(path), faults=faults))
    if any(prompt.startswith("/") for prompt in typed):
        for skill in skills.found(chat.aside()):
            matter = chat.head(skill.path)
            if matter is not None and scalar(matter, "user-invocable") != "false":
                found.setdefault(skill.name, skill.path)
    return found


def _family(facts: Facts, model: str | None) -> Family:
    """What is known of a model; of none that is named, no size is."""
    if model is None:
        return Family("")
    return next(each for each in facts.families if model.startswith(each.prefix))


def _tools(
    chat: Chat, family: Family, asked: tuple[str, ...] | None, origin: Origin, *, without: tuple[str, ...] = ()
) -> tuple[Tool, ...]:
    """Every tool that the model may get; those that are not asked for are switched off."""
    sizes = dict(family.sizes)
    further = {*family.adds, *(("skill",) if chat.settings.is_on(SKILL_TOOL) else ())}
    further |= {"run_task"} if has_tasks(chat) else set()
    found: list[Tool] = []
    for each in chat.facts.tools:
        if each.name in (*family.without, *without) or not (each.is_usual or each.name in further):
            continue
        is_asked = asked is None or not each.reference or any(_names(entry, each) for entry in asked)
        why = WHY_TOOL if is_asked else "the agent or prompt file does not name it in tools"
        place = Origin("builtin", name=each.name) if asked is None else origin
        found.append(Tool(each.name, is_asked, why, sizes.get(each.name, each.size), place))
    return tuple(found)


def _names(entry: str, tool: ToolFact) -> bool:
    """Whether an entry of ``tools`` names a tool: by its set, with or without the set, or by its own name."""
    group, _, name = tool.reference.partition("/")
    return entry in ("*", tool.name, tool.reference, group, name, tool.set)
