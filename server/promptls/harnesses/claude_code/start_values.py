"""What command line, settings and files make of a session of Claude Code, before anything is sent."""

from __future__ import annotations

from promptls.core.model import Turn
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.listing.agents import known_here
from promptls.harnesses.claude_code.setup import NO_SKILLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Call, Segment
    from promptls.harnesses.claude_code.listing.agents import Agent
    from promptls.harnesses.claude_code.listing.skills import Skills
    from promptls.harnesses.claude_code.listing.styles import Style
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.servers import Server
    from promptls.harnesses.claude_code.setup import Setup


# Built-in agents that get neither instruction files nor the state of git (wire: subagent-explore).
READERS = ("Explore", "Plan")


@dataclass(frozen=True, slots=True)
class Task:
    """What a sub-agent is started with. ``agent`` is None for a built-in one; ``messages`` are its instructions.

    ``lists`` is the agent whose tools it has. ``model`` is that of the call. ``is_first``: its request is the first one
    of a run that prints, because the user types what starts it; the style and the language of the session come along.
    ``turns`` are what it does, then what it is told later.
    """

    name: str
    agent: Agent | None
    messages: list[list[Block]] = field(default_factory=list)
    lists: Agent | None = None
    model: str | None = None
    is_in_background: bool = False
    is_first: bool = False
    turns: tuple[Turn, ...] = (Turn(),)
    # The call that has started it; None for a command that is typed.
    call: Call | None = None
    style: Style | None = None

    @property
    def is_reader(self) -> bool:
        """Whether it is one of the two that get less."""
        return self.agent is None and self.name in READERS

    @property
    def has_files(self) -> bool:
        """Whether it gets instruction files at start."""
        return not self.is_reader and not (self.agent is not None and self.agent.omits_files)

    @property
    def has_worktree(self) -> bool:
        """Whether it works in a linked worktree of its own."""
        return self.agent is not None and self.agent.has_worktree


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A session that has started. ``has_memory`` is whether the auto memory is on."""

    setup: Setup
    agents: list[Agent]
    agent: Agent | None
    style: Style | None
    has_memory: bool
    skills: Skills
    servers: list[Server]
    # The request is that of a sub-agent, ``agent``, if it is not a built-in one.
    task: Task | None = None
    # The agents that may be started, where the agent's tools name some; its sub-agents may not start others either.
    allowed: frozenset[str] | None = None
    # What the memory of that agent adds to its prompt.
    agent_memory: tuple[Segment, ...] = ()
    # The calls by which the session becomes a copy of itself with a task: its history and tools stay its own.
    forks: tuple[Call, ...] = ()

    @property
    def replaces_prompt(self) -> bool:
        """Whether --system-prompt or an agent replaces the program's own prompt; no git status then."""
        if self.task is not None:
            return self.task.is_reader
        values = self.setup.command.values
        has_own = self.agent is not None and not self.agent.is_built_in
        return has_own or "system-prompt" in values or "system-prompt-file" in values

    def knows(self, name: str) -> bool:
        """Whether there is an agent of a name."""
        return name in self.names()

    def names(self) -> tuple[str, ...]:
        """The names of all agents."""
        return (*(each.name for each in self.agents), *(each.name for each in known_here(self.setup)))

    def becomes_copy(self, call: Call) -> bool:
        """Whether a call makes this session a copy of itself."""
        return any(call is each for each in self.forks)

    @property
    def has_git_status(self) -> bool:
        """In a repository, unless the prompt is replaced or the settings say no (8, 9).

        On the screen neither an agent of the session nor a prompt of the user's takes it away (seen by verify).
        """
        setup = self.setup
        # An agent of the user's own with the name of a reader gets files, and this not (seen by verify).
        is_reader = self.task is not None and self.task.name in READERS
        is_replaced = self.replaces_prompt and not (setup.is_interactive and self.task is None)
        off = not setup.has_git_instructions or is_replaced or is_reader
        return setup.root is not None and not off and not (setup.is_bare and setup.facts.git_status_in_first_message)

    def has_tool(self, *names: str) -> bool:
        """Whether the model has the tool that goes by these names."""
        return self.setup.has_tool(*names) and (self.lists is None or self.lists.has(*names))

    @property
    def lists(self) -> Agent | None:
        """The agent whose lists of tools count: that of the session, or the sub-agent, a built-in one too."""
        return self.agent if self.task is None else self.task.lists

    @property
    def has_skills(self) -> bool:
        """Whether the model can call skills (surfaces, 1; cases deny-skill-tool, flag-tools)."""
        return self.has_tool("Skill") and NO_SKILLS not in self.setup.command.switches

    @property
    def has_attribution(self) -> bool:
        """Whether a block on commits is before the prompt: it needs Bash, and may be off (case attribution)."""
        setup = self.setup
        is_on = _is_attributed(setup) and setup.has_git_instructions
        return is_on and not setup.is_bare and self.has_tool("Bash")


@dataclass(frozen=True, slots=True)
class Conversation:
    """The main session or a sub-agent: what it was started with, and what it has been told and has done."""

    started: StartedSession
    turns: tuple[Turn, ...]

    def before(self, task: Task) -> tuple[Turn, ...]:
        """What has been told and done before a sub-agent was started."""
        found: list[Turn] = []
        for turn in self.turns:
            steps: list[tuple[Call, ...]] = []
            for step in turn.steps:
                at = next((number for number, call in enumerate(step) if call is task.call), None)
                steps.append(step[:at])
                if at is not None:
                    return (*found, replace(turn, steps=tuple(each for each in steps if each)))
            found.append(replace(turn, steps=tuple(steps)))
        return (*found[:-1], replace(found[-1], steps=())) if task.call is None else tuple(found)


def _is_attributed(setup: Setup) -> bool:
    """Whether the model is told how commits are to end: a text of one's own beats ``includeCoAuthoredBy``.

    (case attribution-empty-commit; captured: attribution-scopes)
    """
    given = [setup.settings.member("attribution", key) for key in ("commit", "pr")]
    if any(given):
        return any(each is None or each[1].data != "" for each in given)
    return not setup.settings.is_false("includeCoAuthoredBy")
