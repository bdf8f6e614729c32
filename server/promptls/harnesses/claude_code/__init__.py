"""Claude Code: the request, top-down. Sections named here are those of the harness specification for Claude Code.

messages.py has the messages; files/at_start.py decides which files are loaded at start, on_touch.py what a read adds.
"""

from __future__ import annotations

from itertools import accumulate, pairwise, takewhile

from promptls.core.model import START, Origin, Segment, Turn
from promptls.core.secrets import masked
from promptls.core.values import replace
from promptls.harnesses.claude_code.environment import model as model_line
from promptls.harnesses.claude_code.environment import token_counter
from promptls.harnesses.claude_code.files.at_start import LoadedAtStart, at_start, explains_memory
from promptls.harnesses.claude_code.files.instruction_file import Loader
from promptls.harnesses.claude_code.files.on_touch import Reads
from promptls.harnesses.claude_code.listing.agents import DELEGATING, agents, built_in, known_here
from promptls.harnesses.claude_code.listing.nested_skills import Discovery, NestedSkills
from promptls.harnesses.claude_code.listing.plugins import plugin_skills, plugins
from promptls.harnesses.claude_code.listing.skills import find_skills, workflows
from promptls.harnesses.claude_code.listing.styles import style
from promptls.harnesses.claude_code.messages import (
    FIRST,
    first_message,
    left_to_say,
    mode_sections,
    planning,
    style_reminder,
    turn_ends,
)
from promptls.harnesses.claude_code.models import sent_model
from promptls.harnesses.claude_code.reminders import agent_list, of_second_request
from promptls.harnesses.claude_code.servers import servers, unfit
from promptls.harnesses.claude_code.setup import CLEAR, model_again, own_model, set_up
from promptls.harnesses.claude_code.spec import SPEC
from promptls.harnesses.claude_code.start_values import Conversation, StartedSession
from promptls.harnesses.claude_code.system_prompt import SYSTEM, may_cache, system
from promptls.harnesses.claude_code.tools import definitions, is_searched, offered
from promptls.harnesses.claude_code.turns.hooks import hook_sections
from promptls.harnesses.claude_code.turns.mentions import Attacher
from promptls.harnesses.claude_code.turns.tool_results import StepResults
from promptls.harnesses.claude_code.turns.user_turns import (
    Speech,
    TurnContent,
    command_in,
    is_carried_out,
    plan_typed,
    typed_skill,
)
from promptls.harnesses.claude_code.versions import NEWEST, ROWS
from promptls.kit.base import described
from promptls.kit.candidates import Rule
from promptls.kit.draft import Draft
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.harnesses.claude_code.files.instruction_file import SentFile
    from promptls.harnesses.claude_code.listing.agents import Agent
    from promptls.harnesses.claude_code.listing.skills import Skill, Skills
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import Task

NAME = "Claude Code"
# What asks for a compaction where it is typed.
COMPACT = "/compact"


def preview(session: Session, host: Host) -> Prompt:
    """The last request of the program for a session: of the main session, or of the sub-agent that it ends with."""
    draft = Draft(session)
    setup = set_up(draft, session, host)
    setup = replace(setup, plugins=plugins(draft, setup), start=CLEAR if clears_at(session.turns) >= 0 else setup.start)
    known = agents(draft, setup)
    agent, refused = _agent(draft, setup, known)
    skills = find_skills(draft, setup, (*workflows(draft, setup), *plugin_skills(draft, setup)))
    setup, turns = _planned(setup, _turns(draft, session, setup))
    turns = _asking(draft, setup, skills, turns)
    setup = _with_model(session, setup, agent, skills, turns)
    has_memory = explains_memory(Loader(draft, setup))
    values = (style(draft, setup), has_memory, skills, servers(draft, setup))
    main = StartedSession(setup, known, agent, *values, allowed=agent.starts if agent is not None else None)
    if any(each.answer is not None for each in main.servers):
        from promptls.harnesses.claude_code.server_tools import weighed  # noqa: PLC0415 - few servers are known

        main = weighed(main)
    line = _line(draft, main, turns)
    shown = line[-1]
    nested = NestedSkills(draft, setup, skills) if setup.facts.built_in_skills else None
    for conversation, after in pairwise(line):
        _learn(session, conversation, after, nested)
    started = shown.started
    _name_the_unseen(draft, started.setup)
    said = _converse(draft, shown, nested)
    _mark_the_end(draft, started.setup)
    stopped, stopped_by = _stopped(started.setup, said, refused)
    task, agent = started.task, started.agent
    return draft.prompt(
        tools=offered(started, shown.turns, is_named=not said.waits),
        model=started.setup.model,
        agent=task.name if task else agent.name if agent else None,
        stopped=stopped,
        stopped_by=stopped_by,
    )


