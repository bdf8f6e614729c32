"""Copilot CLI's system message around the custom instructions: its own text, the environment, tools, skills, an agent.

The places are those of captured requests (surfaces, Order of the request).
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import dataclass
from promptls.harnesses.copilot_cli.listing import skills
from promptls.harnesses.copilot_cli.listing.tools import SHELL, of_model
from promptls.kit.paths import join, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.harnesses.copilot_cli.listing.agents import Agent
    from promptls.harnesses.copilot_cli.listing.tools import Start
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.harnesses.copilot_cli.versions import Facts, OfModel, Parts
    from promptls.kit.named import Named

NAME = "Copilot CLI"
WHY_OWN = "Copilot CLI begins with a prompt of its own"
WHY_TOOLS = "Copilot CLI explains its tools, and lists skills among them"
WHY_AGENT = "the session has chosen this agent"
DOCUMENTATION = "fetch_copilot_cli_documentation"
# If an agent has no other tool, nothing is said of tools before the skills.
WITHOUT_NOTES = frozenset(("skill", "sql"))
WHY_SESSIONS = "Copilot CLI names the directory of the session, which has an identifier of its own"
WHY_STARTED = "the session starts this agent"


@dataclass(frozen=True, slots=True)
class Own:
    """The program's own part of a request; ``parts`` are the sizes of its texts, ``added`` the values of --add-dir.

    ``model`` is None where nobody has named one: the sizes are then those of one that changes nothing.

    ``left`` are the tools that the agent's front matter and options leave, None for all: the notes on the others are
    not sent, and what is left of them was measured without tools of the shell only.
    """

    search: Search
    facts: Facts
    parts: Parts
    skills: Sequence[Named]
    start: Start
    added: Sequence[str]
    model: str | None = None
    left: frozenset[str] | None = None

    def before(self) -> Iterator[Segment]:
        """All before the custom instructions of a main request, or of the built-in agent for everything."""
        yield elided("provider", NAME, "system prompt", why=WHY_OWN, size=self._size(self._base()))
        yield from self._environment()
        intro = elided("tools", NAME, "introduction of tools", why=WHY_TOOLS, size=self.facts.tools_intro)
        yield from (intro, tail("\n", "tools"), *self._tools())
        further = 0 if self.start.is_general else self.start.further_notes(self.facts)
        size = self._size(self.parts.after_skills + further + self._of_model().after_skills)
        yield elided("tools", NAME, "notes on other tools", why=WHY_TOOLS, size=size)
        yield tail("\n</task>" if self._has("task") else "", "tools")
        if advice := self._of_model().after_task:
            yield tail("\n", "tools")
            yield elided("tools", NAME, "advice on tools", why=WHY_TOOLS, size=self._size(advice))
        yield tail("\n<code_search_tools>\n", "tools")
        yield elided("tools", NAME, "note on searching code", why=WHY_TOOLS, size=self.facts.search)
        yield tail("\n</code_search_tools>\n</tools>", "tools")

    def of_agent(self, agent: Agent) -> Iterator[Segment]:
        """The whole system message of an agent that the model starts: no custom instructions (surfaces: agent-task)."""
        yield Segment("provider", f"prompt of agent {agent.name}", agent.body, agent.body_origin, WHY_STARTED)
        yield tail("\n\n", "tools")
        yield from self._tools()
        yield elided("tools", NAME, "notes on other tools", why=WHY_TOOLS, size=self._size(self.parts.after_skills))
        yield from self._environment()

    def of_built_in(self, name: str) -> Iterator[Segment]:
        """The whole system message of an agent that is there without a file (later, B)."""
        known = self.facts.built_in_agents[name]
        yield elided("provider", NAME, f"prompt of agent {name}", why=WHY_STARTED, size=known.own)
        if known.has_skills:
            yield from self._skills()
            size = self.facts.built_in_after_skills
            yield elided("tools", NAME, "notes on other tools", why=WHY_TOOLS, size=size)
        yield from self._environment()

    def _has(self, tool: str) -> bool:
        return self.left is None or tool in self.left

    def _size(self, size: int) -> int | None:
        is_known = self.left is None or not self.facts.tools.keys() - self.left - {*SHELL}
        return size if is_known else None

    def _of_model(self) -> OfModel:
        return of_model(self.facts, self.model)

    def _base(self) -> int:
        """The system prompt, which names the model; of a shorter name it is shorter."""
        longer = len(self.model) - self.facts.model_name if self.model else 0
        own = self.facts.screen_base if self.start.is_interactive and not self.start.is_general else self.parts.base
        return own + self._of_model().base + longer * self.facts.model_names

    def _environment(self) -> Iterator[Segment]:
        search = self.search
        why = "Copilot CLI describes the environment"
        root = native(search.root) if search.is_repository else "Not a git repository"  # (wire: no-repository)
        yield head("\n\n<environment_context>\n", "environment")
        yield elided("environment", NAME, "sentence on the environment", why=why, size=self.facts.environment)
        lines = [f"* Current working directory: {native(search.cwd)}"]
        if self.added:  # (wire: added-directory)
            lines.append("* Additional directories available for file access:")
            lines += [f"  - `{native(each)}`" for each in self.added]
        lines.append(f"* Git repository root: {root}")
        lines.append(f"* Operating System: {search.host.platform}")
        yield Segment("environment", "environment", "\n" + "\n".join(lines) + "\n", COMPUTED, why)
        yield elided("environment", NAME, "line on programs that are installed", why=why)
        yield tail("\n</environment_context>\n\n", "environment")

    def _tools(self) -> Iterator[Segment]:
        """The notes on tools up to the skills, and these (surfaces: skills-directories)."""
        yield tail("<tools>\n", "tools")
        if self._has("bash"):
            yield tail("<bash>\n", "tools")
            yield elided("tools", NAME, "notes on the shell", why=WHY_TOOLS, size=self._size(self.parts.bash))
            yield tail("\n<example>\n", "tools")
        if self.left is None or self.left - WITHOUT_NOTES:
            of_model = self._of_model().example if self.parts.base else 0
            size = self._size(self.parts.example + of_model if self._has("bash") else self.facts.without_shell)
            if not self._has("bash") and self._has("view"):
                yield tail("<view>\n", "tools")  # (surfaces: excluded-tools)
            yield elided("tools", NAME, "notes on tools for files", why=WHY_TOOLS, size=size)
        if self._has("skill"):
            yield from self._skills()

    def _skills(self) -> Iterator[Segment]:
        if self._has(DOCUMENTATION):
            yield tail(f"\n</{DOCUMENTATION}>", "tools")
        yield tail("\n<skill>\n<available_skills>\n", "tools")
        yield from skills.rows(self.search, self.skills, self.facts)
        yield tail("</available_skills>\n</skill>\n", "tools")
        if self.start.is_interactive and self._has("ask_user"):
            yield tail("<ask_user>\n", "tools")
            size = self.facts.screen_ask - len("<ask_user>\n")
            yield elided("tools", NAME, "note on asking the user", why=WHY_TOOLS, size=size)
        else:
            yield tail("<sql>\n", "tools")

    def after(self, agent: Agent | None) -> Iterator[Segment]:
        """All after the custom instructions of a main request (surfaces: baseline-surfaces, agent-flag)."""
        yield tail("\n<system_notifications>\n", "provider")
        yield elided("provider", NAME, "note on notifications", why=WHY_OWN, size=self.facts.notifications)
        yield tail("\n</system_notifications>\n", "provider")
        more = self._of_model().notices
        size = self.facts.notices + more if more is not None else None
        yield elided("provider", NAME, "notices", why=WHY_OWN, size=size)
        sessions = native(join(self.search.home, "session-state"))
        yield Segment("environment", "directory of sessions", sessions, COMPUTED, WHY_SESSIONS)
        yield elided("provider", NAME, "notices, rest", why=WHY_OWN, size=self.facts.notices_end)
        if self.start.is_compacted:
            yield elided("provider", NAME, "paragraph on the compaction", why=WHY_OWN, size=self.facts.checkpoint)
        if agent is not None:
            yield tail("\n<agent_instructions>\n", "provider")
            size = self.facts.agent_intro
            yield elided("provider", NAME, "introduction of the agent", why=WHY_AGENT, size=size)
            yield tail("\n", "provider")
            yield Segment("provider", f"prompt of agent {agent.name}", agent.body, agent.body_origin, WHY_AGENT)
            yield tail("\n</agent_instructions>", "provider")
        opening = "<tool_calling>\n"
        yield tail(f"\n{opening}", "provider")
        end = self._size(self.parts.end - len(opening))
        yield elided("provider", NAME, "end of the system prompt", why=WHY_OWN, size=end)

    def end_of_general(self) -> Iterator[Segment]:
        """All after the custom instructions of the built-in agent for everything."""
        yield tail("\n", "provider")
        yield elided("provider", NAME, "end of the system prompt", why=WHY_OWN, size=self.parts.end)
