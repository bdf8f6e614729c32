"""opencode 1.18.33: one system message, then the user's. Sections named here are those of the harness specification."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment, Turn
from promptls.core.values import replace
from promptls.harnesses.opencode import models
from promptls.harnesses.opencode.environment import base, environment, references
from promptls.harnesses.opencode.instructions import instructions
from promptls.harnesses.opencode.listing import skills, tools
from promptls.harnesses.opencode.spec import SPEC
from promptls.harnesses.opencode.start.setup import read_arguments, read_setup, stops
from promptls.harnesses.opencode.turns.conversation import answer, begun, converse, do
from promptls.harnesses.opencode.versions import NEWEST, ROWS
from promptls.kit.base import described
from promptls.kit.draft import Draft
from promptls.kit.segments import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Session, Tool
    from promptls.harnesses.opencode.listing.agents import Agent
    from promptls.harnesses.opencode.listing.commands import Called
    from promptls.harnesses.opencode.listing.skills import Skills
    from promptls.harnesses.opencode.listing.tools import OwnTool
    from promptls.harnesses.opencode.start.setup import Setup
    from promptls.harnesses.opencode.turns.messages import Conversation

SUMMARY, TASK = "summary", "task"
WHY_STARTED = "the prompt that the agent is started with"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of ``opencode run`` for a session."""
    draft = Draft(session)
    setup = read_setup(draft, host)
    found = skills.find(setup)
    called, unknown, by = _called(setup, found)
    last = called.get(max(1, len(session.turns)))
    # What the first one chooses stays on the screen; any other counts for its turn alone (seen by verify).
    begins = called.get(1) if setup.is_on_screen else last if len(session.turns) <= 1 else None
    # A mode is an agent; the last one that a turn changes to is asked.
    own_agent = session.agent or setup.command.last("agent") or session.mode
    asked = (begins.agent if begins else None) or own_agent
    # Of a sub-task, the agent that the command names is another one's (parts: command-subtask-of-agent).
    first = setup.agents.choose(draft, own_agent if begins and begins.is_subtask else asked)
    changed = next((turn.agent for turn in reversed(session.turns) if turn.agent is not None), None)
    if last and not last.is_subtask:
        changed = last.agent or changed
    agent = setup.agents.choose(draft, changed) if changed is not None else first
    model = (last.model if last else None) or (begins.model if begins else None) or _model(setup, agent)
    tasks = _started_agent(setup)
    own_tools = tools.own_tools(setup)
    if tasks:
        agent = setup.agents.get(_named(tasks[0]))
        model = agent.model or model
    setup = replace(setup, model=model)
    is_summary = session.request == SUMMARY and not tasks
    if is_summary:
        talk = converse(setup, found, set(), first.name, called)
        from promptls.harnesses.opencode.turns import compaction  # noqa: PLC0415 - rarely asked for

        compaction.send_request(talk)
        offered: tuple[Tool, ...] = ()
    else:
        _send(setup, found, agent, own_tools=own_tools, tasks=tasks, called=called, first=first.name)
        offered = tools.offered(setup, agent, own_tools, model, is_started=bool(tasks))
    stopped, stopped_by = stops(setup, asked)
    return draft.prompt(
        model=model,
        agent=agent.name,
        tools=offered,
        stopped=stopped or unknown,
        stopped_by=stopped_by if stopped else by,
    )


def _send(
    setup: Setup,
    found: Skills,
    agent: Agent,
    *,
    own_tools: list[OwnTool],
    tasks: list[Call],
    called: dict[int, Called],
    first: str,
) -> None:
    """The system message, the definitions of tools with text of the user's, and all that was said."""
    draft = setup.draft
    sent = _system(setup, found, agent, setup.model)
    for block, definition in enumerate(tools.definitions(setup, agent, own_tools, is_started=bool(tasks)), 1):
        draft.add_message("tools", definition, index=0, block=block)
    talk = _of_task(setup, found, sent, agent, tasks) if tasks else converse(setup, found, sent, first, called)
    talk.send(agent.name)


def _called(setup: Setup, found: Skills) -> tuple[dict[int, Called], str | None, Origin | None]:
    """The command that each turn calls, by its number; else why opencode ends, and what is to blame."""
    called: dict[int, Called] = {}
    for number, turn in enumerate(setup.session.turns or (Turn(),), 1):
        name, arguments = _command_of(setup, found, turn, is_first=number == 1)
        if name is None:
            continue
        from promptls.harnesses.opencode.listing import commands  # noqa: PLC0415 - few sessions call one

        command = commands.call(setup, found, name, arguments)
        if command is None:
            return called, *commands.unknown(setup, name)
        called[number] = command
    return called, None, None


def _command_of(setup: Setup, found: Skills, turn: Turn, *, is_first: bool) -> tuple[str | None, str]:
    """The command that a turn calls, None for none, and its arguments.

    On the screen and in an editor it is the first word of the first line, and any other word after a slash is a prompt
    (seen by verify); else ``--command`` names it.
    """
    if turn.compact is not None and turn.prompt is None:
        return None, ""
    if not setup.is_run:
        line, newline, further = (turn.prompt or "").partition("\n")
        word, _, words = line.partition(" ")
        known = {*setup.config.entries.commands, *setup.facts.commands, *found.by_name}
        is_command = word.startswith("/") and word[1:] in known
        return (word[1:], f"{words}{newline}{further}") if is_command else (None, "")
    if turn.args is None and not is_first:
        return None, ""
    command = setup.command if turn.args is None else read_arguments(turn.args)
    return command.last("command"), setup.words(turn, command) or ""