def _line(draft: Draft, main: StartedSession, turns: tuple[Turn, ...]) -> list[Conversation]:
    """The session itself, and the sub-agents that end it, each in the one before."""
    typed = typed_skill(main.skills, turns[-1])
    command, _ = command_in(turns[-1].prompt) or ("", "")
    is_forked = typed is not None or command in main.setup.facts.forked_commands
    if not is_forked and all(call.read is not None for step in turns[-1].steps for call in step):
        return [Conversation(main, turns)]
    from promptls.harnesses.claude_code.turns.subagents import Delegation  # noqa: PLC0415 - most sessions only read

    return Delegation(draft, main).conversations(turns, typed)


def _learn(session: Session, conversation: Conversation, after: Conversation, nested: NestedSkills | None) -> None:
    """Find the skills that a conversation makes known before it starts a sub-agent, which is told of them at start."""
    task = after.started.task
    if nested is None or task is None:
        return
    started, draft = conversation.started, Draft(session)
    before, nested.draft = nested.draft, draft
    speech, steps = _speaking(draft, Loader(draft, started.setup), LoadedAtStart(), started, nested)
    for number, turn in enumerate(conversation.before(task), 1):
        if turn.resumes:
            steps.take_up()
        if number > 1:
            steps.heard(f"turn:{number}")
        if started.task is None:
            speech.content_of(turn, START if number == 1 else f"turn:{number}")
        steps.turn(turn, 0)
    nested.draft = before


def _speaking(
    draft: Draft, loader: Loader, files: LoadedAtStart, started: StartedSession, nested: NestedSkills | None
) -> tuple[Speech, StepResults]:
    """What works out what is said to an agent, and what its steps bring."""
    setup, task = started.setup, started.task
    reads = Reads(loader, files, seen_at_start=frozenset(loader.seen))
    names = {*(each.name for each in known_here(setup)), *(each.name for each in started.agents)}
    reads.starts()
    attacher = Attacher(draft, setup, frozenset(names), reads.held)
    speech = Speech(draft, setup, started.skills, attacher, reads, nested, started.servers)
    again = (style_reminder(started), token_counter(setup.kept), model_line(setup))
    steps = StepResults(draft, started, reads, attacher, nested, *again)
    if task is not None and setup.facts.built_in_skills:
        steps.ahead, steps.behind = of_second_request(started), mode_sections(started)
    elif any(each.is_late(setup) for each in started.servers):
        from promptls.harnesses.claude_code.server_tools import late_sections  # noqa: PLC0415 - few servers are late

        steps.behind = late_sections(started, is_searched=is_searched(started))
    return speech, steps


def _converse(draft: Draft, conversation: Conversation, nested: NestedSkills | None) -> TurnContent:
    """Write all messages of a conversation; what its last turn says."""
    started, (opening, *later) = conversation.started, conversation.turns
    setup, task = started.setup, started.task
    loader = Loader(draft, setup)
    started = replace(started, agent_memory=_memory(loader, started.agent))
    files = at_start(loader)
    speech, steps = _speaking(draft, loader, files, started, nested if started.has_skills else None)
    said = speech.content_of(opening) if task is None else _delegated(draft, started, steps)
    if setup.start == CLEAR and task is None:
        from promptls.harnesses.claude_code.turns.local_commands import cleared  # noqa: PLC0415 - few sessions are

        said.typed = [*cleared(setup), *said.typed]
    elif task is None and (draft.session.has_later or setup.is_interactive):
        said.typed = [*_refused(draft.session, setup), *said.typed]

    system(draft, started)
    if setup.facts.agents_in_tool:
        _agents_in_tool(draft, started)
    draft.add_message("tools", definitions(started), index=SYSTEM, block=3)
    entries = files.entries if task is None or task.has_files else _without_files(draft, task)
    index = first_message(draft, started, entries, said)
    if said.is_alone:
        is_plan = setup.is_interactive and plan_typed(opening) is not None
        begun = replace(started, setup=planning(setup)) if is_plan else started
        steps.waiting = left_to_say(draft, begun, said)
    if later or draft.session.has_later:
        from promptls.harnesses.claude_code.later_turns import LaterTurns  # noqa: PLC0415 - most sessions have one turn

        said = LaterTurns(draft, started, entries, speech, steps).go_on(conversation.turns, said, index)
    else:
        turn_ends(draft, setup, opening, steps.turn(opening, index, is_last=setup.switched_at == 0))
    steps.reads.name_the_waiting()
    said.waits = bool(steps.waiting)
    return said


