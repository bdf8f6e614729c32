"""What command line, settings and files make of a session of Claude Code, before anything is sent."""

from __future__ import annotations

from promptls.core.values import dataclass
from promptls.harnesses.claude_code.setup import NO_SKILLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Segment
    from promptls.harnesses.claude_code.listing.agents import Agent, Style
    from promptls.harnesses.claude_code.listing.skills import Skills
    from promptls.harnesses.claude_code.servers import Server
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.turns.subagents import Task


@dataclass(frozen=True, slots=True)
class Started:
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
    # Whether the agent of the session may start some agents only; its sub-agents may not start others either.
    starts_some: bool = False
    # What the memory of that agent adds to its prompt.
    agent_memory: tuple[Segment, ...] = ()

    @property
    def replaces_prompt(self) -> bool:
        """Whether --system-prompt or an agent replaces the program's own prompt; no git status then."""
        if self.task is not None:
            return self.task.is_reader
        values = self.setup.command.values
        has_own = self.agent is not None and not self.agent.is_built_in
        return has_own or "system-prompt" in values or "system-prompt-file" in values

    @property
    def has_git_status(self) -> bool:
        """In a repository, unless the prompt is replaced or the settings say no (8, 9)."""
        setup = self.setup
        off = not setup.has_git_instructions or self.replaces_prompt
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


def _is_attributed(setup: Setup) -> bool:
    """Whether the model is told how commits are to end: a text of one's own beats ``includeCoAuthoredBy``.

    (case attribution-empty-commit; captured: attribution-scopes)
    """
    given = [setup.settings.member("attribution", key) for key in ("commit", "pr")]
    if any(given):
        return any(each is None or each[1].data != "" for each in given)
    return not setup.settings.is_false("includeCoAuthoredBy")
