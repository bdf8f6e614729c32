"""Copilot CLI: everything at start is in the system message, and viewing a file adds a user message.

Numbers named here are those of the sections of the harness specification.
"""

from __future__ import annotations

from itertools import dropwhile

from promptls.core.later import no_mode
from promptls.core.model import COMPUTED, USED, Origin
from promptls.core.values import dataclass, replace
from promptls.harnesses.copilot_cli.conversation import Conversation
from promptls.harnesses.copilot_cli.files.blocks import WHY_DOT_CLAUDE, file_blocks, joined
from promptls.harnesses.copilot_cli.files.imports import mentions
from promptls.harnesses.copilot_cli.listing import agents, servers, skills, tools
from promptls.harnesses.copilot_cli.listing.tools import Start
from promptls.harnesses.copilot_cli.search import (
    AGENTS,
    COPILOT,
    DOT_CLAUDE,
    INSTRUCTIONS,
    NESTED,
    OFF,
    RULES,
    Search,
    name_not_read,
)
from promptls.harnesses.copilot_cli.settings import read_settings
from promptls.harnesses.copilot_cli.spec import SPEC
from promptls.harnesses.copilot_cli.system import Own
from promptls.harnesses.copilot_cli.versions import ROWS
from promptls.kit import args
from promptls.kit import tool_calls as calls
from promptls.kit.base import described
from promptls.kit.candidates import Rule, not_modelled
from promptls.kit.draft import Draft
from promptls.kit.paths import first_above, join, resolve
from promptls.kit.segments import tail
from promptls.kit.versions import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptls.core.host import Host
    from promptls.core.model import Call, Candidate, Prompt, Session
    from promptls.harnesses.copilot_cli.listing.agents import Agent
    from promptls.harnesses.copilot_cli.listing.plugins import Plugin
    from promptls.harnesses.copilot_cli.settings import Settings
    from promptls.harnesses.copilot_cli.versions import Facts

# Names that one might expect, and that are not read (1).
NOT_READ = (
    "AGENTS.override.md",
    "AGENT.md",
    ".github/AGENTS.md",
    ".agents/AGENTS.md",
    "CLAUDE.local.md",
    "copilot-instructions.md",
    ".copilot/copilot-instructions.md",
    ".cursor/rules",
    ".cursorrules",
)
NOT_READ_AT_HOME = (".claude/CLAUDE.md", RULES, COPILOT)

WHY_NOT_BETWEEN = "between the git root and the working directory, Copilot CLI reads no instructions files and no rules"


def preview(session: Session, host: Host) -> Prompt:
    """The prompt of Copilot CLI for a session."""
    draft = Draft(session)
    command = args.read(session.args, values=VALUES, switches=(*SWITCHES, *NOT_MODELLED, OFF), greedy=GREEDY)
    cwd = host.realpath(session.cwd)
    top = first_above(host, cwd, ".git")
    search = Search(draft, host, cwd, top or cwd, OFF in command.switches, is_repository=top is not None)
    facts = row(ROWS, session.version)
    added = [host.realpath(resolve(cwd, each)) for each in command.values.get("add-dir", [])]
    of_plugins = _plugins(search, command)
    settings = read_settings(search)
    found = settings.without(search, skills.find(search, added, of_plugins, facts))
    own_agents = agents.find(search, added, of_plugins, facts)
    trusted = servers.is_trusted(search)
    hooks = servers.hooks(search, trusted=trusted)
    started = _started_agent(draft, own_agents, facts)
    asked = session.agent or command.last("agent")
    chosen = agents.called(own_agents, asked) if started is None else None
    is_general = started is not None and started.name == facts.general_agent
    parts = facts.main if started is None else facts.general if is_general else facts.agent
    agent = started.agent if started is not None else chosen
    named, without = (_names(command, option) for option in ("available-tools", "excluded-tools"))
    built_in = facts.built_in_agents.get(started.name) if started and not started.agent else None
    named += built_in.tools if built_in else ()
    left = tools.left(facts, agent, named, without, is_started=started is not None)
    start = _start(draft, command, settings, is_general=is_general, has_skills=bool(found))
    model = session.model or command.last("model") or host.env.get("COPILOT_MODEL") or settings.model
    offered = tools.offered(facts, own_agents, agent, left, model, is_started=started is not None, start=start)
    there = [each.name for each in offered if each.enabled]
    own_part = Own(search, facts, parts, found, start, added, there, model)
    blocks, scoped = file_blocks(search, facts)
    if started is not None and not is_general:
        _not_for_agents(draft, started.name)
        draft.add_message("system", own_part.of_started(started.agent, started.name), index=0)
    else:
        end = own_part.end_of_general() if started is not None else own_part.after(chosen)
        joint = [tail("\n\n")] if blocks or started is None else []
        draft.add_message("system", [*own_part.before(), *joint, *joined(blocks), *end], index=0)
    if "task" in there:
        definition = agents.definition(own_agents, facts, is_of_agent=started is not None)
        draft.add_message("tools", definition, index=0, block=1)
    only = there if left is not None else None
    conversation = Conversation(search, facts, found, hooks, scoped, start, only)
    if started is not None:
        conversation.write_started(started.prompt, started.agent, started.steps)
    else:
        conversation.write(_typed(session, command))
    _name_options(search, command, settings, facts, has_agent=bool(started or chosen))
    of_agent = (agent.tools, agent.servers, agent.origin) if agent is not None else (None, None, COMPUTED)
    allowed = servers.OfServers(of_agent[0], frozenset(named), frozenset(without), is_built_in=built_in is not None)
    of_servers = servers.server_tools(search, servers.find(search, command, *of_agent[1:], trusted=trusted), allowed)
    return draft.prompt(model=model, agent=asked if started or chosen else None, tools=(*offered, *of_servers))