def _model(setup: Setup, agent: Agent) -> str | None:
    config = setup.config
    return setup.session.model or setup.command.last("model") or agent.model or config.model or config.first_model


def _started_agent(setup: Setup) -> list[Call]:
    """The tasks of the sub-agent whose request is the last one, [] where it is the session's own.

    A session that does not say which program it is has its last call start one (parts: subagent-skills); the steps
    of a call say it. A task with the number of an earlier one goes on with that (captured: subagent-resumed).
    """
    turn = setup.session.turns[-1] if setup.session.turns else None
    steps = list(turn.steps) if turn is not None else []
    tasks = _last_task(steps, is_said=setup.session.interactive is not None or not setup.is_run)
    names = [_named(each) for each in tasks]
    # A sub-agent that starts another one itself is followed to the last.
    while tasks and (inner := _last_task(list(tasks[-1].steps or ()), is_said=True)):
        if tools.may_delegate(setup, setup.agents.get(_named(tasks[-1]))):
            tasks = inner
            names.append(_named(inner[-1]))
            continue
        setup.draft.notes.append(f"The agent {_named(tasks[-1])} has no tool {TASK}, so what it starts is left out.")
        tasks = [replace(tasks[-1], steps=(tasks[-1].steps or ())[:-1])]
    if not tasks:
        return []
    from promptls.kit.delegated import says_none, says_shown  # noqa: PLC0415 - most sessions only read

    last, name = tasks[-1], _named(tasks[-1])
    if name not in setup.agents.names():
        known = [each for each in setup.agents.names() if not setup.agents.is_hidden(each)]
        setup.draft.notes.append(says_none(name, known))
        return []
    setup.draft.notes.append(says_shown(names, has_done=bool(tasks[-1].steps)))
    from promptls.kit import tool_calls as calls  # noqa: PLC0415 - most sessions only read

    if not calls.text(last, "task_id"):
        return tasks
    earlier = [call for call in setup.session.calls if call.steps is not None and call.tool == TASK][:-1]
    return [*(call for call in earlier if _named(call) == name), last]


def _named(task: Call) -> str:
    """The agent that a task is for."""
    from promptls.kit import tool_calls as calls  # noqa: PLC0415 - most sessions only read

    return calls.text(task, "subagent_type")


def _last_task(steps: list[tuple[Call, ...]], *, is_said: bool) -> list[Call]:
    last = steps[-1][-1] if steps and steps[-1] else None
    is_task = last is not None and last.tool == TASK and (last.steps is not None or not is_said)
    return [last] if is_task and last is not None else []


def _of_task(setup: Setup, found: Skills, system: set[str], agent: Agent, tasks: list[Call]) -> Conversation:
    """What is said to a sub-agent, and what it does (captured: subagent-rev, subagent-explore, subagent-both)."""
    from promptls.kit import tool_calls as calls  # noqa: PLC0415 - most sessions only read

    talk = begun(setup, found, system)
    for at, task in enumerate(tasks):
        prompt = Segment("runtime", "prompt", calls.text(task, "prompt"), Origin("argument"), WHY_STARTED)
        talk.say([[prompt]], START, agent.name)
        do(talk, task.steps or (), agent.name)
        if at + 1 < len(tasks):
            answer(talk, agent.name)
    return talk


# -- the system message, part by part (section 1) ----------------------------------------------------------------------


def _system(setup: Setup, found: Skills, agent: Agent, model: str | None) -> set[str]:
    """Write the system message; the paths of the files in it."""
    segments = [*base(setup, agent, model), *environment(setup, model)]
    if listed := [*references(setup)]:
        segments += [tail("\n", "environment"), *listed]
    sent: dict[str, None] = {}
    for block in instructions(setup, sent):
        segments += [tail("\n"), *block]
    if setup.config.entries.servers:
        from promptls.harnesses.opencode.listing import servers  # noqa: PLC0415 - few folders have any

        servers.candidates(setup)
        segments += servers.instructions(setup, agent)
    segments += skills.skill_list(setup, agent, found)
    package = models.package(setup.config, model)
    role = models.system_role(package, model, knows_gpt_6=setup.facts.knows_gpt_6)
    setup.draft.add_message(role, segments, index=0, cached=package == "@ai-sdk/anthropic")
    return set(sent)


HARNESS = described(
    SPEC,
    ROWS,
    words={"agent": tuple(NEWEST.agents)},
    preview=preview,
    loads=(
        "The agent's own prompt, else a provider template chosen by the model id",
        "The environment block, and references of opencode.json that have a description",
        "The first of AGENTS.md in ~/.config/opencode and ~/.claude/CLAUDE.md",
        "Every AGENTS.md from the working directory up to the worktree root, nearest first",
        "If there is no AGENTS.md, every CLAUDE.md; if there is neither, every CONTEXT.md",
        "Files named by instructions in opencode.json, then its URLs (5 s to the headers)",
        "What MCP servers of opencode.json say of themselves, as placeholders",
        "Name and description of each SKILL.md in .opencode/skill and .opencode/skills, the same in its configuration",
        "Those in .claude/skills and .agents/skills, from the working directory up and in the home directory",
        "Those that skills.paths and skills.urls of opencode.json name",
        "In the definition of the tool task: the agents that another one can start",
        "The descriptions of the tools in .opencode/tool",
        "With --command: the text of a command of opencode.json, of a Markdown file or a skill, and what it mentions",
        "On read: the first of AGENTS.md, CLAUDE.md and CONTEXT.md in each directory from the file's up to below cwd",
        "On a call of the tool skill: the text of the skill; of task: the request of the agent that is started",
        "With the prompt: what is piped to the program",
    ),
)
