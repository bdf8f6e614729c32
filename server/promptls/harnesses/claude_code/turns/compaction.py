"""What a compaction leaves of a session of Claude Code, and what comes back with it (captured: compact-*).

What counts is whether the process that compacts has read the files itself (files/read_files.py): the program on the
screen has, ``claude -c -p /compact`` has not.
"""

from __future__ import annotations

from promptls.core.model import COMPUTED, Elided, Origin, Segment
from promptls.core.values import dataclass, replace
from promptls.harnesses.claude_code.environment import date, model
from promptls.harnesses.claude_code.files.at_start import slug
from promptls.harnesses.claude_code.files.read_files import within_a_millisecond
from promptls.harnesses.claude_code.git_status import attribution, git_status
from promptls.harnesses.claude_code.message_blocks import NAME, Again, in_reminder, merged, own_text, sectioned
from promptls.harnesses.claude_code.messages import FIRST, first_message, mode_of, start_block
from promptls.harnesses.claude_code.models import PLAN
from promptls.harnesses.claude_code.reminders import sections_again
from promptls.harnesses.claude_code.setup import AUTO
from promptls.harnesses.claude_code.system_prompt import SYSTEM
from promptls.harnesses.claude_code.turns.hooks import hook_sections, printed_by_hooks
from promptls.harnesses.claude_code.turns.local_commands import caveat, faint, named, printed
from promptls.harnesses.claude_code.turns.user_turns import TurnContent
from promptls.kit.candidates import Rule
from promptls.kit.paths import join, native
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.model import Call, Message, Turn
    from promptls.harnesses.claude_code.files.instruction_file import SentFile
    from promptls.harnesses.claude_code.files.read_files import ReadFiles
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.harnesses.claude_code.start_values import StartedSession
    from promptls.harnesses.claude_code.turns.tool_results import StepResults
    from promptls.kit.draft import Draft

# About so many characters are a token, as the program estimates it.
PER_TOKEN = 4
WHY_FILE = "after a compaction Claude Code sends files again that the session has read or written"
SAME_TIME = "Of files that were changed in the same millisecond, others may come back, or in another order."
WHY_SUMMARY = "the model's summary of what was said before; the history itself is not sent any more"
WHY_SKILL = "after a compaction Claude Code sends the skills again that it has used"
WHY_ASKS = "Claude Code asks the model for a summary"


