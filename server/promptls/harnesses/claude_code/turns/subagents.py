"""Sub-agents of Claude Code: whose request is the last one of a session, and what each of them is started with.

A session that ends with a call that starts one ends with that sub-agent's last request (surfaces, 1; later, 3).
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment, Turn
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.files.at_start import slug
from promptls.harnesses.claude_code.listing.agents import DELEGATING, built_in, is_denied
from promptls.harnesses.claude_code.message_blocks import NAME, own_text
from promptls.harnesses.claude_code.models import sent_model, undated
from promptls.harnesses.claude_code.servers import of_agent
from promptls.harnesses.claude_code.setup import own_model
from promptls.harnesses.claude_code.start_values import READERS, Conversation, Task
from promptls.harnesses.claude_code.turns.calls import input_of, text_of, tool_of, within
from promptls.harnesses.claude_code.turns.command_text import Use
from promptls.harnesses.claude_code.turns.user_turns import command_in
from promptls.kit.candidates import own
from promptls.kit.paths import join
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from promptls.core.model import Call
    from promptls.harnesses.claude_code.listing.agents import Agent
    from promptls.harnesses.claude_code.listing.skills import Skill
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.kit.draft import Draft

# The agent that is started where none is named, and the name that means a copy of the session.
GENERAL, FORK = "general-purpose", "fork"
MESSAGE = "SendMessage"


@dataclass(frozen=True, slots=True)
class Delegation:
    """Finds the sub-agents of a session. ``main`` is the session itself."""

    draft: Draft
    main: StartedSession

    def conversations(self, turns: Sequence[Turn], typed: Skill | None) -> list[Conversation]:
        """The session, the sub-agent that its last call starts, the one that this one's starts, and so on.

        The last one's request is the one to show. ``typed`` is the skill that the user types last.
        """
        found = [_copied(self.main, turns)]
        while (task := self._task_at_end(found[-1], typed if len(found) == 1 else None)) is not None:
            found.append(_copied(self._start(task, found[-1].started), task.turns))
        names = [each.started.task.name for each in found if each.started.task is not None]
        if names:
            does = any(turn.steps for turn in found[-1].turns) or len(found[-1].turns) > 1
            from promptls.kit.delegated import says_shown  # noqa: PLC0415 - few sessions start a sub-agent

            self.draft.notes.append(says_shown(names, has_done=does))
        return found

    def _task_at_end(self, conversation: Conversation, typed: Skill | None) -> Task | None:
        """The task of the last call, or of the command that is ``typed``; None where the conversation goes on itself.

        What a turn does whose prompt is a forked skill, the sub-agent does.
        """
        started, turns = conversation.started, conversation.turns
        steps = turns[-1].steps
        if typed is None and started.task is None and (task := self._command(turns[-1])) is not None:
            return replace(task, is_first=not started.setup.is_attended)
        if typed is not None and typed.is_forked:
            _, given = command_in(turns[-1].prompt) or ("", "")
            task = self._forked(typed, given, "the user types it", steps)
            return None if task is None else replace(task, is_first=not started.setup.is_attended)
        for call in reversed(steps[-1] if steps else ()):
            said = input_of(call)
            if started.becomes_copy(call):
                return None
            if call.tool in DELEGATING and said:
                return self._called(call, said, started)
            if call.tool == MESSAGE and call.steps is not None:
                return self._resumed(said, conversation)
            skill = self.main.skills.find(text_of(said, "skill").removeprefix("/")) if call.tool == "Skill" else None
            if skill is not None and not skill.is_for_users_only:
                task = self._forked(skill, text_of(said, "args"), "the model calls this skill", call.steps or ())
                return None if task is None else replace(task, call=call)
        return None

    def _command(self, turn: Turn) -> Task | None:
        """A command of the program's own that a sub-agent gets (captured: typed-review)."""
        name, given = command_in(turn.prompt) or ("", "")
        size = self.main.setup.facts.forked_commands.get(name)
        if size is None:
            return None
        why = f"the user types /{name}"
        text = [elided("instructions", NAME, f"text of /{name}", why=why, size=size)]
        if given:
            argument = Segment("runtime", "arguments", given, COMPUTED, why, cache="turn")
            text = [head("Review target: `"), argument, tail("`\n\n"), *text]
        return replace(self._task(GENERAL, None, [[text]]), turns=(Turn(steps=turn.steps),))

    def _start(self, task: Task, parent: StartedSession) -> StartedSession:
        """The sub-agent as it starts: no style of the session's, and what its own file says."""
        main, agent = self.main, task.agent
        named = _named_model(main.setup, task)
        model = named or main.setup.model
        # What the session names is the model of its last request.
        is_of_task = named is not None and named == self.draft.session.model
        above = own_model(main.setup, None) if is_of_task else main.setup.model
        is_wide = named is not None and undated(named) in main.setup.facts.wide_in_agents
        setup = replace(main.setup, model=model, main_model=above, model_before=None, switched_at=0, is_wide=is_wide)
        setup = replace(setup, first_model=None)
        if agent is not None and agent.hooks is not None and setup.is_trusted:
            setup = replace(setup, agent_hooks=(agent.hooks,))
        if task.has_worktree and setup.root is not None:
            below = join(setup.main or setup.root, ".claude", "worktrees", "agent-")
            setup = replace(setup, worktree=below, main=setup.main or setup.root)
        servers = of_agent(self.draft, setup, main.servers, agent.servers if agent is not None else None)
        return replace(
            main,
            setup=setup,
            agent=agent,
            style=None,
            servers=servers,
            task=replace(task, style=main.style if task.is_first else None),
            # Which agents its own list of tools names counts for nothing (seen by verify).
            allowed=parent.allowed,
            agent_memory=(),
            forks=(),
        )

    def _called(self, call: Call, said: Mapping[str, object], parent: StartedSession) -> Task | None:
        name = text_of(said, "subagent_type") or GENERAL
        reason = refusal(parent, name)
        if reason is not None:
            if parent.setup.facts.built_in_agents:
                from promptls.kit.delegated import says_known  # noqa: PLC0415 - few sessions start a sub-agent

                says = f"{reason}, so the call that starts {name} gets an error; the one that called it goes on."
                known = () if parent.knows(name) else parent.names()
                self.draft.notes.append(f"{says}{says_known(name, known)}")
            return None
        task = self._started_agent(name, text_of(said, "prompt"))
        wanted = said.get("model")
        return replace(
            task,
            is_in_background=is_in_background(self.main.setup, said, task.agent),
            model=wanted if isinstance(wanted, str) else None,
            turns=(Turn(steps=call.steps or ()),),
            call=call,
        )

    def _started_agent(self, name: str, prompt: str) -> Task:
        """An agent with the task that the model writes, and with its skills (case subagent-skills)."""
        why = "the task that the model gives to the agent"
        messages: list[list[Block]] = [[[Segment("runtime", "task", prompt, COMPUTED, why, cache="turn")]]]
        agent = next((each for each in self.main.agents if each.name == name), None)
        for wanted in agent.skills if agent is not None else ():
            skill = self.main.skills.find(wanted)
            if skill is None:
                rule = own(f"the agent {name} names it in its skills", use="skill")
                self.draft.candidates.append(rule.missing(None, f"there is no skill {wanted}"))
                continue
            tags = (
                f"<command-message>{skill.name}</command-message>\n<command-name>{skill.name}</command-name>\n"
                "<skill-format>true</skill-format>"
            )
            text = Use(skill, "", f"the agent {name} names it in its skills", self.main.setup).text()
            messages.append([[head(tags, path=skill.path)], text])
        if (handback := self.main.setup.handback) is not None:
            # Behind the skills of the agent (seen by verify).
            why = "in this mode a sub-agent hands its report back with a tool"
            _, _, with_messages, without = handback
            sends = self._sends_messages(agent or built_in(self.main.setup, name))
            size = with_messages if sends else without
            messages.append([[elided("runtime", NAME, "note on the report", why=why, size=size)]])
        return self._task(name, agent, messages)

    def _sends_messages(self, lists: Agent | None) -> bool:
        return self.main.setup.has_tool(MESSAGE) and (lists is None or lists.has(MESSAGE))

    def _resumed(self, said: Mapping[str, object], conversation: Conversation) -> Task | None:
        """A sub-agent that has ended and is told something more: all that it has done, and the message."""
        to, started = text_of(said, "to"), conversation.started
        task: Task | None = None
        for call in within(step for turn in conversation.turns for step in turn.steps):
            given = input_of(call)
            if call.tool in DELEGATING and to and text_of(given, "name") == to:
                task = self._called(call, given, started)
            elif task is not None and call.tool == MESSAGE and text_of(given, "to") == to:
                told = Turn(prompt=text_of(given, "message"), steps=call.steps or ())
                task = replace(task, turns=(*task.turns, told))
        if task is None:
            self.draft.notes.append(f"No call before has started an agent with the name “{to}”, so nobody gets this.")
        return task

    def _forked(self, skill: Skill, given: str, why: str, steps: tuple[tuple[Call, ...], ...]) -> Task | None:
        """A skill with ``context: fork``: its text is the task (case skill-tool-fork; captured: skill-typed-fork)."""
        if not skill.is_forked:
            return None
        name = skill.value("agent") or GENERAL
        agent = next((each for each in self.main.agents if each.name == name), None)
        task = self._task(name, agent, [[Use(skill, given, why, self.main.setup).text()]])
        return replace(task, turns=(Turn(steps=steps),))

    def _task(self, name: str, agent: Agent | None, messages: list[list[Block]]) -> Task:
        setup = self.main.setup
        lists = agent or built_in(setup, name)
        return Task(name, agent, messages, lists, is_in_background=setup.is_attended)


