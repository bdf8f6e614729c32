"""What the steps of a session of Claude Code bring: results of tools, and what comes with them (specification, 5, 7).

The calls of one step are parallel: their results are in one message, and what they add follows all of them.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.spec import ending
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.files.on_touch import added
from promptls.harnesses.claude_code.files.rules import denied, is_refused
from promptls.harnesses.claude_code.listing.agents import DELEGATING
from promptls.harnesses.claude_code.listing.nested_skills import TOOLS
from promptls.harnesses.claude_code.message_blocks import NAME, in_reminder, own_text, sectioned, with_seam
from promptls.harnesses.claude_code.turns import large_reads
from promptls.harnesses.claude_code.turns.calls import SELECT, input_of, text_of, tool_of, touched, within
from promptls.harnesses.claude_code.turns.command_text import Use, plain
from promptls.harnesses.claude_code.turns.hooks import hook_sections
from promptls.harnesses.claude_code.turns.mentions import BINARY, is_in_lines, lines_of, numbered, readable
from promptls.harnesses.claude_code.turns.task_list import TaskList
from promptls.kit.javascript import SPACE
from promptls.kit.paths import resolve
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Mapping
    from typing import Protocol

    from promptls.core.files import Contents
    from promptls.core.model import Call, Turn
    from promptls.harnesses.claude_code.files.instruction_file import SentFile
    from promptls.harnesses.claude_code.files.on_touch import Reads
    from promptls.harnesses.claude_code.files.read_files import ReadFiles
    from promptls.harnesses.claude_code.listing.nested_skills import NestedSkills
    from promptls.harnesses.claude_code.listing.skills import Skill, Skills
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.harnesses.claude_code.turns.mentions import Attacher
    from promptls.harnesses.claude_code.turns.user_turns import TurnContent
    from promptls.kit.draft import Draft

    class Compacts(Protocol):
        """What compacts a session."""

        def between_steps(self, call: Call, start: int) -> int:
            """Behind a step, the results of which are message ``start``. Returns the last index."""


# What names the origin of a skill after a compaction (captured: interactive-compact-skill-again).
INVOKED_FROM = {"project": "projectSettings", "user": "userSettings", "managed": "policySettings"}

# (seen by verify)
AT_WORK = (
    "An agent works in the background. When it ends, Claude Code goes on by itself with a notice that has its answer: "
    "a session cannot say when, so that is not shown."
)


@dataclass(slots=True)
class Brought:
    """What one call adds: its result, blocks of the user's after the results, and sections of role system."""

    call: Call
    result: Block
    # Neighbouring messages of the user's, each with its blocks.
    messages: list[list[Block]] = field(default_factory=list)
    nested: list[SentFile] = field(default_factory=list)
    # Files near which skills may be.
    files: list[str] = field(default_factory=list)
    sections: list[Block] = field(default_factory=list)
    # What is said of a page of a large file.
    note: Block = field(default_factory=list)
    # Where reminders are inside of the result: what stands before the nested files.
    ahead: list[Block] = field(default_factory=list)
    # Of a skill that the session itself uses, not a sub-agent.
    uses_skill: bool = False


