"""opencode 1.18.33: one system message, then the user's. Sections named here are those of the harness specification."""

from __future__ import annotations

from promptls.core.model import START, Origin, Segment
from promptls.harnesses.opencode import models, servers, skills, tools
from promptls.harnesses.opencode.environment import base, environment, references
from promptls.harnesses.opencode.instructions import instructions, names
from promptls.harnesses.opencode.setup import read_setup, stops
from promptls.harnesses.opencode.spec import SPEC
from promptls.harnesses.opencode.versions import NEWEST, ROWS
from promptls.kit import tool_input as calls
from promptls.kit.base import described
from promptls.kit.draft import Draft
from promptls.kit.numbered_read import Nested, read_label, read_result
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptls.core.host import Host
    from promptls.core.model import Call, Prompt, Session
    from promptls.harnesses.opencode.agents import Agent
    from promptls.harnesses.opencode.commands import Called
    from promptls.harnesses.opencode.setup import Setup
    from promptls.harnesses.opencode.skills import Skills

WHY_TYPED = "what the user types"
WHY_ATTACHED = "a file is attached on the command line"
WHY_STARTED = "the prompt that the agent is started with"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of ``opencode run`` for a session."""
    draft = Draft(session)
    setup = read_setup(draft, host)
    found = skills.find(setup)
    called, unknown, by = _called(setup, found)
    own_agent = session.agent or setup.command.last("agent")
    asked = (called.agent if called else None) or own_agent
    # Of a sub-task, the agent that the command names is another one's (surfaces: command-subtask-of-agent).
    agent = setup.agents.choose(draft, own_agent if called and called.is_subtask else asked)
    model = (called.model if called else None) or _model(setup, agent)
    started = _started(setup)
    own_tools = tools.own_tools(setup)
    if started is not None:
        agent = setup.agents.get(started[0])
        model = agent.model or model
    sent = _system(setup, found, agent, model)
    for block, definition in enumerate(tools.definitions(setup, agent, own_tools, is_started=started is not None), 1):
        draft.add_message("tools", definition, index=0, block=block)
    if started is not None:
        draft.add_message("user", [Segment("runtime", "prompt", started[1], Origin("argument"), WHY_STARTED)], index=1)
    else:
        _conversation(setup, found, agent, called, sent)
    stopped, stopped_by = stops(setup, asked)
    return draft.prompt(
        model=model,
        agent=agent.name,
        verified=True,
        tools=tools.offered(setup, agent, own_tools, model, is_started=started is not None),
        stopped=stopped or unknown,
        stopped_by=stopped_by if stopped else by,
    )


def _called(setup: Setup, found: Skills) -> tuple[Called | None, str | None, Origin | None]:
    """The command that ``--command`` names; else why opencode ends, and what is to blame."""
    name = setup.command.last("command")
    if name is None:
        return None, None, None
    from promptls.harnesses.opencode import commands  # noqa: PLC0415 - few sessions begin with one

    called = commands.call(setup, found, name, _typed(setup) or "")
    return (called, None, None) if called is not None else (None, *commands.unknown(setup, name))


def _model(setup: Setup, agent: Agent) -> str | None:
    config = setup.config
    return setup.session.model or setup.command.last("model") or agent.model or config.model or config.first_model


def _started(setup: Setup) -> tuple[str, str] | None:
    """The sub-agent whose request is the last one, and its prompt (surfaces: subagent-skills)."""
    call = setup.session.calls[-1] if setup.session.calls else None
    if call is None or call.tool != "task":
        return None
    name = calls.text(call, "subagent_type")
    return (name, calls.text(call, "prompt")) if name in setup.agents.names() else None


def _typed(setup: Setup) -> str | None:
    """What the user types, as ``opencode run`` joins its arguments; None if it is not known (surfaces, 1)."""
    prompt = setup.session.turns[0].prompt if setup.session.turns else None
    rest = setup.command.rest[1:] if setup.command.rest[:1] == ["run"] else setup.command.rest
    words = [*rest, *([prompt] if prompt is not None else [])]
    said = " ".join(_quoted(word) for word in words) if words else None
    stdin = setup.session.turns[0].stdin if setup.session.turns else None
    return said if said is None or stdin is None else f"{said}\n{stdin}"


def _quoted(word: str) -> str:
    return '"{}"'.format(word.replace('"', '\\"')) if " " in word else word


# -- the system message, part by part (section 1) ----------------------------------------------------------------------


def _system(setup: Setup, found: Skills, agent: Agent, model: str | None) -> set[str]:
    """Write the system message; the paths of the files in it."""
    segments = [*base(setup, agent, model), *environment(setup, model)]
    if listed := [*references(setup)]:
        segments += [tail("\n", "environment"), *listed]
    sent: dict[str, None] = {}
    for block in instructions(setup, sent):
        segments += [tail("\n"), *block]
    servers.candidates(setup)
    segments += [*servers.instructions(setup, agent), *skills.skill_list(setup, agent, found)]
    package = models.package(setup.config, model)
    role = models.system_role(package, model, knows_gpt_6=setup.facts.knows_gpt_6)
    setup.draft.add_message(role, segments, index=0, cached=package == "@ai-sdk/anthropic")
    return set(sent)


# -- what is said and done (sections 8; surfaces, 1 and 4) -------------------------------------------------------------


def _conversation(setup: Setup, found: Skills, agent: Agent, called: Called | None, sent: set[str]) -> None:
    """The user's message with what is attached and mentioned, then the tools' results, step by step."""
    draft = setup.draft
    nested = Nested(draft, setup.host, setup.cwd, names(setup.flag), sent)
    if called is not None and called.is_subtask:
        from promptls.harnesses.opencode import commands  # noqa: PLC0415 - few sessions begin with one

        for index, (role, segments) in enumerate(commands.subtask(setup, called), 1):
            draft.add_message(role, segments, index=index)
        return
    for block, segments in enumerate(_first_parts(setup, nested, agent, called)):
        draft.add_message("user", segments, index=1, block=block)
    index = 2
    for number, turn in enumerate(setup.session.turns, 1):
        if number > 1 and turn.prompt is not None:
            segments = [Segment("runtime", "prompt", _quoted(turn.prompt), Origin("argument"), WHY_TYPED)]
            draft.add_message("user", segments, index=index, at=f"turn:{number}")
            if number == len(setup.session.turns):
                draft.add_message("user", plan_reminder(setup, agent), index=index, block=1, at=f"turn:{number}")
            index += 1
        for call in (call for step in turn.steps for call in step):
            draft.add_message("tool", _result(setup, found, nested, call), index=index, at=call.at)
            index += 1


def _first_parts(setup: Setup, nested: Nested, agent: Agent, called: Called | None) -> Iterator[list[Segment]]:
    for path in setup.attached:
        yield [read_label(path, WHY_ATTACHED)]
        yield read_result(setup.read_tool, setup.host, path, nested.reminder(path, START))
    typed = _typed(setup)
    if called is not None:
        from promptls.harnesses.opencode import commands  # noqa: PLC0415 - few sessions begin with one

        yield called.text
        yield from commands.mentioned(setup, nested, called.text)
    elif typed is not None:
        yield [Segment("runtime", "prompt", typed, Origin("argument"), WHY_TYPED)]
    if len(setup.session.turns) < 2:  # noqa: PLR2004 - else it stands after a later prompt
        yield plan_reminder(setup, agent)


def plan_reminder(setup: Setup, agent: Agent) -> list[Segment]:
    """What follows the last prompt of the agent plan; it is not kept (captured: mode-plan, mode-plan-own)."""
    if agent.name != "plan":
        return []
    why, size = "the agent plan adds it to the last prompt", setup.facts.plan_reminder
    reminder = elided("runtime", "opencode", "reminder of plan mode", why=why, size=size)
    return [head("<system-reminder>\n", "runtime"), reminder, tail("\n</system-reminder>\n", "runtime")]


def _result(setup: Setup, found: Skills, nested: Nested, call: Call) -> list[Segment]:
    """What a tool answers, as far as files decide it."""
    if call.read is not None:
        return read_result(setup.read_tool, setup.host, call.read, nested.reminder(call.read, call.at))
    if call.tool == "skill":
        return skills.tool_result(setup, found, calls.text(call, "name"))
    return [elided("runtime", "opencode", f"result of {call.tool}", why="only the tool knows what it answers")]


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
