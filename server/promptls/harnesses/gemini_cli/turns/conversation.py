"""What is said to Gemini CLI and done: what the user types, and what tools, compressions and sub-agents make of it."""

from __future__ import annotations

from promptls.core.model import COMPUTED, START, Origin, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.gemini_cli.environment import headed_directories, session_context
from promptls.harnesses.gemini_cli.files.loaded import nearby
from promptls.harnesses.gemini_cli.files.tree import Ignored
from promptls.harnesses.gemini_cli.listing import commands, servers, skills
from promptls.harnesses.gemini_cli.listing.agents import Agent
from promptls.harnesses.gemini_cli.listing.inventory import AGENT_TOOL, SKILLS, is_attended, tools_of_agent
from promptls.harnesses.gemini_cli.system import system_of_agent
from promptls.harnesses.gemini_cli.turns import mentions
from promptls.harnesses.gemini_cli.turns.tool_results import read_result
from promptls.kit import tool_calls as calls
from promptls.kit.paths import is_below, native, parent
from promptls.kit.pieced_text import after, before, segments
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.model import Call, Role, Tool, Turn
    from promptls.harnesses.gemini_cli.files.loaded import Loaded
    from promptls.harnesses.gemini_cli.files.places import Search
    from promptls.harnesses.gemini_cli.listing.inventory import Inventory
    from promptls.kit.args import Arguments

WHY_TIER_2 = "context files of extensions and of the project belong to the first user message"
WHY_COMPRESSED = "gemini-cli puts a summary in the place of the history"
WHY_AGENT = "the session starts this sub-agent"
# What the model is made to say behind a summary (later, A, 3).
TAKEN = "Got it. Thanks for the additional context!"
# A resumed session leaves out messages that begin so (source: isIgnoredUserContent).
DROPPED = ("/", "?", "<session_context>", "<hook_context>")
NO_PLACE = (
    "In the middle of the first turn Gemini CLI compresses nothing, as it keeps all from the last prompt on: the whole "
    "history is shown."
)


@dataclass(slots=True)
class HistoryMessage:
    """One message of the history, and whether it begins with what the user typed; a resumed session may drop it.

    ``is_rewritten``: a compression has recorded it anew.
    """

    role: Role
    parts: list[list[Segment]]
    at: str
    is_typed: bool = False
    times: int = 1
    is_kept: bool = True
    is_rewritten: bool = False