def _plugins(search: Search, command: args.Arguments) -> list[Plugin]:
    named = command.values.get("plugin-dir", [])
    if not named:
        return []
    from promptls.harnesses.copilot_cli.listing import plugins  # noqa: PLC0415 - few sessions have any

    return plugins.find(search, named)


def _names(command: args.Arguments, option: str) -> list[str]:
    """The names in the values of an option, with commas between them."""
    return [each.strip() for value in command.values.get(option, ()) for each in value.split(",") if each.strip()]


def _typed(session: Session, command: args.Arguments) -> str | None:
    """What the user types; None if it is not known."""
    prompt = session.turns[0].prompt if session.turns else None
    return prompt if prompt is not None else command.last("prompt")


@dataclass(frozen=True, slots=True)
class StartedAgent:
    """The sub-agent whose request is the last one; ``agent`` is None for one that is there without a file."""

    name: str
    agent: Agent | None
    prompt: str
    steps: tuple[tuple[Call, ...], ...]


def _not_there(asked: str, facts: Facts) -> str:
    """Copilot CLI ends where nobody has the agent that is asked for (seen: "No such agent: nope, available: rev")."""
    if asked in (facts.general_agent, *facts.built_in_agents):
        return f"What Copilot CLI sends in a main session of its own agent {asked} is not known."
    return f"There is no agent {asked} in any directory: Copilot CLI ends, unless your organization has one."


def _started_agent(draft: Draft, own_agents: Mapping[str, Agent], facts: Facts) -> StartedAgent | None:
    """The sub-agent that the last call starts, or the one that it starts last (parts: agent-task)."""
    session = draft.session
    last = session.turns[-1] if session.turns else None
    call = last.calls[-1] if last is not None and last.calls and session.request is None else None
    found: StartedAgent | None = None
    names: list[str] = []
    call = call if call is not None and calls.is_inside(call, session) else None
    if call is None or call.tool != "task":
        return None
    from promptls.kit.delegated import says_none, says_shown  # noqa: PLC0415 - few sessions start a sub-agent

    while call is not None and call.tool == "task":
        asked, prompt, steps = calls.text(call, "agent_type"), calls.text(call, "prompt"), call.steps or ()
        # By the name of its file nothing is started (seen by verify).
        agent = next((each for each in own_agents.values() if each.name == asked), None)
        if agent is None and asked not in (facts.general_agent, *facts.built_in_agents):
            instead = f"the request of {found.name}" if found is not None else "the main session"
            known = (facts.general_agent, *facts.built_in_agents, *(each.name for each in own_agents.values()))
            draft.notes.append(says_none(asked, known, instead=instead))
            return found
        is_own = agent is not None and asked != facts.general_agent
        found = StartedAgent(
            agent.name if agent is not None and is_own else asked, agent if is_own else None, prompt, steps
        )
        names.append(found.name)
        inner = steps[-1][-1] if steps and steps[-1] else None
        call = inner if inner is not None and inner.steps is not None else None
    if found is not None:
        draft.notes.append(says_shown(names, has_done=bool(found.steps)))
    return found