def refusal(parent: StartedSession, name: str) -> str | None:
    """Why a call that starts an agent of a name is refused; None where it starts it."""
    if not parent.has_tool(*DELEGATING):
        return "The one that calls has no tool for that"
    if not parent.knows(name):
        return f"There is no agent {name}"
    if is_denied(parent.setup, name):
        return f"The settings deny the agent {name}"
    if parent.allowed is not None and name not in parent.allowed:
        return f"Only the agents {', '.join(sorted(parent.allowed))} may be started here"
    return None


def is_in_background(setup: Setup, said: Mapping[str, object], agent: Agent | None) -> bool:
    """Whether nobody waits for the answer: nobody does unless the call or a variable says so.

    (captured: subagent-background, subagent-model-param, subagent-model-env)
    """
    waits = said.get("run_in_background") is False and not (agent is not None and agent.is_in_background)
    return setup.is_attended or (setup.has_background and not waits)


def is_apart(started: StartedSession, call: Call) -> bool:
    """Whether the session goes on at once, without the sub-agent that a call starts (seen by verify)."""
    said, setup = input_of(call), started.setup
    if call.tool not in DELEGATING:
        return setup.is_attended
    agent = next((each for each in started.agents if each.name == text_of(said, "subagent_type")), None)
    return is_in_background(setup, said, agent)