@dataclass(slots=True)
class StepResults:
    """The steps of a session so far."""

    draft: Draft
    started: StartedSession
    reads: Reads
    attacher: Attacher
    nested: NestedSkills | None
    # Said after each step: the style, and how many tokens are left.
    reminder: Block
    counter: Block
    # What is said of the model.
    model: Block
    # What the first turn has left to be said (captured: typed-path-first).
    waiting: list[Block] = field(default_factory=list)
    # The text of each skill that was called, and of those of the step.
    used: dict[str, str] = field(default_factory=dict)
    using: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    switched: Block = field(default_factory=list)
    # What a sub-agent gets with the results of its first step, before and behind the skills that these make known.
    ahead: list[Block] = field(default_factory=list)
    behind: list[Block] = field(default_factory=list)
    # The skills that the running process has used, with what names their origin and their text; the last one last.
    invoked: dict[str, tuple[str, Block]] = field(default_factory=dict)
    # Of these: whose text a compaction has sent again.
    restored: set[str] = field(default_factory=set)
    # The names of the tools that were called.
    tools: set[str] = field(default_factory=set)
    # What a compaction leaves to be said with the next step.
    mode: list[Block] = field(default_factory=list)
    # What a compaction that nobody typed has sent again: the next step brings what lies near it (seen by verify).
    again: list[str] = field(default_factory=list)
    # Where the results of the last step are, and what compacts the session behind it.
    last: int | None = None
    # Calls of the step before whose sub-agents work beside the session: what they find is told with the next results.
    apart: list[Call] = field(default_factory=list)
    # What is said of each that is still at work, as far as a session says.
    at_work: list[Block] = field(default_factory=list)
    # Their descriptions, and those of agents that the process before has left at work.
    descriptions: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    compaction: Compacts | None = None
    # What it sends again.
    files: ReadFiles | None = None
    # Steps of the turn so far: a session says which tools the model calls, not what it writes beside that.
    silent: int = 0
    tasks: TaskList = field(default_factory=TaskList)

    @property
    def setup(self) -> Setup:
        """How the program was started."""
        return self.started.setup

    @property
    def skills(self) -> Skills:
        """The skills that there are."""
        return self.started.skills

    def take_up(self) -> None:
        """A new process goes on: what the one before knew, it has to find out again.

        Files, rules and skills that the history has are not sent again (requests: resume-again).
        """
        self.seen.clear()
        self.used.clear()
        self.using.clear()
        self.invoked.clear()
        self.restored.clear()
        self.mode, self.apart, self.at_work = [], [], []
        self.left, self.descriptions = self.descriptions, []
        self.reads.take_up()
        if self.files is not None:
            self.files.start()
        if self.nested is not None:
            self.nested.visited.clear()
            self.nested.lines.clear()

    def says(self, said: TurnContent) -> None:
        """What a prompt has brought: a skill that is typed, and files that it mentions."""
        if said.used is not None:
            self.uses(*said.used)
        if self.files is not None:
            self.files.mention(said.read, said.touched)
            self.files.looks()

    def forget(self, mode: list[Block], restored: Collection[str], own: Container[str], kept: set[str]) -> None:
        """A compaction leaves nothing of the history but what it sends again; ``mode`` is told with the next step.

        ``own``: the files that the process has read itself; ``kept``: those of the step that stays.
        """
        self.seen.clear()
        self.used.clear()
        self.using.clear()
        self.waiting = []
        self.mode, self.apart = mode, []
        self.tasks.idle = 0
        self.reads.forget(restored, own, kept)

    def turn(self, turn: Turn, index: int, *, is_last: bool = True) -> int:
        """Add all steps of a turn whose last message is ``index``; returns the last index.

        The first one of the last turn tells of a model that a command has switched to (captured: skill-model-step).
        """
        self.switched = self.model if is_last and self.setup.model_before is not None else []
        self.silent, self.last = 0, None
        for calls in turn.steps:
            if any(call.compact for call in calls):
                index = self._compact(calls, index)
                continue
            self.silent += 1
            # The model's calls are a message too.
            index = self.add(calls, index + 2)
            if self.files is not None:
                self.files.looks()
        self.again = []
        # The answer that ends the turn.
        self.tasks.idle += 1
        return index

    def _compact(self, calls: tuple[Call, ...], index: int) -> int:
        """The program compacts the session between two steps."""
        if self.compaction is None or self.last is None:
            return index
        index = self.compaction.between_steps(next(call for call in calls if call.compact), self.last)
        self.last = None
        return index

    def add(self, calls: Iterable[Call], index: int) -> int:
        """Add the results of the calls of one step, which are message ``index``; returns the last index."""
        calls = tuple(call for call in calls if not call.compact)
        if not calls:
            return index
        self.last = index
        # Those of sub-agents, too (seen by verify).
        inner = within(step for call in calls for step in call.steps or ())
        self.tools.update(tool_of(call) for call in (*calls, *inner) if not call.compact)
        # What one of the calls reads, the others bring no more.
        self.reads.known.update(path for call in calls for path in self._touched(call, input_of(call)))
        brought = [self._brought(call) for call in calls]
        self.used |= self.using
        if self.setup.is_inline:
            brought[-1].ahead = self.ahead
        else:
            brought[-1].sections += self.ahead
        brought[-1].sections += self._skills(brought)
        brought[-1].sections += self.behind
        self.ahead, self.behind = [], []
        if self.switched:
            brought[0].sections.insert(0, self.switched)
            self.switched = []
        if self.waiting:
            brought[-1].sections += self.waiting
            self.waiting = []
        elif not self.setup.is_inline and not any(map(self.started.becomes_copy, calls)):
            # (captured: interactive-compact-skill-again)
            twice = self.reminder if any(each.uses_skill for each in brought) else []
            after = (*self.mode, twice, self._silence(), self.counter, self.reminder)
            brought[-1].sections += [section for section in after if section]
            self.mode = []
        if self.setup.is_inline:
            reminder = self.tasks.after(calls, self.setup.facts) if self.started.task is None else []
            brought[-1].sections += [reminder] if reminder else []
            self._add_inline(brought, index)
            return index
        for block, each in enumerate(brought):
            self.draft.add_message("tool", each.result, index=index, block=block, at=each.call.at)
        for each in () if self.setup.facts.reads_bring_blocks else brought:
            each.sections, each.nested = [entry.bare() for entry in each.nested], []
        self._add_blocks(brought, index)
        sections = [(section, each.call.at) for each in brought for section in each.sections]
        if not sections:
            return index
        joined = sectioned([section for section, _ in sections], tagged=self.setup.is_tagged)
        self.draft.add_message("system", joined, index=index + 1, at=sections[0][1])
        return index + 1

    def _skills(self, brought: list[Brought]) -> list[Block]:
        """Skills that the step makes known; of those that a sub-agent has found, the lines alone (later, 3)."""
        if self.nested is None:
            return []
        at, has_worktree = brought[-1].call.at, self.started.task is not None and self.started.task.has_worktree
        files = [] if has_worktree else [path for each in brought for path in each.files]
        apart = [each.call for each in brought if each.call.steps and self._is_apart(each.call)]
        earlier, self.apart = self.heard(at), apart
        found = self.nested.discover(files, at)
        told = self.nested.discover(self._inside(each.call for each in brought if each.call not in apart), at)
        if not self.started.has_skills:
            return []
        return [*earlier, *found.sections(self.setup), *replace(told, notes=[]).sections(self.setup)]

    def heard(self, at: str) -> list[Block]:
        """What the sub-agents that work beside the session have found, for the request ``at``."""
        calls, self.apart = self.apart, []
        if self.nested is None or not calls:
            return []
        found = replace(self.nested.discover(self._inside(calls), at), notes=[])
        return found.sections(self.setup) if self.started.has_skills else []

    def _inside(self, calls: Iterable[Call]) -> list[str]:
        """The files that sub-agents have touched near which skills may be."""
        inner = within(step for call in calls for step in call.steps or ())
        return [path for each in inner if tool_of(each) in TOOLS for path in self._touched(each, input_of(each))]

    def _is_apart(self, call: Call) -> bool:
        """Whether the session goes on before the sub-agent has done anything."""
        from promptls.harnesses.claude_code.turns.subagents import is_apart  # noqa: PLC0415 - few start an agent

        return is_apart(self.started, call)

    def _silence(self) -> Block:
        """A note after some steps in which the model has written nothing (captured: silent6, silent-models)."""
        facts = self.setup.facts
        is_reminded = self.setup.is_reminded and not self.setup.is_bare and self.started.task is None
        if self.silent % facts.silent_steps or not is_reminded:
            return []
        why = f"the user has heard nothing for {facts.silent_steps} steps, if the model writes only calls of tools"
        says = elided("runtime", NAME, "reminder to keep the user informed", why=why, size=facts.silent_reminder)
        return [replace(says, cache="turn")]

    def _brought(self, call: Call) -> Brought:
        given = input_of(call)
        title = f"result of reading {call.read}" if call.read is not None else f"result of {call.tool}"
        why = "the session reads this file" if call.read is not None else "the session calls this tool"
        brought = Brought(call, [own_text(title, why)])
        is_failed = self._read(brought, given, why)
        if self.setup.is_bare:
            return brought
        if call.tool == "Skill":
            self._skill(brought, given)
        elif call.tool in DELEGATING and given:
            self._agent(brought, given)
        elif call.tool == "ToolSearch":
            self._found_tool(brought, given)
        paths = self._touched(call, given)
        for path in (*self.again, *paths):
            brought.nested += self.reads.nested(path, call.at)
        self.again = []
        tool = "Read" if call.read is not None else call.tool
        if self.files is not None:
            self.files.touch(tool, paths)
        brought.files += paths if tool in TOOLS else ()
        brought.sections += hook_sections(self.draft, self.setup, "PreToolUse", tool, call.at)
        if is_failed or (tool == "Read" and not call.was_read and any(self._fails(path, given) for path in paths)):
            return brought  # what follows on a call follows on one that has not failed (wire: read-missing)
        brought.sections += [brought.note] if brought.note and not self.setup.is_inline else []
        if _is_of_whole(call, given) and not brought.note:
            self.reads.held.update(paths)
        agents = [entry for path in paths for entry in self.reads.agents(path, call.at)] if tool == "Read" else []
        brought.sections += [added(agents, "tool.call")] if agents else []
        brought.sections += hook_sections(self.draft, self.setup, "PostToolUse", tool, call.at)
        return brought

    def _fails(self, path: str, given: Mapping[str, object]) -> bool:
        """Whether a file cannot be read: it is not there, too large as a whole, or binary (wire: read-binary)."""
        host, facts = self.setup.host, self.setup.facts
        is_whole = given.get("limit") is None
        return (
            host.kind(path) != "file"
            or ending(path) in facts.binary_ends
            or (is_whole and host.read(path).size > facts.mention_limit)
        )

    def _read(self, brought: Brought, given: Mapping[str, object], why: str) -> bool:
        """What a read answers (case skills-s45), where that is known: not of a file that is read again.

        Returns whether it is refused for its size.
        """
        path, facts = given.get("file_path"), self.setup.facts
        is_read = brought.call.read is not None or brought.call.tool == "Read"
        if not is_read or not isinstance(path, str) or not facts.reads_are_numbered:
            return False
        path = resolve(self.setup.cwd, path)
        if denied(self.setup, path) is not None:
            # (captured: skill-deny-rule)
            says = "permissions keep it unread"
            brought.result = [own_text(f"refusal to read {path}", says, facts.refused_read)]
            return False
        if ending(path) in facts.binary_ends and self.setup.host.kind(path) == "file":
            size = facts.refused_binary + len(ending(path))
            brought.result = [own_text(f"refusal to read {path}", BINARY, size)]
            return False
        contents = self.setup.host.read(path)
        if contents.state != "file" or path in self.seen or is_refused(self.setup, path):
            return False
        return self._lines(brought, path, contents, given, why)

    def _lines(self, brought: Brought, path: str, contents: Contents, given: Mapping[str, object], why: str) -> bool:
        """The lines of a file, or those that are asked for; whether they are too many (captured: read-large-*)."""
        facts, call = self.setup.facts, brought.call
        offset, limit = (value if isinstance(value, int) else None for value in map(given.get, ("offset", "limit")))
        first = max(offset or 1, 1)
        last = first + limit - 1 if limit else None
        is_allowed = given.get("allow_large") is True
        if contents.size > facts.mention_limit and limit is None:
            if is_allowed or call.was_read:
                return False
            brought.result = large_reads.too_many_bytes(facts, path, contents.size)
            return True
        page = None
        if is_in_lines(facts, path, contents) and not is_allowed:
            asked = "\n".join(lines_of(readable(path, contents), first, last))
            size = large_reads.size_of(self.setup, path, asked)
            is_whole = first == 1 and limit is None
            self.draft.note(large_reads.note_on_count(self.setup, size, "" if is_whole else "nothing"))
            if size.is_large and not is_whole:
                if call.was_read:
                    return False
                brought.result = large_reads.too_many_tokens(facts, size)
                return True
            page = large_reads.page(facts, size) if size.is_large else None
            brought.note = large_reads.page_note(facts, size, page) if page is not None else []
        if page is None:
            self.seen.add(path)
        brought.result = numbered(facts, path, contents, why, first, last, page=page)
        return False

    def _agent(self, brought: Brought, given: Mapping[str, object]) -> None:
        """What comes back from a sub-agent, or what makes a copy of the session one (captured: subagent-fork)."""
        facts = self.setup.facts
        if not self.started.becomes_copy(brought.call):
            from promptls.harnesses.claude_code.turns import subagents  # noqa: PLC0415 - few start an agent

            if facts.built_in_skills:
                brought.result = subagents.report(self.started, brought.call)
                self._leave_at_work(subagents.still_at_work(self.started, brought.call), text_of(given, "description"))
            return
        why = "the session goes on as a copy of itself, with a task"
        brought.result = [own_text("notice of the copy", why, facts.fork_notice)]
        says = own_text("what it says of the copy", why, facts.fork_text)
        task = Segment("runtime", "task", text_of(given, "prompt"), COMPUTED, why, cache="turn")
        brought.messages.append([[says, _literal("\n\nYour directive: "), task]])

    def _leave_at_work(self, agents: list[Block], description: str) -> None:
        self.at_work += agents
        if agents:
            self.descriptions.append(description)
            self.draft.note(AT_WORK)

    def _found_tool(self, brought: Brought, given: Mapping[str, object]) -> None:
        """Tools that are asked for by name: a reference to each, or that there is none (captured: tool-loaded)."""
        query, facts = text_of(given, "query"), self.setup.facts
        if not query.startswith(SELECT) or not facts.built_in_skills:
            return
        there = {*self.setup.tools.deferred, *self.setup.tools.interactive_deferred}
        found = [name for name in map(str.strip, query.removeprefix(SELECT).split(",")) if name in there]
        why = "the model asks for these tools by name"
        size = sum(facts.tool_reference + len(name) for name in found) if found else facts.no_tool_found
        brought.result = [own_text("what it has found", why, size)]
        if found:
            brought.messages.append([[_literal("Tool loaded.")]])

    def _skill(self, brought: Brought, given: Mapping[str, object]) -> None:
        """The text of a skill that the model calls (cases skill-tool, skill-tool-resources, skill-tool-s45)."""
        wanted = str(given.get("skill", "")).removeprefix("/")
        arguments = str(given.get("args") or "")
        skill, at = self.skills.find(wanted), brought.call.at
        if skill is None:
            self._built_in_skill(brought, wanted)
            return
        reason = self._refuses(skill)
        if reason is not None:
            self.draft.candidates.append(skill.rule(at).excluded(skill.path, reason))
            brought.result = self._refused(skill, reason)
            return
        self.draft.candidates.append(skill.rule(at).loaded(skill.path))
        text = Use(skill, arguments, "the model calls this skill", self.setup).text()
        if skill.is_forked:
            from promptls.harnesses.claude_code.turns import subagents  # noqa: PLC0415 - few call one

            brought.result = subagents.of_forked_skill(self.started, skill.name, brought.call)
            says = f"/{skill.name}"
            self._leave_at_work(subagents.still_at_work(self.started, brought.call, says), says)
            return
        brought.result = [_literal(f"Launching skill: {wanted}")]
        before, now = self.used.get(skill.name), "".join(segment.text for segment in text)
        self.using[skill.name] = now
        self.uses(skill, text)
        brought.uses_skill = True
        if skill.name in self.restored:
            # (captured: interactive-compact-skill-again)
            why = "a compaction has sent its text again, so Claude Code only points at it"
            size = self.setup.facts.skill_kept
            kept = elided("runtime", NAME, f"note on the skill {skill.name}", why=why, size=size)
            brought.messages.append([[replace(kept, cache="turn")]])
            return
        if before == now:
            # (cases skill-tool-twice, skill-tool-display-name; captured: skill-tool-again)
            says = f"Skill /{skill.name} is already loaded above; instructions unchanged."
            brought.messages.append([[_literal(f"{says} Arguments: {arguments}" if arguments else says)]])
            return
        if before is not None:
            # (captured: skill-tool-again)
            note = "note on a skill that is called again"
            rest = elided("runtime", NAME, note, why="the model calls this skill", size=self.setup.facts.skill_again)
            again: Block = [_literal(f"(Re-invocation of /{skill.name} "), replace(rest, cache="turn")]
            brought.messages += [[again], [text]]
            return
        attached = self.attacher.attach(plain(text), at=at)
        brought.messages += [[block] for block in attached.messages]
        brought.messages.append([text])
        brought.sections += attached.sections
        self.reads.known.update(attached.files)
        brought.nested += self.reads.near(attached.touched, at)
        brought.files += attached.files

    def uses(self, skill: Skill, text: Block) -> None:
        """Remember that the process uses a skill or command, the last one last."""
        self.invokes(skill.name, INVOKED_FROM.get(skill.source, skill.source), text)

    def invokes(self, name: str, source: str, text: Block) -> None:
        """The same of any skill (seen by verify: simplify)."""
        self.invoked.pop(name, None)
        self.invoked[name] = (f"{source}:{name}", text)

    def _built_in_skill(self, brought: Brought, wanted: str) -> None:
        if any(wanted == each.name for each in self.setup.own_skills):
            text = elided("instructions", NAME, f"skill {wanted}", why="the model calls this skill")
            brought.result = [_literal(f"Launching skill: {wanted}")]
            brought.messages.append([[replace(text, cache="turn")]])
            self.invokes(wanted, "bundled", [replace(text, cache="turn")])

    def _refuses(self, skill: Skill) -> str | None:
        """Why the model may not call a skill: ``-p`` asks nobody (case skill-tool-dmi; captured: skill-tool-denied)."""
        if skill.is_for_users_only:
            return "disable-model-invocation keeps it from the model"
        names = {"Skill", f"Skill({skill.name})"}
        if names & {*self.setup.settings.words("permissions", "deny")}:
            return DENIED
        asks = skill.front.get("allowed-tools") is not None and self.setup.mode != "bypassPermissions"
        allowed = {
            *self.setup.settings.words("permissions", "allow"),
            *self.setup.command.values.get("allowedTools", ()),
        }
        if asks and not names & allowed:
            return ASKS
        return None

    def _refused(self, skill: Skill, reason: str) -> Block:
        """What is answered in the place of a skill (captured: skill-deny-rule, skill-denied)."""
        facts = self.setup.facts
        if reason == ASKS:
            return [_literal(f"Execute skill: {skill.name}"), own_text("which permission would allow it", reason)]
        size = facts.refused_skill if reason == DENIED else None
        return [own_text(f"refusal of the skill {skill.name}", reason, size)]

    def _touched(self, call: Call, given: Mapping[str, object]) -> tuple[str, ...]:
        """The files whose nested files the call adds; a command that cannot find one of its files fails."""
        if call.read is not None:
            return () if is_refused(self.setup, call.read) else (call.read,)
        paths = touched(call.tool, given, self.setup.cwd)
        is_failed = call.tool == "Bash" and any(self.setup.host.kind(path) != "file" for path in paths)
        return () if is_failed or any(is_refused(self.setup, path) for path in paths) else paths

    def _add_blocks(self, brought: list[Brought], index: int) -> None:
        """Behind all results: what the calls bring, then the nested files (wire: nested-lazy-parallel-reads)."""
        messages = [(message, each.call.at) for each in brought for message in each.messages]
        messages += [([entry.in_reminder()], each.call.at) for each in brought for entry in each.nested]
        block = len(brought)
        for at, (message, event) in enumerate(messages, 1):
            for part in with_seam(message) if at < len(messages) else message:
                self.draft.add_message("user", part, index=index, block=block, at=event)
                block += 1

    def _add_inline(self, brought: list[Brought], index: int) -> None:
        """Reminders stand inside of the last result of a step.

        (wire: nested-lazy-read-sonnet-4-5, nested-lazy-read-v2185, parallel-reads-inline)
        """
        block = len(brought)
        for at, each in enumerate(brought):
            result = each.result
            reminders = self._inline_reminders(brought) if each is brought[-1] else []
            # A reference to a tool is no text that could go on (seen by verify with claude-sonnet-4-5).
            if each.call.tool == "ToolSearch" and each.messages:
                each.messages += [[reminder] for reminder in reminders]
            elif reminders:
                joined = [part for one in reminders for part in (tail("\n\n", one[0].layer), *one)]
                result = [*_without_end(result), *joined]
            self.draft.add_message("tool", result, index=index, block=at, at=each.call.at)
            for message in each.messages:
                for part in message:
                    self.draft.add_message("user", part, index=index, block=block, at=each.call.at)
                    block += 1

    def _inline_reminders(self, brought: list[Brought]) -> list[Block]:
        facts = self.setup.facts
        files = [in_reminder(each.note) for each in brought if each.note]
        files += [in_reminder(section) for each in brought for section in each.ahead]
        files += [entry.in_reminder() for each in brought for entry in each.nested]
        files += [in_reminder(section) for each in brought for section in each.sections]
        reminder = in_reminder([elided("runtime", NAME, "reminder", why=WHY_REMINDER, size=facts.result_reminder)])
        found = [*files, reminder] if facts.inline_files_first else [reminder, *files]
        return [*found, in_reminder(self.reminder, "provider")] if self.reminder else found


def _is_of_whole(call: Call, given: Mapping[str, object]) -> bool:
    """Whether the program knows the whole text of the files of a call (seen by verify)."""
    if call.tool == "Bash":
        return str(given.get("command")).startswith("cat ")
    return call.read is not None or (call.tool in TOOLS and not {"offset", "limit"} & given.keys())


def _without_end(block: Block) -> list[Segment]:
    """The same without white space at its end (wire: read-inline-end)."""
    found = list(block)
    while found and not found[-1].text.strip(SPACE):
        found.pop()
    return [*found[:-1], *(replace(each, text=each.text.rstrip(SPACE)) for each in found[-1:])]


DENIED = "a rule under permissions.deny refuses it"
ASKS = "a skill with allowed-tools needs permission, which nobody can grant in this session"
WHY_REMINDER = "a reminder of the program's own goes with each result"


def _literal(text: str) -> Segment:
    return Segment("runtime", "result", text, COMPUTED, "what Claude Code answers to the call", cache="turn")
