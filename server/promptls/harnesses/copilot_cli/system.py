"""Copilot CLI's system message around the custom instructions: its own text, the environment, tools, skills, an agent.

The places are those of captured requests (surfaces, Order of the request).
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import dataclass
from promptls.harnesses.copilot_cli.listing import skills
from promptls.harnesses.copilot_cli.listing.tools import AUTOPILOT, PATCH, RG, of_model
from promptls.harnesses.copilot_cli.search import code_units
from promptls.harnesses.installed import directories
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
# What tools for simple work are called in the line that names them, in its order (captured: agents with tools).
SIMPLE_WORK = {RG: RG, "grep": "grep", "glob": "glob", "view": "view", "edit": "edit", PATCH: "apply_patch"}
# The programs that the environment names where they are there, in its order (seen by verify).
PROGRAMS = ("git", "curl", "gh")
EXAMPLE = "\n<example>\n"
WHY_SESSIONS = "Copilot CLI names the directory of the session, which has an identifier of its own"
WHY_STARTED = "the session starts this agent"
# How Node.js names the type of a system; seen on Linux (captured: an agent that is started).
TYPES = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows_NT"}


@dataclass(frozen=True, slots=True)
class Own:
    """The program's own part of a request; ``parts`` are the sizes of its texts, ``added`` the values of --add-dir.

    ``model`` is None where nobody has named one: the sizes are then those of one that changes nothing. ``tools`` are
    the names of those in the request, in its order, which is that of the notes on them.
    """

    search: Search
    facts: Facts
    parts: Parts
    skills: Sequence[Named]
    start: Start
    added: Sequence[str]
    tools: Sequence[str]
    model: str | None = None

    def before(self) -> Iterator[Segment]:
        """All before the custom instructions of a main request, or of the built-in agent for everything."""
        yield elided("provider", NAME, "system prompt", why=WHY_OWN, size=self._base())
        yield from self._environment()
        intro = elided("tools", NAME, "introduction of tools", why=WHY_TOOLS, size=self.facts.tools_intro)
        further = 0 if self.start.is_general else self.start.further_notes(self.facts)
        yield from (intro, tail("\n<tools>\n", "tools"), *self._notes(further))
        advice = 0 if self.start.is_general else self._of_model().after_tools
        if advice:
            yield elided("tools", NAME, "advice on tools", why=WHY_TOOLS, size=advice)
            yield tail("\n", "tools")
        yield tail("<code_search_tools>\n", "tools")
        size = self.facts.search - self._shorter("search")
        yield elided("tools", NAME, "note on searching code", why=WHY_TOOLS, size=size)
        yield tail("\n</code_search_tools>\n</tools>", "tools")

    def of_started(self, agent: Agent | None, name: str) -> Iterator[Segment]:
        """The whole system message of what the model starts, but for the agent for everything."""
        return self.of_agent(agent) if agent is not None else self.of_built_in(name)

    def of_agent(self, agent: Agent) -> Iterator[Segment]:
        """The whole system message of an agent that the model starts: no custom instructions (parts: agent-task)."""
        yield Segment("provider", f"prompt of agent {agent.name}", agent.body, agent.body_origin, WHY_STARTED)
        yield tail("\n\n<tools>\n", "tools")
        yield from self._notes()
        yield tail("</tools>", "tools")
        size = self.parts.end + self.parts.parallel * ("task" in self.tools)
        yield elided("provider", NAME, "end of the system prompt", why=WHY_OWN, size=size)
        yield from self._environment(of_started=True)

    def of_built_in(self, name: str) -> Iterator[Segment]:
        """The whole system message of an agent that is there without a file (later, B)."""
        known = self.facts.built_in_agents[name]
        yield elided("provider", NAME, f"prompt of agent {name}", why=WHY_STARTED, size=known.own)
        if known.has_skills:
            yield tail(f"\n</{DOCUMENTATION}>\n", "tools")
            yield from self._skills()
            yield tail("<sql>\n", "tools")
            size = self.facts.built_in_after_skills
            yield elided("tools", NAME, "notes on other tools", why=WHY_TOOLS, size=size)
        yield from self._environment(of_started=True)

    def _of_model(self) -> OfModel:
        return of_model(self.facts, self.model)

    def _shorter(self, place: str) -> int:
        return self.facts.shorter_names[place] if RG in self.tools else 0

    def _base(self) -> int:
        """The system prompt: it names the model, and has lines on some of the tools (captured: agents with tools)."""
        facts, has_agents = self.facts, "task" in self.tools
        size = self.parts.base - self._shorter("base")
        if not self.start.is_general:
            longer = len(self.model) - facts.model_name if self.model else 0
            size += self._of_model().base + longer * facts.model_names
            size -= facts.screen_shorter if self.start.is_interactive else 0
            size -= facts.editor_shorter if self.start.in_editor else 0
            # The sentence on asking, which is there on the screen and in autopilot mode (seen by verify).
            if self.start.is_interactive:
                size -= 0 if self.start.asks else facts.autopilot_longer
            elif self.start.mode == AUTOPILOT and self.start.asks:
                size += facts.autopilot_longer
        size += 0 if PATCH in self.tools else facts.on_editing
        size += facts.on_agents if has_agents else 0
        size += facts.on_itself if DOCUMENTATION in self.tools else 0
        named = ", ".join(shown for tool, shown in SIMPLE_WORK.items() if tool in self.tools)
        line = facts.on_simple_work_with_agents if has_agents else facts.on_simple_work
        return size + (line + len(named) if named else 0)

    def _environment(self, *, of_started: bool = False) -> Iterator[Segment]:
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
        system = search.host.platform
        lines.append(f"* Operating System: {TYPES.get(system, system) if of_started else system}")
        listed = "* Directory contents (snapshot at turn start; may be stale): "
        lines += [listed + self._contents()] if of_started else []
        yield Segment("environment", "environment", "\n" + "\n".join(lines) + "\n", COMPUTED, why)
        yield self._programs(why)
        yield tail("\n</environment_context>" + ("" if of_started else "\n\n"), "environment")

    def _programs(self, why: str) -> Segment:
        """The line on the programs that it finds on its PATH; it is known where it is installed itself."""
        host, cwd = self.search.host, self.search.cwd
        places = directories(host, cwd) if self.search.draft.session.program is not None else ()
        found = [each for each in PROGRAMS if any(host.kind(join(place, each)) == "file" for place in places)]
        if not found:
            return elided("environment", NAME, "line on programs that are installed", why=why)
        return Segment("environment", "programs", f"* Available tools: {', '.join(found)}", COMPUTED, why)

    def _contents(self) -> str:
        """What is in the working directory, without hidden entries (captured: an agent that is started).

        A directory is in the order of its name with the slash (seen by verify).
        """
        seen = (each for each in self.search.host.entries(self.search.cwd) if not each.name.startswith("."))
        names = (f"{each.name}/" if each.is_directory else each.name for each in seen)
        return "\n".join(sorted(names, key=code_units)) or "<unavailable>"

    def _notes(self, further: int = 0) -> Iterator[Segment]:
        """A note on each tool that has one, in the order of the tools (captured: agents with tools).

        ``further``: the size of those on the tools of a mode, which come after sql (seen in plan mode of 1.0.102).
        """
        others = [elided("tools", NAME, "notes on other tools", why=WHY_TOOLS, size=further)] if further else []
        on_asking = self.facts.screen_ask if self.start.is_interactive else self.facts.autopilot_ask
        for tool in self.tools:
            if tool == "skill":
                yield from self._skills()
                if "ask_user" in self.tools:
                    yield from self._note("ask_user", on_asking)
            elif tool in self.parts.notes:
                own = self.facts.notes_of_editor if self.start.in_editor else {}
                size = own.get(tool, self.parts.notes[tool]) - (self._shorter("task") if tool == "task" else 0)
                yield from self._note(tool, size)
            if tool == "sql":
                yield from others
        yield from others if "sql" not in self.tools else ()

    def _note(self, tool: str, size: int) -> Iterator[Segment]:
        opening, closing = f"<{tool}>\n", f"\n</{tool}>\n"
        size -= len(opening) + len(closing) - 1
        yield tail(opening, "tools")
        if tool == "bash":
            yield elided("tools", NAME, "notes on the shell", why=WHY_TOOLS, size=self.parts.bash)
            yield tail(EXAMPLE, "tools")
            size -= self.parts.bash + len(EXAMPLE)
            yield elided("tools", NAME, "notes on the shell, rest", why=WHY_TOOLS, size=size)
        else:
            yield elided("tools", NAME, f"note on {tool}", why=WHY_TOOLS, size=size)
        yield tail(closing, "tools")

    def _skills(self) -> Iterator[Segment]:
        yield tail("<skill>\n<available_skills>\n", "tools")
        yield from skills.rows(self.search, self.skills, self.facts)
        yield tail("</available_skills>\n</skill>\n", "tools")

    def after(self, agent: Agent | None) -> Iterator[Segment]:
        """All after the custom instructions of a main request (parts: baseline-surfaces; captured: agent-flag)."""
        yield tail("\n<system_notifications>\n", "provider")
        yield elided("provider", NAME, "note on notifications", why=WHY_OWN, size=self.facts.notifications)
        yield tail("\n</system_notifications>\n", "provider")
        yield tail("\n", "provider")
        of_model = self._of_model().notices
        if of_model != 0:
            yield elided("provider", NAME, "notices for the model", why=WHY_OWN, size=of_model)
        yield tail("\n", "provider")
        yield from self._notices()
        if self.start.compactions and not self.start.in_editor:
            # A line for each, and "checkpoints" has a letter more (seen by verify).
            more = self.start.compactions - 1
            size = self.facts.checkpoint + more * self.facts.further_checkpoint + bool(more)
            yield elided("provider", NAME, "paragraph on the compaction", why=WHY_OWN, size=size)
        if agent is not None:
            yield tail("\n<agent_instructions>\n", "provider")
            size = self.facts.agent_intro
            yield elided("provider", NAME, "introduction of the agent", why=WHY_AGENT, size=size)
            yield tail("\n", "provider")
            yield Segment("provider", f"prompt of agent {agent.name}", agent.body, agent.body_origin, WHY_AGENT)
            yield tail("\n</agent_instructions>", "provider")
        yield tail("\n", "provider")
        yield from self._end()

    def end_of_general(self) -> Iterator[Segment]:
        """All after the custom instructions of the built-in agent for everything."""
        yield tail("\n", "provider")
        yield from self._notices()
        yield tail("\n", "provider")
        yield from self._end()

    def _notices(self) -> Iterator[Segment]:
        yield elided("provider", NAME, "notices", why=WHY_OWN, size=self.facts.notices)
        sessions = native(join(self.search.home, "session-state"))
        yield Segment("environment", "directory of sessions", sessions, COMPUTED, WHY_SESSIONS)
        size = self.facts.notices_end - (0 if self.start.names_author else self.facts.trailer)
        yield elided("provider", NAME, "notices, rest", why=WHY_OWN, size=size)

    def _end(self) -> Iterator[Segment]:
        if "task" in self.tools:
            opening, closing = "<tool_calling>\n", "\n</tool_calling>\n"
            size = self.parts.parallel - len(opening) - len(closing)
            yield tail(opening, "provider")
            yield elided("provider", NAME, "note on agents that run beside", why=WHY_OWN, size=size)
            yield tail(closing, "provider")
        yield elided("provider", NAME, "end of the system prompt", why=WHY_OWN, size=self.parts.end)