def _copied(started: StartedSession, turns: Sequence[Turn]) -> Conversation:
    """With the steps of the copies that the last call starts, which go on from there (captured: subagent-fork)."""
    *others, last = turns
    steps, forks = last.steps, started.forks
    while steps and (call := _fork(started, steps[-1])) is not None:
        forks = (*forks, call)
        if not call.steps:
            break
        steps = (*steps, *call.steps)
    return Conversation(replace(started, forks=forks), (*others, replace(last, steps=steps)))


def _fork(started: StartedSession, step: tuple[Call, ...]) -> Call | None:
    """The last call of a step, if it starts a copy of the session."""
    call = step[-1] if step else None
    is_fork = call is not None and call.tool in DELEGATING and text_of(input_of(call), "subagent_type") == FORK
    return call if is_fork and not started.knows(FORK) and started.setup.facts.fork_notice is not None else None


def _named_model(setup: Setup, task: Task) -> str | None:
    """That of the call, the agent's, or that of a variable; None for the session's (captured: subagent-model-*)."""
    its_own = next((each.model for each in setup.facts.built_in_agents if each.name == task.name), None)
    named = task.model or (task.agent.model if task.agent is not None else its_own)
    given = named or setup.variables.get("CLAUDE_CODE_SUBAGENT_MODEL", ("",))[0]
    return None if given in ("", "inherit") else sent_model(given, setup.facts)