def _delegated(draft: Draft, started: StartedSession, steps: StepResults) -> TurnContent:
    """The instructions of a sub-agent, in the place of what the user says, and the skills that are known by then."""
    task = started.task
    if task is None:
        return TurnContent()
    hooked = hook_sections(draft, started.setup, "SubagentStart", task.name)
    before = steps.nested.known_before() if steps.nested is not None else Discovery()
    return TurnContent(typed=task.messages, mentioned=hooked, discovery=before)


def _without_files(draft: Draft, task: Task) -> list[SentFile]:
    """No instruction files at start for a sub-agent that gets none (wire: subagent-explore)."""
    for at, each in enumerate(draft.candidates):
        if each.use == "instruction" and each.outcome == "loaded":
            reason = f"the agent {task.name} gets no instruction files"
            draft.candidates[at] = replace(each, outcome="unscoped", reason=reason)
    return []


def _stopped(setup: Setup, said: TurnContent, refused: str | None) -> tuple[str | None, Origin | None]:
    """Why the program ends without a request, if it does, and what makes it; ``refused``: why the agent does."""
    stops = (
        (refused, Origin("argument", name="--agent")),
        (unfit(setup), Origin("argument", name="--mcp-config")),
        (said.refused, said.refused_by),
    )
    return next((each for each in stops if each[0]), (None, None))


def _turns(draft: Draft, session: Session, setup: Setup) -> tuple[Turn, ...]:
    """The turns of the session; after one that is not known where it continues an earlier session."""
    turns = session.turns or (Turn(),)
    if setup.start == CLEAR:
        turns = turns[clears_at(turns) + 1 :] or (Turn(),)
    if session.has_later or any((turn.prompt or "").startswith(COMPACT) for turn in turns):
        from promptls.harnesses.claude_code.later_turns import that_compact  # noqa: PLC0415 - most sessions have one turn

        turns = that_compact(draft, turns, is_new=not setup.continues) or (Turn(),)
    if turns[0].prompt is None and setup.command.rest:
        turns = (replace(turns[0], prompt=masked(setup.command.rest[0])), *turns[1:])
    if not setup.continues or setup.start == CLEAR:
        return turns
    draft.notes.append("An earlier session goes on. What was said in it is not shown, so sizes are at least these.")
    return (Turn(), replace(turns[0], resumes=True), *turns[1:])


def _planned(setup: Setup, turns: tuple[Turn, ...]) -> tuple[Setup, tuple[Turn, ...]]:
    """``/plan`` alone and ahead of all asks the model nothing: the session begins in that mode (seen by verify)."""
    if not setup.is_interactive or plan_typed(turns[0]) != "":
        return setup, turns
    return planning(setup), turns[1:] or (Turn(),)