@dataclass(slots=True)
class Conversation:
    """Writes the messages of the last request of a session.

    ``history`` is what follows the session's context; ``folders`` are those of skills that were activated.
    """

    search: Search
    inventory: Inventory
    roots: list[str]
    loaded: Loaded
    command: Arguments
    history: list[HistoryMessage] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    is_compressed: bool = False

    def send(self) -> tuple[Tool, ...] | None:
        """Write the messages behind the system instruction; the tools, where they are not those of the session."""
        session = self.search.draft.session
        turns = session.turns
        for number, turn in enumerate(turns, 1):
            if turn.resumes:
                self._resume()
            if turn.compact is not None:
                if session.request == "summary" and number == len(turns):
                    return self._ask_for_summary()
                self._compress(turn.summary)
                continue
            self._type(number, turn)
            if (started := self._act(turn, is_last=number == len(turns))) is not None:
                return self._send_of_agent(*started)
        if session.request == "summary":
            ends = bool(turns) and bool(turns[-1].calls) and bool(turns[-1].calls[-1].compact)
            return self._ask_for_summary(is_within=ends and self._has_called())
        if not turns:
            self._type(1, None)
        roots = [*self.roots, *self.folders] if self.is_compressed else self.roots
        self._write(list(first_message(self.search, self.inventory, roots, self.loaded)), self.history)
        return None

    def _write(self, first: list[Segment], history: Sequence[HistoryMessage]) -> None:
        """The first message, whose first part is the session's context, and what follows."""
        draft, index, block, role = self.search.draft, 1, len(first[:1]), "user"
        draft.add_message("user", first, index=index)
        for each in history:
            if (each.role, each.role, each.at) != ("user", role, START):
                index, block = index + 1, 0
            role = each.role
            for part in each.parts * each.times:
                draft.add_message(each.role, part, index=index, block=block, at=each.at)
                block += 1

    def _resume(self) -> None:
        """A new process takes the session up: it has read nothing yet (captured: resume-plain)."""
        del self.loaded.paths[self.loaded.at_start :]
        self.folders.clear()
        self.history = [each for each in self.history if each.is_kept]
        # A defect of the program: each result that it has recorded is sent twice (captured: resume-plain), but for
        # what a compression has recorded (seen by verify).
        for each in self.history:
            each.times = 2 if each.role == "tool" and not each.is_rewritten else 1

    def _type(self, number: int, turn: Turn | None) -> None:
        """What the user types, with what it mentions, and what hooks say: of the start, and of each prompt.

        On the screen those of the start are a message of their own, which no record has; in a run they stand before the
        prompt, and a resumed session drops a message that begins so (parts: hook-session-start; seen by verify).
        Directories beside the first one are added once the screen is there, and all are said again (seen by verify).
        """
        prompt = turn.prompt if turn is not None else None
        if number == 1 and prompt is None:
            prompt = self.command.last("prompt") or " ".join(self.command.rest) or None
        elif prompt is None:
            return
        resumes = turn is not None and turn.resumes
        session = self.search.draft.session
        is_screen = is_attended(replace(session, turns=session.turns[:number]))
        started: list[Segment] = []
        if resumes or number == 1:
            how = servers.RESUME if resumes else servers.STARTUP
            started = [*servers.hooks(self.search, servers.SESSION_START, how)]
        at = START if number == 1 else f"turn:{number}"
        if is_screen and not resumes and number == 1 and self.roots[1:]:
            added = headed_directories(self.search, self.roots, self.inventory.facts)
            self.history.append(HistoryMessage("user", [list(added)], at))
        if is_screen and started and not resumes:
            self.history.append(HistoryMessage("user", [started], at, is_kept=False))
        parts = [list(part) for part in self._typed_parts(prompt, at)] if prompt is not None else []
        is_kept = not (parts and "".join(segment.text for segment in parts[0]).strip().startswith(DROPPED))
        if started and not is_screen:
            is_kept = False
            parts[:1] = [[*started, tail("\n\n", "runtime"), *parts[0]]] if parts else [started]
        asked = [*servers.hooks(self.search, servers.BEFORE_AGENT)]
        parts += [asked] if asked else []
        if parts:
            self.history.append(HistoryMessage("user", parts, at, is_typed=True, is_kept=is_kept))

    def _typed_parts(self, typed: str, at: str) -> Iterator[list[Segment]] | list[list[Segment]]:
        """The parts of the message: of a command that is called, else of the text and the files that it mentions."""

        def context(directory: str) -> list[Segment]:
            return nearby(self.search, self.roots, self.loaded, directory, at)

        ignored = Ignored(self.search.host, self.search.cwd)
        names = frozenset(self.inventory.agents)
        reader = mentions.Reader(self.search, self.roots, self.inventory.facts, ignored, names, context)
        if self.inventory.in_editor:
            # There the text of a prompt calls no command, and its names of files are no mentions (seen by verify).
            return [[Segment("runtime", "prompt", typed, Origin("argument"), mentions.WHY_TYPED)]]
        called = commands.called(self.inventory.commands, typed, reader)
        return called if called is not None else mentions.typed_parts(reader, typed)

    def _act(self, turn: Turn, *, is_last: bool) -> tuple[Agent, Call] | None:
        """The results of a turn's calls; the sub-agent whose request is the last one of the session."""
        last = turn.calls[-1] if turn.calls and is_last else None
        for call in turn.calls:
            if call.compact:
                if not (call is last and self.search.draft.session.request == "summary"):
                    self._compress(call.summary, is_within=self._has_called())
                continue
            agent = self._agent(call)
            if agent is not None and call is last and calls.is_inside(call, self.search.draft.session):
                return agent, call
            if agent is not None:
                self._read_all(call)
            elif call is last and call.tool == AGENT_TOOL:
                self._say_that_none_starts(calls.text(call, "agent_name"))
            result = [*self._result(call, agent), *servers.hooks(self.search, servers.AFTER_TOOL)]
            self.history.append(HistoryMessage("tool", [result], call.at))
        return None

    # -- a compression (later, A) ----------------------------------------------------------------------------------

    def _compress(self, summary: str | None, *, is_within: bool = False) -> None:
        """A summary in the place of the history, up to the first prompt behind most of it (captured: compact-typed).

        ``is_within`` a turn it ends before the last prompt at the latest (captured: compact-auto-mid; seen by verify).
        """
        if not self.history:
            self.search.draft.notes.append("There is nothing to compress yet, so Gemini CLI leaves it.")
            return
        kept = self._split(is_within=is_within)
        if not kept:
            self.search.draft.notes.append(NO_PLACE)
            return
        for each in self.history[kept:]:
            each.is_rewritten = True
        title, why = "summary", WHY_COMPRESSED
        if summary is None:
            said = elided("runtime", "gemini-cli", title, why=f"{why}; the model writes it")
        else:
            said = Segment("runtime", title, summary, COMPUTED, why)
        taken = Segment("runtime", "answer to the summary", TAKEN, COMPUTED, why)
        self.history = [
            HistoryMessage("user", [[said]], START),
            HistoryMessage("assistant", [[taken]], START),
            *self.history[kept:],
        ]
        self.is_compressed = True

    def _has_called(self) -> bool:
        return bool(self.history) and self.history[-1].role == "tool"

    def _split(self, *, is_within: bool) -> int:
        """How many messages of the history are compressed."""
        first = list(first_message(self.search, self.inventory, self.roots, self.loaded))
        before_all = 0 if self.is_compressed else sum(each.characters for each in first)
        most = self.inventory.facts.compressed * (before_all + sum(map(self._length, self.history)))
        so_far = before_all
        # The first prompt is in one message with the session's context, so nothing is before it.
        first_typed = next((number for number, each in enumerate(self.history) if each.is_typed), 0)
        for number, each in enumerate(self.history):
            if each.is_typed and number > (0 if self.is_compressed else first_typed) and so_far >= most:
                return number
            so_far += self._length(each)
        if not is_within:
            return len(self.history)
        return max((number for number, each in enumerate(self.history) if each.is_typed), default=0)

    def _length(self, each: HistoryMessage) -> int:
        """About how long a message is as JSON, with the call that it answers, or with a short answer behind it."""
        facts, is_result = self.inventory.facts, each.role == "tool"
        around, before = (facts.json_result, facts.json_call) if is_result else (facts.json_text, facts.json_text)
        parts = sum(around + sum(segment.characters for segment in part) for part in each.parts)
        return 2 * facts.json_message + before + parts * each.times

    def _ask_for_summary(self, *, is_within: bool = False) -> tuple[Tool, ...]:
        """What is compressed, without global files and tools, and what asks (captured: compact-typed-summary)."""
        draft, facts = self.search.draft, self.inventory.facts
        draft.messages.clear()
        why = "gemini-cli asks for a summary"
        system = elided("provider", "gemini-cli", "instructions for a summary", why=why, size=facts.summary_system)
        draft.add_message("system", [system], index=0)
        asks = elided("runtime", "gemini-cli", "request for a summary", why=why, size=facts.summary_ask)
        first = [] if self.is_compressed else list(first_message(self.search, self.inventory, self.roots, self.loaded))
        history = self.history[: self._split(is_within=is_within)]
        self._write(first, [*history, HistoryMessage("user", [[asks]], "request:summary")])
        return ()

    # -- sub-agents (later, B) -------------------------------------------------------------------------------------

    def _agent(self, call: Call) -> Agent | None:
        """The sub-agent that a call starts; None for one that there is not, or that fails or is refused."""
        name = calls.text(call, "agent_name") if call.tool == AGENT_TOOL else ""
        agent = self.inventory.agents.get(name)
        if agent is None or agent.unknown_input is not None or self._refuses(name):
            return None
        return agent

    def _refuses(self, name: str) -> bool:
        """Whether plan mode keeps a sub-agent from starting (seen by verify) [source: policies/plan.toml]."""
        return self.inventory.mode == "plan" and name not in self.inventory.facts.agents_of_plan

    def _say_that_none_starts(self, name: str) -> None:
        from promptls.kit.delegated import says_none  # noqa: PLC0415 - few sessions start a sub-agent

        is_there = name in self.inventory.agents
        cannot = "may not be started in plan mode" if self._refuses(name) else "cannot be started"
        says = f"The agent {name!r} {cannot}, so no sub-agent starts, and the main session is shown."
        self.search.draft.notes.append(says if is_there else says_none(name, self.inventory.agents))

    def _read_all(self, call: Call) -> None:
        """What a sub-agent reads counts as loaded in the whole process (captured: subagent-after-read)."""
        for step in call.steps or ():
            for each in step:
                self._result(each, None)

    def _send_of_agent(self, agent: Agent, call: Call) -> tuple[Tool, ...]:
        """Write the request of a sub-agent: the project's files, the task, and what it has done so far."""
        from promptls.kit.delegated import says_shown  # noqa: PLC0415 - few sessions start a sub-agent

        search, inventory, loaded = self.search, self.inventory, self.loaded
        search.draft.notes.append(says_shown([agent.name], has_done=bool(call.steps)))
        offered = tools_of_agent(search, inventory, agent)
        if any(each.tool == AGENT_TOOL for step in call.steps or () for each in step):
            search.draft.notes.append(f"The agent {agent.name} has no tool {AGENT_TOOL}, so it starts none.")
        has_skills = any(each.name == SKILLS for each in offered)
        system = system_of_agent(search, inventory, self.roots, loaded, agent, has_skills=has_skills)
        search.draft.messages.clear()
        search.draft.add_message("system", system, index=0)
        context = loaded_context(inventory, loaded)
        built_in = inventory.facts.built_in_agents.get(agent.name) if agent.body is None else None
        task: list[Segment] = [Segment("runtime", "task", calls.text(call, "prompt"), Origin("argument"), WHY_AGENT)]
        if built_in is not None and built_in.tag:
            why = "gemini-cli asks this sub-agent so"
            asks = elided("runtime", "gemini-cli", "request to the sub-agent", why=why, size=built_in.before)
            task = [asks, tail(f"\n<{built_in.tag}>\n", "runtime"), *task, tail(f"\n</{built_in.tag}>", "runtime")]
        done = [HistoryMessage("user", [task], START)]
        for step in call.steps or ():
            done += [HistoryMessage("tool", [self._result(each, self._agent(each))], each.at) for each in step]
        self._write(list(context), done)
        return offered

    # -- results of tools ------------------------------------------------------------------------------------------

    def _result(self, call: Call, agent: Agent | None) -> list[Segment]:
        """What a tool answers, as far as files decide it."""
        if call.read is not None:
            return self._read(call.read)
        name = calls.text(call, "name")
        if call.tool == SKILLS:
            skill = self.inventory.skills.get(name)
            if skill is not None and skill.path is not None and parent(skill.path) not in self.folders:
                self.folders.append(parent(skill.path))
            return skills.tool_result(self.search, skill, name, self.inventory.facts)
        if agent is not None:
            why = "gemini-cli announces the answer of the sub-agent"
            size = self.inventory.facts.agent_answer
            announced = elided("runtime", "gemini-cli", f"heading of the answer of {agent.name}", why=why, size=size)
            answer = elided("runtime", "gemini-cli", f"answer of {agent.name}", why="only the sub-agent knows it")
            return [announced, tail("\n", "runtime"), answer]
        return [elided("runtime", "gemini-cli", f"result of {call.tool}", why="only the tool knows what it answers")]

    def _read(self, read: str) -> list[Segment]:
        """The tool's answer; reading a directory means listing it."""
        search = self.search
        path, at = search.host.realpath(read), f"read:{read}"
        kind = search.host.kind(path)
        within = [root for root in self.roots if is_below(path, root)]
        if not within or kind not in ("file", "directory"):
            why = "the file is not in a workspace directory" if kind else "there is no such file"
            return [elided("runtime", "gemini-cli", f"error of reading {read}", why=why)]
        if kind == "directory":
            result = [elided("runtime", "gemini-cli", f"list of {read}", why="the session lists this directory")]
        elif Ignored(search.host, within[0]).has(path, is_directory=False):
            import json  # noqa: PLC0415 - few sessions read what is ignored

            # (wire: read-ignored)
            says = f"File path '{native(path)}' is ignored by configured ignore patterns."
            answer = json.dumps({"error": says}, ensure_ascii=False, separators=(",", ":"))
            return [Segment("runtime", f"error of reading {read}", answer, COMPUTED, "the file is ignored")]
        else:
            result = read_result(self.inventory.facts, search.host, path)
        directory = path if kind == "directory" else parent(path)
        return [*result, *nearby(search, within, self.loaded, directory, at)]