# -- what the one that starts a sub-agent gets back from it (later, 3) -------------------------------------------------


def report(started: StartedSession, call: Call) -> Block:
    """The result of a call that starts an agent (captured: tool-loaded, subagent-background-result)."""
    facts, said = started.setup.facts, input_of(call)
    name = text_of(said, "subagent_type") or GENERAL
    why = f"the agent {name} was started"
    if (reason := refusal(started, name)) is not None:
        return [own_text(f"error of the call that starts {name}", f"{reason[0].lower()}{reason[1:]}")]
    agent = next((each for each in started.agents if each.name == name), None)
    if is_apart(started, call):
        size = facts.background_notice + len(_place(started.setup))
        return [own_text("notice that it runs in the background", why, size)]
    # All but the frame is indented.
    found = [*used(call, "  "), own_text("frame of the report", why, facts.report_frame), tail("\n  ", "runtime")]
    text = f"⟪what the agent {name} answers, each line indented by two blanks⟫"
    found += [replace(own_text("report", why), text=text)]
    if agent is not None or name not in READERS:
        # Those two cannot be told anything more.
        found += [tail("\n", "runtime"), own_text("id and usage", why)]
    return found


def still_at_work(started: StartedSession, call: Call, description: str = "") -> list[Block]:
    """What a compaction makes the program say of an agent in the background, if it is one (seen by verify).

    A session does not say that an agent has ended. After half a minute, the program also says what it is doing.
    """
    size, said = started.setup.facts.background_still, input_of(call)
    is_refused = not description and refusal(started, text_of(said, "subagent_type") or GENERAL) is not None
    if size is None or is_refused or not is_apart(started, call):
        return []
    size += len(description or text_of(said, "description")) + len(_place(started.setup))
    why = "an agent that the session has started works in the background"
    return [[own_text("note on an agent that is still at work", why, size)]]


def left_at_work(setup: Setup, descriptions: Sequence[str]) -> Block:
    """What a process that takes a session up says of agents which the one before has left at work (seen by verify)."""
    facts, size = setup.facts, sum(map(len, descriptions))
    if not descriptions or facts.background_left is None:
        return []
    if len(descriptions) > 1:
        size += facts.background_left_several + len(descriptions) * facts.background_left_each
    else:
        size += facts.background_left + len(_place(setup))
    why = "these agents had not ended when the session was taken up"
    return [own_text("notice of agents that have not ended", why, size)]


def _place(setup: Setup) -> str:
    """What an agent in the background writes is in a file below this directory (seen by verify)."""
    return setup.variables.get("TMPDIR", ("/tmp",))[0].rstrip("/") + "/" + slug(setup.cwd)  # noqa: S108 - it says so


def of_forked_skill(started: StartedSession, name: str, call: Call) -> Block:
    """The result of a skill that an agent has got: its answer as it is (case skill-tool-fork).

    On the screen nobody waits for that (seen by verify).
    """
    if started.setup.is_attended:
        says = f'Skill "{name}" launched (forked execution, running in the background).\n\n'
        says += f"Running in the background as @{name}"
        why = "an agent works on the skill, and the session goes on"
        return [Segment("runtime", "notice that it runs in the background", says, COMPUTED, why, cache="turn")]
    says = f'Skill "{name}" completed (forked execution).\n\nResult:\n'
    why = "what Claude Code answers to the call"
    done = Segment("runtime", "result", says, COMPUTED, why, cache="turn")
    return [*used(call), done, replace(own_text("answer", why), text="⟪what the agent answers⟫")]


def used(call: Call, indent: str = "") -> Block:
    """The tools that a sub-agent has used, if any; as an agent's, not a skill's, it is indented, with an empty line."""
    names = sorted({tool_of(each) for step in call.steps or () for each in step if not each.compact})
    if not names:
        return []
    says = f"{indent}<tools-used-before-summary>{', '.join(names)}</tools-used-before-summary>\n"
    says += f"{indent}\n" if indent else ""
    return [Segment("runtime", "tools that it has used", says, COMPUTED, "the agent has used them", cache="turn")]