def _asking(draft: Draft, setup: Setup, skills: Skills, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns that ask a model, and the last one."""
    carried_out = [turn for turn in turns[:-1] if is_carried_out(setup, skills, turn)]
    for turn in carried_out:
        name, _ = command_in(turn.prompt) or ("", "")
        draft.note(f"Claude Code carries out /{name} itself, or does not know it: what that changes is not shown.")
    return tuple(turn for turn in turns if turn not in carried_out)


def _refused(session: Session, setup: Setup) -> list[list[Block]]:
    """What the first prompt says of commands that were typed before anything was said (seen by verify)."""
    from promptls.harnesses.claude_code.later_turns import compacts_when_typed, given  # noqa: PLC0415 - as above
    from promptls.harnesses.claude_code.turns.local_commands import nothing_said, turns_on_plan  # noqa: PLC0415 - few sessions are

    if setup.is_interactive and session.turns and plan_typed(session.turns[0]) == "":
        return turns_on_plan(setup, "", is_on=False)
    refused = () if setup.continues else takewhile(compacts_when_typed, session.turns)
    return [block for turn in refused for block in nothing_said(setup, given(turn))]


def clears_at(turns: Sequence[Turn]) -> int:
    """The last turn that is /clear, by any of its names: what was said before is gone (captured: clear-resumed).

    Its number, or -1.
    """
    return max((number for number, turn in enumerate(turns) if (turn.prompt or "").strip() in SPEC.anew), default=-1)


def _agent(draft: Draft, setup: Setup, known: list[Agent]) -> tuple[Agent | None, str | None]:
    """The agent that is asked for, and why the program ends without a request, if it does (wire: agent-built-in)."""
    named = draft.session.agent or setup.command.last("agent")
    asked = named or setup.settings.text("agent")
    if not asked:
        return None, None
    found = next((agent for agent in known if agent.name == asked), None) or built_in(setup, asked)
    if found is not None:
        return found, None
    if named and setup.facts.unknown_agent_ends:
        return None, f"there is no agent {asked}, so Claude Code ends"
    why = f"there is no agent {asked}; the prompt is shown without it"
    draft.candidates.append(Rule(why, Origin("argument", name=asked), "prompt").missing())
    return None, None


def _memory(loader: Loader, agent: Agent | None) -> tuple[Segment, ...]:
    if agent is None or agent.memory is None:
        return ()
    from promptls.harnesses.claude_code.listing.agent_memory import of_agent  # noqa: PLC0415 - few agents have one

    return of_agent(loader, agent, agent.memory)


def _with_model(session: Session, setup: Setup, agent: Agent | None, skills: Skills, turns: Sequence[Turn]) -> Setup:
    """The setup with the model of the last request, and the one before where what is typed names another.

    A new process stays with the model of a command that was typed before, the program on the screen goes back to its
    own (captured: skill-model-typed-next, interactive-skill-model-next).
    """
    named = setup.command.last("model")
    # What the session itself names is the model of its last request, which a command may have chosen.
    first = sent_model(named, setup.facts, setup.mode) if named else _model(session, setup, agent, None)
    models = list(accumulate(turns, lambda last, turn: model_again(setup, turn) or last, initial=first))
    if len({*models}) > 1:
        return _with_models(setup, turns, models)
    at = max((number for number, turn in enumerate(turns) if _switches(skills, turn)), default=-1)
    stays = all(turn.resumes for turn in turns[at + 1 :])
    typed = typed_skill(skills, turns[at]) if at >= 0 and stays else None
    before, model = _model(session, setup, agent, None), _model(session, setup, agent, typed)
    if before == model and typed is not None:
        # What the session names is then the model of its last request.
        before = _model(replace(session, model=None), replace(setup, model=own_model(setup, None)), agent, None)
    return replace(setup, model=model, model_before=before if before != model else None, switched_at=max(at, 0))


def _with_models(setup: Setup, turns: Sequence[Turn], models: Sequence[str]) -> Setup:
    """The setup with the ``models`` of the first process and of each turn's.

    What the session begins with, or goes on with after a compaction, is told of the model at that time (seen by
    verify).
    """
    begins = max((number for number, turn in enumerate(turns, 1) if turn.compact is not None), default=0) + 1
    before = models[min(begins, len(turns))]
    return replace(
        setup, model=models[-1], model_before=before if before != models[-1] else None, first_model=models[0]
    )


def _switches(skills: Skills, turn: Turn) -> bool:
    """Whether a command that is typed asks for a model."""
    typed = typed_skill(skills, turn)
    return typed is not None and typed.value("model") not in (None, "inherit")


def _model(session: Session, setup: Setup, agent: Agent | None, typed: Skill | None) -> str:
    """That of the command that is typed, the one asked for, the agent's, that of the settings or the default.

    (surfaces, 8; captured: skill-typed-model)
    """
    wanted = typed.value("model") if typed else None
    if wanted is not None and wanted != "inherit":
        return sent_model(wanted, setup.facts)
    asked = session.model or setup.command.last("model")
    return setup.model if asked else _own_model(setup, agent) or setup.model


def _own_model(setup: Setup, agent: Agent | None) -> str | None:
    own = agent.model if agent else None
    return None if own is None or own == "inherit" else sent_model(own, setup.facts)


def _name_the_unseen(draft: Draft, setup: Setup) -> None:
    """Say that a model was not seen, on which the layout depends (1), and what is not modelled."""
    seen = setup.facts.models_seen
    if seen and setup.model not in seen:
        layout = "the newer" if setup.has_system_messages else "the older"
        draft.notes.append(f"No request with the model {setup.model} was seen; {layout} layout of messages is shown.")
    if setup.facts.later_seen:
        return
    if setup.is_interactive:
        draft.notes.append("The program on the screen was not seen in this version: what a newer one adds is shown.")
    turns = draft.session.turns
    if any(turn.compact is not None or any(call.compact for call in turn.calls) for turn in turns):
        draft.notes.append("A compaction was not seen in this version: what is left in a newer one is shown.")
    if any(call.steps is not None for turn in turns for call in turn.calls):
        draft.notes.append("A sub-agent was not seen in this version: what one of a newer version gets is shown.")


def _agents_in_tool(draft: Draft, started: StartedSession) -> None:
    """The description of the Agent tool lists them: user, project, --agents, managed (wire: agent-flag-v2185)."""
    if started.setup.is_bare or not started.setup.has_tool(*DELEGATING):
        return
    why = "the description of the tool that starts other agents"
    segments = [elided("tools", NAME, "Agent tool", why=why), tail("\n", "tools")]
    segments += agent_list(started, started.agents)
    segments += [tail("\n", "tools"), elided("tools", NAME, "Agent tool, rest", why=why)]
    draft.add_message("tools", segments, index=SYSTEM, block=3)


# -- cache marks (1) -------------------------------------------------------------------------------------------


def _mark_the_end(draft: Draft, setup: Setup) -> None:
    """The third mark: on the last block of the roles that may have it."""
    if not may_cache(setup):
        draft.notes.append("DISABLE_PROMPT_CACHING removes every cache mark.")
        return
    if setup.keeps_for_an_hour:
        draft.notes.append("Each cache mark lasts one hour, as a setting or ENABLE_PROMPT_CACHING_1H says.")
    for at in reversed(range(len(draft.messages))):
        message = draft.messages[at]
        if message.role in setup.facts.last_mark and message.index >= FIRST:
            draft.messages[at] = replace(message, cached=True)
            return


HARNESS = described(
    SPEC,
    ROWS,
    words={
        "model": (*(NEWEST.aliases or ()), "inherit"),
        "agent": tuple(each.name for each in NEWEST.built_in_agents),
    },
    preview=preview,
    loads=(
        "CLAUDE.md and rules of the organization, then those in ~/.claude",
        "From the top of the disk down to the working directory: CLAUDE.md, .claude/CLAUDE.md, rules, CLAUDE.local.md",
        f"What these import with @path, up to {NEWEST.import_hops} hops, inside of the working directory",
        "Without any CLAUDE.md on the way: AGENTS.md and .claude/AGENTS.md (since 2.1.277)",
        f"Its own memory, MEMORY.md: {NEWEST.memory_lines} lines or {NEWEST.memory_characters:,} characters of it",
        "The list of skills, commands and workflows: of the organization, the user, the project, --add-dir and plugins",
        "The list of agents, the output style, language, environment, state of git and attribution of commits",
        "A placeholder for each hook and MCP server, because none is run",
        "With a file that is read, edited, written, mentioned or given to cat: the same files on the way, its rules",
        "Files and directories that the prompt mentions with @, and the text of a command or skill that is used",
        "For the start of a sub-agent: its own request, with its prompt, its task and its skills",
        "With the prompt: what is piped to the program",
    ),
)