def _start(draft: Draft, command: args.Arguments, settings: Settings, *, is_general: bool, has_skills: bool) -> Start:
    """How it was started; a session that is taken up has a prompt to answer (captured: compact-resume)."""
    session = draft.session
    draft.notes += no_mode(session, SPEC, "interactive")
    last = next((turn for turn in reversed(session.turns) if turn.resumes), None)
    # Without a command line of its own it is taken up by a run that prints (captured: compact-resume).
    prints = last is not None and (last.args is None or not {"-p", "--prompt"}.isdisjoint(last.args))
    by_switch = next((mode for mode in (tools.PLAN, tools.AUTOPILOT) if f"--{mode}" in command.switches), "")
    by_option = command.last("mode") or by_switch
    # Typed on the screen, it holds from then on (seen by verify).
    is_interactive = session.interactive is True and not prints
    typed = is_interactive and any((turn.prompt or "").startswith(tools.TYPED_PLAN) for turn in session.turns)
    by_setting = settings.mode if is_interactive else ""
    mode = session.mode or by_option or (tools.PLAN if typed else by_setting)
    # Before anything is said, it is refused (seen by verify).
    said = dropwhile(lambda turn: turn.compact is not None, session.turns[: None if not session.request else -1])
    compactions = sum(turn.compact is not None for turn in said)
    return Start(
        is_interactive,
        session.editor is True,
        mode if mode in (tools.PLAN, tools.AUTOPILOT) else "",
        is_general,
        compactions,
        # Nobody is asked over the protocol of an editor (seen by verify).
        asks=settings.asks and NO_QUESTIONS not in command.switches and not session.editor,
        names_author=settings.names_author,
        has_skills=has_skills,
    )


def _not_for_agents(draft: Draft, name: str) -> None:
    """Only the agent for everything gets the user's instruction files at start (later, B, 1)."""
    for at, each in enumerate(draft.candidates):
        if each.use == "instruction" and each.outcome in USED:
            reason = f"the agent {name} gets no instruction files at start"
            draft.candidates[at] = replace(each, outcome="unscoped", reason=reason)


# -- the command line, and files that are not read -----------------------------------------------------------------

VALUES = {
    "--model": "model",
    "--agent": "agent",
    "--add-dir": "add-dir",
    "--plugin-dir": "plugin-dir",
    "--additional-mcp-config": "mcp",
    "--disable-mcp-server": "disabled",
    "--available-tools": "available-tools",
    "--excluded-tools": "excluded-tools",
    "--reasoning-effort": "effort",
    "--mode": "mode",
    "--max-ai-credits": "credits",
    **dict.fromkeys(("-p", "--prompt", "-i", "--interactive"), "prompt"),
    # None of these changes a request (seen by verify).
    **dict.fromkeys(
        (
            *("--allow-tool", "--deny-tool", "--allow-url", "--deny-url", "--secret-env-vars", "--log-dir"),
            *("--log-level", "--context", "--name", "-n", "--session-id", "--stream", "--output-format"),
            *("--add-github-mcp-toolset", "--add-github-mcp-tool", "--max-autopilot-continues", "--enable-mcp-server"),
            *("--bash-env", "--mouse", "--dynamic-retrieval", "--usage-output-file"),
        ),
        "other",
    ),
}
GREEDY = ("add-dir", "available-tools", "excluded-tools")
NO_QUESTIONS, EXPERIMENTAL = "--no-ask-user", "--experimental"
# They change the request, and promptls does not say how (seen by verify).
NOT_MODELLED, ENV_NOT_MODELLED = ("--fleet",), ("COPILOT_PLAN_THEN_AUTOPILOT",)
SWITCHES = (
    *("--plan", "--autopilot", NO_QUESTIONS, EXPERIMENTAL),
    # None of these changes a request (seen by verify).
    *("--allow-all-tools", "--allow-all-paths", "--allow-all", "--allow-all-urls", "--yolo", "--no-color", "--banner"),
    *("-s", "--silent", "--trust-folder", "--disable-client-telemetry", "--enable-memory", "--disallow-temp-dir"),
    *("--screen-reader", "--plain-diff", "--disable-builtin-mcps", "--enable-all-github-mcp-tools"),
    *(
        "--no-experimental",
        "--allow-all-mcp-server-instructions",
        "--remote",
        "--remote-export",
        "--no-remote",
        "--no-remote-export",
    ),
    *("--assisted-approval", "--no-auto-update", "--no-bash-env", "--no-mouse"),
)