@dataclass(slots=True)
class Compaction:
    """Compacts a session, again and again.

    ``left`` are the compactions that are still to come: only of the last one it matters what is sent. ``asks``: the
    session ends with it, and its request for a summary is wanted. ``now`` is the setup of the process that runs.
    """

    draft: Draft
    started: StartedSession
    entries: list[SentFile]
    steps: StepResults
    files: ReadFiles
    left: int
    asks: bool
    now: Setup
    # What the model has said since the last one, a step or an answer each, with what that has kept; and how many steps
    # of the turn were before it.
    rounds: int = 0
    steps_before: int = 0
    # What goes with the next prompt.
    again: Again | None = None

    @property
    def is_agent(self) -> bool:
        """Whether the session is that of a sub-agent."""
        return self.started.task is not None

    @property
    def is_shown(self) -> bool:
        """Whether something of what this compaction leaves is in the request that is shown."""
        return self.left <= int(self.asks)

    def counts(self) -> None:
        """A turn is over."""
        self.rounds, self.steps_before = self._rounds() + 1, 0

    def _rounds(self) -> int:
        return self.rounds + self.steps.silent - self.steps_before

    # -- when ----------------------------------------------------------------------------------------------------

    def typed(self, turn: Turn, at: str, index: int) -> int:
        """``/compact`` in the place of a prompt, behind message ``index``. Returns the last index."""
        given = turn.compact or (turn.prompt or "").partition("/compact")[2].strip()
        self.left -= 1
        if self._is_asked_for():
            return self._asks_behind(index, at, given)
        says = [[caveat(self.now)], [named("compact", given)], [printed(self._says(at))]]
        self._compact(turn.summary, at, says, is_typed=True)
        return index

    def before(self, call: Call, at: str, index: int) -> int:
        """The program compacts by itself, before a prompt is sent. Returns the last index."""
        self.left -= 1
        if self._is_asked_for():
            return self._asks(index + 2, at, self._request("", "auto", at, is_whole=self.rounds > 1))
        self._compact(call.summary, at, [], is_typed=False)
        return index

    def between_steps(self, call: Call, start: int) -> int:
        """The same between two steps; the results of the last one are message ``start``. Returns the last index."""
        at = call.at
        self.left -= 1
        kept = [message for message in self.draft.messages if message.index >= start]
        if self._is_asked_for():
            return self._asks_between(kept, start, at)
        # Of one prompt and its first step nothing is kept (captured: compact-in-subagent; seen by verify).
        keeps = self._rounds() > 1
        restored, sections = self._left_over(at, kept if keeps else ())
        self.rounds, self.steps_before = int(keeps), self.steps.silent
        if not self.is_shown:
            return start + 1
        self._clear()
        if not keeps:
            summary = [[self._summary(call.summary, is_alone=True)]]
            again = Again(FIRST, restored, summary, sections, goes_on=True)
            said = TurnContent(called=restored, typed=summary, again=again)
            return first_message(self.draft, self.started, self.entries, said, FIRST, at)
        index = self._front(call.summary, at)
        self._keep(kept, restored, sections, index, at)
        return index + 1

    # -- the request for a summary -------------------------------------------------------------------------------

    def _is_asked_for(self) -> bool:
        return self.asks and not self.left

    def _request(self, given: str, how: str, at: str, *, is_whole: bool) -> Block:
        """What asks for it (captured: compact-summary-request, compact-auto-summary).

        ``is_whole``: the history before it has what is kept, too; then it says more.
        """
        facts = self.now.facts
        size = facts.summary_request + (facts.summary_request_more if is_whole else 0)
        found = [own_text("request for a summary", WHY_ASKS, size)]
        typed: Block = [Segment("runtime", "arguments", given, COMPUTED, "it is typed with /compact", cache="turn")]
        said = [
            *([typed] if given else []),
            *(text for _, text in printed_by_hooks(self.draft, self.now, "PreCompact", how, at)),
        ]
        for number, text in enumerate(said):
            found += [head("\n\n" if number else "\n\nAdditional Instructions:\n", "runtime"), *text]
        return found

    def _asks(self, index: int, at: str, request: Block) -> int:
        self.draft.add_message("user", request, index=index, at=at)
        return index

    def _asks_behind(self, index: int, at: str, given: str) -> int:
        """Behind an answer: without it if a step is before it, which nothing but that keeps (seen by verify)."""
        if self.steps.last is None:
            return self._asks(index + 2, at, self._request(given, "manual", at, is_whole=self.rounds > 1))
        return self._asks_within(self.steps.last, at, self._request(given, "manual", at, is_whole=False))

    def _asks_between(self, kept: list[Message], start: int, at: str) -> int:
        """Between two steps: of a later step of a turn nothing is in it; of the first one, its results.

        Where nothing is kept, all is in it (seen by verify).
        """
        if self._rounds() == 1:
            return self._asks_within(start, at, self._request("", "auto", at, is_whole=False))
        if self.steps.silent - self.steps_before == 1:
            self._drop([message for message in kept if message.role == "user"])
            return self._asks_within(start, at, self._request("", "auto", at, is_whole=True))
        self._drop(kept)
        before = max(message.index for message in self.draft.messages if message.role == "tool")
        return self._asks_within(before, at, self._request("", "auto", at, is_whole=False))

    def _drop(self, messages: list[Message]) -> None:
        self.draft.messages[:] = [message for message in self.draft.messages if message not in messages]

    def _asks_within(self, start: int, at: str, request: Block) -> int:
        """Behind the results that are message ``start``, before the message of role system that followed them."""
        last = [message for message in self.draft.messages if message.index >= start]
        after = [message for message in last if message.role == "system"]
        results = self._parted([message for message in last if message.role != "system"])
        self._drop(last)
        self.draft.messages += results
        self.draft.add_message("user", request, index=start, block=len(results), at=at)
        self.draft.messages += after
        return start + 1

    # -- what is left --------------------------------------------------------------------------------------------

    def _compact(self, summary: str | None, at: str, says: list[list[Block]], *, is_typed: bool) -> None:
        """Behind an answer: the next prompt has what comes back with it."""
        keeps = self.rounds > 1
        restored, sections = self._left_over(at, is_typed=is_typed)
        self.rounds, self.steps_before = int(keeps), 0
        self._clear()
        if not self.is_shown:
            return
        index, has_front = FIRST, False
        if not keeps:
            says = [[self._summary(summary, is_alone=True)], *says]
        elif is_typed:
            self.draft.add_message("user", self._summary(summary), index=index, at=at)
            # An empty message of role system, and the answer.
            index += 2 if self.now.is_inline else 3
        else:
            index, has_front = self._front(summary, at), True
        self.again = Again(index, restored, says, sections, has_front)

    def _left_over(
        self, at: str, kept: Sequence[Message] = (), *, is_typed: bool = False
    ) -> tuple[list[Block], list[Block]]:
        """Files as calls of tools, and sections of role system; the rest is forgotten, but for what is ``kept``."""
        steps, files, facts = self.steps, self.files, self.now.facts
        files.brought()
        read = _read_at({message.at for message in kept})
        known = files.last(facts.restored_files + 1, read)
        paths = known[: facts.restored_files]
        called, notes = self._files(paths, at)
        invoked = self._invoked()
        # A skill that a step made known which stays is not listed once more (seen by verify).
        told = {segment.origin.path for message in kept for segment in message.segments if segment.origin.path}
        active = steps.nested.again(paths, is_typed=is_typed) if steps.nested is not None else []
        active = [line for line in active if line.skill is None or line.skill.path not in told]
        mode = mode_of(self.now)
        is_plan = self.now.mode == PLAN
        # If it is typed where it may ask its maker's servers; otherwise with the next step (seen by verify; captured:
        # interactive-compact-then-read).
        is_told = is_typed and self.now.is_online and not self.now.in_editor
        at_once = mode if is_told and self.now.mode == AUTO else []
        is_unordered = (files.is_compacted or not files.asked) and within_a_millisecond(self.now, known)
        files.keep(paths, read)
        steps.again = [] if is_typed else paths
        steps.forget([] if is_plan or at_once else mode, paths, files.own, told)
        if not self.is_shown:
            return [], []
        if is_unordered:
            self.draft.notes.append(SAME_TIME)
        hooked = hook_sections(self.draft, self.now, "SessionStart", "compact", at)
        at_work = steps.at_work if self.now.is_interactive else []
        first = [*notes, *(mode if is_plan else []), *at_work, *([invoked] if invoked else [])]
        return called, [
            *sections_again(self.draft, self.started, first, active, model=model(self.now), hooked=hooked),
            *at_once,
        ]

    def _files(self, paths: list[str], at: str) -> tuple[list[Block], list[Block]]:
        """Each file as if a tool had read it now; of a large one only its name (captured: compact-big-file)."""
        facts = self.now.facts
        called: list[Block] = []
        notes: list[Block] = []
        for path in paths:
            rule = Rule(WHY_FILE, Origin("computed", path=path, name=path), "prompt", at)
            blocks = self.steps.attacher.called(path, rule)
            size = sum(segment.characters for block in blocks[1:] for segment in block)
            if size > facts.restored_tokens * PER_TOKEN:
                reason = f"it has more than about {facts.restored_tokens:,} tokens, so only its name is sent"
                self.draft.candidates.append(rule.excluded(path, reason))
                note = elided("runtime", NAME, "note on a large file", why=reason, size=facts.restored_note)
                notes.append([head(f"Note: {native(path)}", "runtime", path=path), replace(note, cache="turn")])
            else:
                self.draft.candidates.append(rule.loaded(path))
                called += blocks
        return called, notes

    def _invoked(self) -> Block:
        """The skills that this process has used, the last one first, within limits (captured: compact-skills-*)."""
        found: Block = []
        left = self.now.facts.invoked_tokens_of_all
        self.steps.restored = set()
        for name, (label, text) in reversed(self.steps.invoked.items()):
            kept = self._within(text)
            tokens = round(sum(segment.characters for segment in kept) / PER_TOKEN)
            if tokens > left:
                continue
            left -= tokens
            self.steps.restored.add(name)
            title = f"### Skill: {name}\nPath: {label}\n\n"
            found += [head(f"\n\n---\n\n{title}" if found else f"\n\n{title}", "runtime"), *kept]
        if not found:
            return []
        begins = elided(
            "runtime", NAME, "note on the skills that were used", why=WHY_SKILL, size=self.now.facts.invoked_head
        )
        return [replace(begins, cache="turn"), *found]

    def _within(self, text: Block) -> Block:
        """The beginning of a skill's text, with a line that says so (captured: interactive-compact-skill-again)."""
        facts = self.now.facts
        limit = facts.invoked_tokens * PER_TOKEN
        if sum(segment.characters for segment in text) <= limit:
            return text
        room, kept = limit - facts.invoked_cut, []
        for segment in text:
            kept.append(segment if segment.elided else replace(segment, text=segment.text[: max(room, 0)]))
            room -= segment.characters
        why = f"of a skill {limit:,} characters are sent again"
        cut = elided("runtime", NAME, "note on the end of a skill", why=why, size=facts.invoked_cut)
        return [*kept, replace(cut, cache="turn")]

    # -- messages ------------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self.draft.messages[:] = [message for message in self.draft.messages if message.index == SYSTEM]

    def _front(self, summary: str | None, at: str) -> int:
        """Files, state of git and summary, then the date; returns the index of what stays of the history."""
        setup = self.started.setup
        blocks = [start_block(self.started, self.entries)] if self.entries else []
        if self.started.has_git_status and setup.facts.git_status_in_first_message:
            blocks.append(in_reminder(git_status(setup), "environment"))
        if blocks:
            blocks[-1] = [*blocks[-1], tail(setup.facts.files_end)]
        for block, piece in enumerate([*blocks, self._summary(summary)]):
            self.draft.add_message("user", piece, index=FIRST, block=block, at=at)
        if setup.is_inline:
            return FIRST + 2
        self.draft.add_message("system", date(setup), index=FIRST + 1, at=at)
        return FIRST + 3

    def _keep(self, kept: list[Message], restored: list[Block], sections: list[Block], index: int, at: str) -> None:
        """The last step, with what comes back behind it (captured: compact-auto-then-read)."""
        setup = self.started.setup
        results = self._parted([message for message in kept if message.role != "system"])
        said = [[*message.segments] for message in kept if message.role == "system"]
        blocks = restored if setup.is_inline else merged([[piece] for piece in restored])
        if setup.is_inline:
            blocks += [in_reminder(section, "runtime") for section in sections]
        if self.started.has_attribution and (commits := attribution(setup)):
            blocks.append(in_reminder(commits, "environment"))
        for block, message in enumerate(results):
            self.draft.messages.append(replace(message, index=index, block=block))
        for block, piece in enumerate(blocks, len(results)):
            self.draft.add_message("user", piece, index=index, block=block, at=at)
        if not setup.is_inline:
            self.draft.add_message("system", sectioned([*said, *sections]), index=index + 1, at=at)

    def _parted(self, results: list[Message]) -> list[Message]:
        """The results of a step that another block follows: a line end parts the two (captured by verify)."""
        if self.started.setup.is_inline or not results or results[-1].role != "user":
            return results
        *others, last = results
        return [*others, replace(last, segments=(*last.segments, tail("\n")))]

    def _summary(self, summary: str | None, *, is_alone: bool = False) -> Block:
        """The model's own words, and what the program says around them (captured: compact-typed-then-read)."""
        facts, setup = self.now.facts, self.now
        title, unknown = "summary of the session", "⟪the model's summary of the session⟫"
        text = Segment("runtime", title, summary or unknown, COMPUTED, WHY_SUMMARY, cache="turn")
        text = text if summary else replace(text, elided=Elided(title))
        tools = ", ".join(sorted(self.steps.tools))
        used = (
            f"<system-reminder>\n<tools-used-before-summary>{tools}</tools-used-before-summary>\n</system-reminder>\n"
        )
        place = native(join(setup.directory, "projects", slug(native(setup.cwd), facts.slug_length)))

        def note(name: str, size: int) -> Segment:
            return own_text(name, WHY_SUMMARY, size)

        return [
            note("introduction of the summary", facts.summary_head),
            head(f"\n\n{used}Summary:\n", "runtime"),
            text,
            tail("\n\n", "runtime"),
            note("note on the record", facts.summary_transcript),
            head(f"{place}/", "runtime"),
            note("id of the session", facts.session_id),
            *([head("/subagents/agent-", "runtime"), note("id of the agent", facts.agent_id)] if self.is_agent else []),
            tail(".jsonl\n", "runtime"),
            note("end of the summary", facts.summary_end_alone if is_alone else facts.summary_end),
        ]

    def _says(self, at: str) -> Block:
        """What /compact prints, with what hooks print (captured: compact-hooks)."""
        facts, setup = self.now.facts, self.now
        size = facts.compacted_interactive if setup.is_interactive else facts.compacted
        size = facts.compacted_in_editor if setup.in_editor else size
        found = [own_text("answer of /compact", "/compact is done", size)]
        for event in ("PreCompact", "PostCompact"):
            for command, said in printed_by_hooks(self.draft, setup, event, "manual", at):
                line = [head(f"{event} [{command}] completed successfully: ", "runtime"), *said]
                found += [tail("\n", "runtime"), *faint(setup, line)]
        return found


def _read_at(events: Iterable[str]) -> list[str]:
    """The files that these calls read."""
    return [event.removeprefix("read:") for event in events if event.startswith("read:")]