def first_message(search: Search, inventory: Inventory, roots: list[str], loaded: Loaded) -> Iterator[Segment]:
    """The session's context, and in it tier 2 (section "Three tiers"; parts: baseline)."""
    yield head("<session_context>\n", "environment")
    yield from session_context(search, roots, inventory.facts)
    yield tail("\n\n", "environment")
    yield from loaded_context(inventory, loaded)
    yield tail("\n</session_context>", "environment")


def loaded_context(inventory: Inventory, loaded: Loaded) -> Iterator[Segment]:
    """Tier 2, and after it what MCP servers say (parts: extension, mcp-two-servers), if any does (captured: shape)."""
    told = list(servers.instructions(inventory.servers))
    if not (loaded.extension or loaded.project or told):
        return
    seen: set[str] = set()
    yield head("\n<loaded_context>\n")
    if loaded.extension:
        tagged = [before("<extension_context>\n"), *loaded.extension, after("\n</extension_context>\n")]
        yield from segments(tagged, "instructions", WHY_TIER_2, seen)
    if loaded.project or told:
        yield from segments([before("<project_context>\n"), *loaded.project], "instructions", WHY_TIER_2, seen)
        for number, said in enumerate(told):
            yield from ([tail("\n\n")] if number or loaded.project else [])
            yield from said
        yield tail("\n</project_context>\n")
    yield tail("</loaded_context>")