def _name_options(
    search: Search, command: args.Arguments, settings: Settings, facts: Facts, *, has_agent: bool
) -> None:
    """Options, variables and files that have no effect, and those that promptls does not model."""
    draft, host, cwd = search.draft, search.host, search.cwd
    for place in command.values.get("add-dir", []):
        for kind in (*NESTED, INSTRUCTIONS, RULES):
            path = join(resolve(cwd, place), kind)
            if host.kind(path) is not None:
                why = "--add-dir loads no instruction file of the directory, also not when a file there is viewed"
                draft.candidates.append(_excluded(why, "--add-dir", path))
    typed = _typed(draft.session, command)
    for prompt in [typed] if typed is not None else []:
        for mention in mentions(prompt):
            why = "@file in the prompt adds neither its text nor instructions for it"
            draft.candidates.append(_excluded(why, f"@{mention.target}", resolve(cwd, mention.target)))
    agent = draft.session.agent or command.last("agent")
    if agent and not has_agent:
        draft.candidates.append(_excluded("Copilot CLI finds no agent of this name", f"--agent {agent}"))
        draft.notes.append(_not_there(agent, facts))
    if command.last("effort"):
        # (seen by verify)
        why = "--reasoning-effort sets a parameter of the request and changes no text"
        draft.candidates.append(_excluded(why, "--reasoning-effort"))
    is_experimental = settings.is_experimental or EXPERIMENTAL in command.switches
    named = [option for option in NOT_MODELLED if option in command.switches]
    named += ["--max-ai-credits"] if "credits" in command.values else []
    # It changes only what is on the screen (seen by verify).
    named += [EXPERIMENTAL] if is_experimental and draft.session.interactive else []
    named += [variable for variable in ENV_NOT_MODELLED if host.env.get(variable)]
    for option in (*named, *command.unknown):
        draft.candidates.append(not_modelled(option))
    if host.env.get("XDG_CONFIG_HOME"):
        why = "XDG_CONFIG_HOME has no effect on Copilot CLI"
        draft.candidates.append(_excluded(why, "XDG_CONFIG_HOME"))
    _name_not_read(search)


def _excluded(why: str, option: str, path: str | None = None) -> Candidate:
    return Rule(why, Origin("argument", name=option)).excluded(path)


def _name_not_read(search: Search) -> None:
    """Files where one might expect Copilot CLI to look (1)."""
    for place in search.directories:
        for kind in NOT_READ:
            name_not_read(search, join(place, kind), "Copilot CLI does not read it")
        name_not_read(search, join(place, DOT_CLAUDE), WHY_DOT_CLAUDE)
    for place in search.between:
        for kind in (INSTRUCTIONS, RULES):
            name_not_read(search, join(place, kind), WHY_NOT_BETWEEN)
    for path in (join(search.home, AGENTS), join(search.home, "rules")):
        name_not_read(search, path, "Copilot CLI does not read it")
    for kind in NOT_READ_AT_HOME:
        name_not_read(search, join(search.host.home, kind), "Copilot CLI does not read it in the home directory")
    usual = join(search.host.home, ".copilot")
    if search.home != usual:
        for kind in ("copilot-instructions.md", "instructions"):
            name_not_read(search, join(usual, kind), "COPILOT_HOME names another directory in its place")


HARNESS = described(
    SPEC,
    ROWS,
    preview=preview,
    loads=(
        "Name and description of skills in .github, .agents and .claude from the working directory up to the git root",
        "Those of plugins (--plugin-dir), ~/.copilot/skills and ~/.agents/skills, and the files of .claude/commands",
        "In the definition of the tool task: agents of .github/agents, .claude/agents, ~/.copilot/agents and plugins",
        "~/.copilot/copilot-instructions.md",
        ".github/copilot-instructions.md of the git root, then of the working directory",
        "AGENTS.md, CLAUDE.md and GEMINI.md of both; the first two with what @path imports",
        "These, .github/copilot-instructions.md and .claude/CLAUDE.md of what lies between, with imports, too",
        "*.instructions.md of ~/.copilot/instructions, then these and .claude/rules of both: without a path pattern",
        "The same of each directory in COPILOT_CUSTOM_INSTRUCTIONS_DIRS, then all other *.instructions.md below it",
        "The same with a path pattern, and AGENTS.md of COPILOT_CUSTOM_INSTRUCTIONS_DIRS: only a row of a table",
        "On view: *.instructions.md and .claude/rules whose pattern matches the file",
        "On view: all these kinds from the file's directory up",
        "On a call of the tool skill: the text of the skill; of task: the request of the agent that is started",
        "The text of hooks of ~/.copilot/hooks, and of .github/hooks where the folder is trusted, as placeholders",
    ),
)
