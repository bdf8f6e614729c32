"""Sub-agents of Claude Code: a session that ends with the start of one ends with its first request (surfaces, 1)."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.listing.agents import DELEGATING, built_in, known_here
from promptls.harnesses.claude_code.turns.command_text import Use
from promptls.harnesses.claude_code.turns.hooks import hook_sections
from promptls.harnesses.claude_code.turns.tool_results import input_of
from promptls.harnesses.claude_code.turns.user_turns import Said, command_in
from promptls.kit.candidates import own
from promptls.kit.segments import head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from promptls.core.model import Turn
    from promptls.harnesses.claude_code.files.instruction_file import SentFile
    from promptls.harnesses.claude_code.listing.agents import Agent
    from promptls.harnesses.claude_code.listing.skills import Skill, Skills
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.draft import Draft

# The agent that is started where none is named.
GENERAL = "general-purpose"
# Built-in agents that get neither instruction files nor the state of git (wire: subagent-explore).
READERS = ("Explore", "Plan")


@dataclass(frozen=True, slots=True)
class Task:
    """What a sub-agent is started with. ``agent`` is None for a built-in one; ``messages`` are its instructions.

    ``lists`` is the agent whose tools it has. ``model`` is that of the call. ``is_first``: its request is the first one
    of the session, because the user types what starts it.
    """

    name: str
    agent: Agent | None
    messages: list[list[Block]] = field(default_factory=list)
    lists: Agent | None = None
    model: str | None = None
    is_in_background: bool = False
    is_first: bool = False

    @property
    def is_reader(self) -> bool:
        """Whether it is one of the two that get less."""
        return self.agent is None and self.name in READERS


@dataclass(frozen=True, slots=True)
class Delegation:
    """Finds the sub-agent whose request is the last one."""

    draft: Draft
    setup: Setup
    agents: list[Agent]
    skills: Skills

    def task(self, turns: Sequence[Turn], typed: Skill | None) -> Task | None:
        """The task of the last call, or of the command that is ``typed``; None where the session goes on itself."""
        steps = turns[-1].steps
        if not steps:
            _, given = command_in(turns[-1].prompt) or ("", "")
            task = self._forked(typed, given, "the user types it") if typed is not None else None
            return None if task is None else replace(task, is_first=len(turns) == 1)
        for call in reversed(steps[-1]):
            said = input_of(call)
            if call.tool in DELEGATING and said:
                task = self._started(str(said.get("subagent_type") or GENERAL), str(said.get("prompt") or ""))
                return None if task is None else self._called(task, said)
            skill = self.skills.find(str(said.get("skill", "")).removeprefix("/")) if call.tool == "Skill" else None
            if skill is not None and not skill.is_for_users_only:
                return self._forked(skill, str(said.get("args") or ""), "the model calls this skill")
        return None

    def _started(self, name: str, prompt: str) -> Task | None:
        """An agent with the task that the model writes, and with its skills (case subagent-skills)."""
        why = "the task that the model gives to the agent"
        messages: list[list[Block]] = [[[Segment("runtime", "task", prompt, COMPUTED, why, cache="turn")]]]
        agent = next((each for each in self.agents if each.name == name), None)
        if agent is None and name not in {each.name for each in known_here(self.setup)}:
            return None
        for wanted in agent.skills if agent is not None else ():
            skill = self.skills.find(wanted)
            if skill is None:
                rule = own(f"the agent {name} names it in its skills", use="skill")
                self.draft.candidates.append(rule.missing(None, f"there is no skill {wanted}"))
                continue
            tags = (
                f"<command-message>{skill.name}</command-message>\n<command-name>{skill.name}</command-name>\n"
                "<skill-format>true</skill-format>"
            )
            text = Use(skill, "", f"the agent {name} names it in its skills", self.setup).text()
            messages.append([[head(tags, path=skill.path)], text])
        return self._task(name, agent, messages)

    def _called(self, task: Task, said: Mapping[str, object]) -> Task:
        """What the call says beside the task: a model, and whether somebody waits for the answer.

        Nobody does unless the call or a variable says so (captured: subagent-background, subagent-model-param, -env).
        """
        agent, setup = task.agent, self.setup
        waits = said.get("run_in_background") is False and not (agent is not None and agent.is_in_background)
        is_in_background = setup.is_interactive or (setup.has_background and not waits)
        wanted = said.get("model")
        return replace(task, is_in_background=is_in_background, model=wanted if isinstance(wanted, str) else None)

    def _forked(self, skill: Skill, given: str, why: str) -> Task | None:
        """A skill with ``context: fork``: its text is the task (case skill-tool-fork; captured: skill-typed-fork)."""
        if not skill.is_forked:
            return None
        name = skill.value("agent") or GENERAL
        agent = next((each for each in self.agents if each.name == name), None)
        return self._task(name, agent, [[Use(skill, given, why, self.setup).text()]])

    def _task(self, name: str, agent: Agent | None, messages: list[list[Block]]) -> Task:
        note = f"The last call of the session starts the agent {name}: the first request of that agent is shown."
        self.draft.notes.append(note)
        lists = agent or built_in(self.setup, name)
        return Task(name, agent, messages, lists, is_in_background=self.setup.is_interactive)


def delegated(draft: Draft, setup: Setup, task: Task) -> Said:
    """The instructions of a sub-agent, in the place of what the user says."""
    return Said(typed=task.messages, mentioned=hook_sections(draft, setup, "SubagentStart", task.name))


def given_to(draft: Draft, task: Task, entries: list[SentFile]) -> list[SentFile]:
    """The instruction files that a sub-agent gets: all of them or none (wire: subagent-general, subagent-explore)."""
    if task.is_reader:
        for at, each in enumerate(draft.candidates):
            if each.use == "instruction" and each.outcome == "loaded":
                reason = f"the agent {task.name} gets no instruction files"
                draft.candidates[at] = replace(each, outcome="unscoped", reason=reason)
    return [] if task.is_reader else entries
