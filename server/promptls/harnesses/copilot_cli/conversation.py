"""What is said to Copilot CLI and done: what the user types, hooks, results of tools, and what becomes of it."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import COMPUTED, START, USED, Origin, Segment, Turn
from promptls.core.spec import ending
from promptls.core.text import decode, whole
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.copilot_cli.files.imports import mentions
from promptls.harnesses.copilot_cli.files.on_view import viewed, without_secrets
from promptls.harnesses.copilot_cli.listing import servers, skills
from promptls.harnesses.copilot_cli.listing.tools import AUTOPILOT, PLAN, TYPED_PLAN, Start
from promptls.harnesses.copilot_cli.spec import SPEC
from promptls.kit import tool_calls as calls
from promptls.kit.base import asks_nothing
from promptls.kit.paths import join, native, resolve
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from promptls.core.glob_index import Rules
    from promptls.core.model import Call, Role
    from promptls.harnesses.copilot_cli.files.instruction_files import InstructionFile
    from promptls.harnesses.copilot_cli.listing.agents import Agent
    from promptls.harnesses.copilot_cli.listing.servers import Hook
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.harnesses.copilot_cli.versions import Facts
    from promptls.kit.named import Named

    Kind = Literal["hook", "prompt", "result", "view", "skill", "summary"]

NAME = "Copilot CLI"
WHY_TYPED = "what the user types: Copilot CLI sends it as it is"
BESIDE = (
    "Copilot CLI compacts while the turn goes on, and sends the whole history until the model has written the summary; "
    "here that is done before the next call."
)
WHY_COMPACTED = "Copilot CLI puts a summary in the place of the history"
WHY_IN_EDITOR = "in an editor, Copilot CLI adds nothing when a file is viewed"
WHY_MODE = "the user has chosen this mode"
GOES_ON = (
    "In autopilot mode, Copilot CLI sends reminders of its own, up to --max-autopilot-continues, until the model calls "
    "task_complete. They are not shown."
)
REVIEW = "/review"
KILO = 1024
_COMMAND = regex(r"/([^\s/]+)\s*")
_NAMED = regex(r"/([\w-]+)(?!\S)")


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """One message of the history."""

    kind: Kind
    role: Role
    segments: list[Segment]
    at: str


@dataclass(slots=True)
class Conversation:
    """The messages after the system's; ``only``: the tools that there are, None for all."""

    search: Search
    facts: Facts
    skills: Sequence[Named]
    hooks: Sequence[Hook]
    scoped: list[InstructionFile]
    start: Start
    only: Sequence[str] | None = None
    # The real paths of what views have added.
    sent: set[str] = field(default_factory=set)
    history: list[HistoryMessage] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    # What is typed last, where it asks no model.
    silent: str = ""
    last_skill: Named | None = None
    _rules: Rules | None = None

    def write_started(self, prompt: str, agent: Agent | None, steps: Sequence[Sequence[Call]]) -> None:
        """Those of an agent that the session starts: it is told nothing of a mode or the screen."""
        self.start = Start(is_general=self.start.is_general)
        self.prompt(prompt, agent=agent)
        self.act(steps)
        self.send()

    def write(self, typed: str | None) -> None:
        """The whole of it. ``typed`` is the first prompt, None if it is not known."""
        session = self.search.draft.session
        turns = session.turns
        self._add("hook", "user", *([hook.placeholder()] for hook in self._of(servers.SESSION_START)))
        plans = self.start.is_interactive and self.start.mode == PLAN
        typed_in = [at for at, turn in enumerate(turns, 1) if plans and (turn.prompt or "").startswith(TYPED_PLAN)]
        chosen = typed_in[0] if typed_in else 1
        if self.start.mode == AUTOPILOT and len(turns) > 1:
            self.search.draft.notes.append(GOES_ON)
        for number, turn in enumerate(turns or (None,), 1):
            if turn is not None and turn.resumes:
                # A new process has sent nothing yet (captured: resume-plain).
                self.history = [each for each in self.history if each.kind != "view"]
                self.sent.clear()
            prompt = typed if number == 1 else turn.prompt if turn is not None else None
            if turn is not None and turn.compact is not None:
                if session.request == "summary" and number == len(turns):
                    self._ask_for_summary(turn.compact)
                    return
                self._compact(turn)
                continue
            if prompt is not None:
                # A new process says again what the mode is (seen by verify).
                is_anew = turn is not None and turn.resumes and number >= chosen
                since = 0 if is_anew else number - chosen
                self.prompt(prompt, at=START if number == 1 else f"turn:{number}", since=since)
            elif number == 1:
                self.history.append(HistoryMessage("prompt", "user", [], START))
            steps = turn.steps if turn is not None else ()
            if session.request == "summary" and number == len(turns) and steps and steps[-1][0].compact:
                # What asks for it is shown.
                steps = steps[:-1]
            self.act(steps)
        if session.request == "summary":
            self._ask_for_summary("")
        else:
            self.send()

    def act(self, steps: Sequence[Sequence[Call]]) -> None:
        """What the model calls, step by step."""
        for step in steps:
            if step and step[0].compact:
                # In the background, while the model goes on: only what it has called meanwhile stays (seen by verify).
                self.search.draft.note(BESIDE)
                self._compact(Turn(compact="", summary=step[0].summary), is_automatic=True)
                continue
            # Of calls at once, all results come first (parts: two-views-in-one-round).
            for call in step:
                self._result(call)
            for call in step:
                self._brought(call)

    def send(self) -> None:
        """Write what was said; a first prompt that is not known has its place."""
        if self.silent:
            name = self.silent.split(maxsplit=1)[0]
            self.search.draft.stop(asks_nothing(SPEC.title, name), Origin("argument", name=name))
        for number, each in enumerate(self.history, 1):
            self.search.draft.add_message(each.role, each.segments, index=number, at=each.at)

    def prompt(self, text: str, *, at: str = START, since: int = 0, agent: Agent | None = None) -> None:
        """A message of the user's, with the time before it (parts: at-file, skill-slash).

        ``since``: how many turns ago the mode was chosen. ``agent`` is the sub-agent that it is for, where that begins
        with skills (captured: subagent-skilled).
        """
        self.silent = text if self._is_carried_out(text) else ""
        if self.silent:
            return
        why = "Copilot CLI says when the message was written"
        date = elided("runtime", NAME, "time", why=why, size=self.facts.date)
        hooks = [each for hook in self._of(servers.PROMPT) for each in (tail("\n\n", "runtime"), hook.placeholder())]
        opening, closing = "<current_datetime>", "</current_datetime>\n\n"
        begins = [head(opening, "runtime"), date, tail(closing, "runtime")]
        for name in agent.skills if agent is not None else ():
            skill = self._skill(name)
            if skill is not None:
                begins += [*skills.context(self.search, skill), tail("\n\n", "runtime")]
        is_in_mode = agent is None and self.start.mode and since >= 0
        if is_in_mode and self.start.mode == PLAN and self.start.is_interactive:
            text = text.removeprefix(TYPED_PLAN)
        said = self._in_mode(text, is_first=since == 0) if is_in_mode else self._typed(text)
        self.prompts.append(text)
        self._add("prompt", "user", [*begins, *said, *hooks], at=at)

    # -- what the user types (later, C) ----------------------------------------------------------------------------

    def _typed(self, text: str) -> list[Segment]:
        """On the screen a skill and a review are called by name, and files are named (captured: interactive-*).

        In an editor skills are, too (seen by verify).
        """
        typed = Segment("runtime", "prompt", text, Origin("argument"), WHY_TYPED)
        if not (self.start.is_interactive or self.start.in_editor):
            return [typed]
        command = _COMMAND.match(text)
        if command is not None and (skill := self._skill(command[1])) is not None:
            self.last_skill = skill
            context = skills.context(self.search, skill, text[command.end() :].strip())
            size = self.facts.typed_skill + len(skill.name)
            intro = elided("runtime", NAME, "introduction of the skill", why="the user types its name", size=size)
            return [intro, tail("\n\n", "runtime"), *context]
        if self.start.in_editor:
            return [typed]
        if text.startswith(REVIEW):
            words = text.removeprefix(REVIEW).strip()
            asks = elided("runtime", NAME, "request for a review", why=WHY_TYPED, size=self.facts.typed_review)
            return [asks, tail(f"\n\nAdditional instructions: {words}", "runtime")] if words else [asks]
        if command is not None and command[1] in self.facts.typed_commands:
            size, times = self.facts.typed_commands[command[1]]
            size += times * len(text[command.end() :].strip())
            return [elided("runtime", NAME, f"text of /{command[1]}", why=WHY_TYPED, size=size)]
        return [typed, *self._tagged(text)]

    def _is_carried_out(self, text: str) -> bool:
        """Whether a prompt is a command that asks no model, of the program's own or unknown to it (seen by verify)."""
        command = _NAMED.match(text)
        if command is None or not self.start.is_interactive:
            return False
        asks = {REVIEW[1:], TYPED_PLAN[1:-1], "compact", *self.facts.typed_commands, *(each[1:] for each in SPEC.anew)}
        return command[1] not in asks and self._skill(command[1]) is None

    def _tagged(self, text: str) -> list[Segment]:
        """The files that are named with @: paths and numbers of lines, no text (captured: interactive-mention)."""
        rows = []
        for mention in mentions(text):
            path = resolve(self.search.cwd, mention.target)
            contents = self.search.host.read(path)
            if contents.state == "file":
                lines = decode(contents.data, keep_bom=False).count("\n") + 1
                rows.append(f"* {native(path)} ({lines} lines)\n")
        listed = f"\n\n\n\n<tagged_files>\n{''.join(rows)}</tagged_files>"
        return [Segment("runtime", "tagged files", listed, COMPUTED, WHY_TYPED)] if rows else []

    def _in_mode(self, text: str, *, is_first: bool) -> list[Segment]:
        """A prompt in a mode; the first one says what the mode is (captured: mode-plan, mode-autopilot-typed)."""
        facts, mode, typed = self.facts, self.start.mode, self._typed(text)
        if mode == AUTOPILOT:
            if not is_first:
                return typed
            notice = elided("runtime", NAME, "what autopilot is", why=WHY_MODE, size=facts.autopilot)
            opening = "<mode_changed_notice>\n\n<autopilot_mode>\n"
            closing = "\n\n </autopilot_mode>\n\n</mode_changed_notice>\n\n"
            return [head(opening, "runtime"), notice, tail(closing, "runtime"), *typed]
        if not is_first:
            reminds = [
                elided("runtime", NAME, "reminder of plan mode", why=WHY_MODE, size=facts.plan_again),
                tail("\n\nMy request: ", "runtime"),
            ]
            return [head("[[PLAN]] ", "runtime"), *(reminds if self.start.is_interactive else []), *typed]
        place = native(join(self.search.home, "session-state"))
        session = elided("runtime", NAME, "identifier of the session", why=WHY_MODE, size=facts.identifier)
        before, after, step = facts.plan_before, facts.plan_after, 4
        if self.start.in_editor:
            (before, after), step = facts.plan_in_editor, 3
        elif self.start.is_interactive:
            after = facts.plan_after_on_screen
        end = (
            "\n\nMy request: " if self.start.is_interactive else "\n</plan_mode>\n\n</mode_changed_notice>\n\n[[PLAN]] "
        )
        return [
            head("<mode_changed_notice>\n\n<plan_mode>\n", "runtime"),
            elided("runtime", NAME, "what plan mode is", why=WHY_MODE, size=before),
            tail(f"\n{step}. Save the plan to: {place}/", "runtime"),
            session,
            tail("/plan.md\n\n", "runtime"),
            elided("runtime", NAME, "rules of plan mode", why=WHY_MODE, size=after),
            tail(end, "runtime"),
            *typed,
        ]

    # -- compaction (later, A) -------------------------------------------------------------------------------------

    def _compact(self, turn: Turn, *, is_automatic: bool = False) -> None:
        """One message in the place of the history: the prompts as typed, the summary and the last skill."""
        if not self.prompts:
            self.search.draft.notes.append("There is nothing to compact yet, so Copilot CLI leaves it.")
            return
        # An editor is not told of calls that are gone (seen by verify).
        has_called = not self.start.in_editor and any(each.kind in ("result", "skill") for each in self.history)
        # In the background, while the turn goes on: what is called meanwhile stays (captured: compact-auto).
        is_attended = self.start.is_interactive or self.start.in_editor
        is_at_once = is_automatic or is_attended or turn.resumes or turn.prompt is not None
        kept = [] if is_at_once else self._last_result()
        size = self.facts.before_prompts_after_calls if has_called else self.facts.before_prompts
        segments = [elided("runtime", NAME, "sentence on the history", why=WHY_COMPACTED, size=size)]
        for prompt in self.prompts:
            segments.append(tail("\n<user_message>\n", "runtime"))
            segments.append(Segment("runtime", "prompt", prompt, Origin("argument"), WHY_TYPED))
            segments.append(tail("\n</user_message>", "runtime"))
        heading = elided("runtime", NAME, "heading of the summary", why=WHY_COMPACTED, size=self.facts.before_summary)
        segments += [tail("\n\n", "runtime"), heading, tail("\n<summary>\n", "runtime")]
        if turn.summary is None:
            segments.append(elided("runtime", NAME, "summary", why=f"{WHY_COMPACTED}; the model writes it"))
        else:
            segments.append(Segment("runtime", "summary", turn.summary, COMPUTED, WHY_COMPACTED))
        segments.append(tail("\n</summary>\n", "runtime"))
        if self.last_skill is not None:
            segments += skills.invoked(self.search, self.last_skill)
        self.history = [HistoryMessage("summary", "user", segments, START), *kept]

    def _last_result(self) -> list[HistoryMessage]:
        last = next((each for each in reversed(self.history) if each.kind == "result"), None)
        return [last] if last is not None else []

    def _ask_for_summary(self, focus: str) -> None:
        """The request for a summary: the whole history, and one message more (captured: compact-typed-summary)."""
        why = "Copilot CLI asks for a summary"
        whole, ahead, end = self.facts.summary_ask, self.facts.summary_focus, self.facts.summary_end
        asks = [elided("runtime", NAME, "request for a summary", why=why, size=whole)]
        if focus:
            # Between the instructions and the end of it (seen by verify).
            words = f"<user_focus_instructions>\n{focus}\n</user_focus_instructions>"
            asks = [
                elided("runtime", NAME, "request for a summary", why=why, size=whole - end + ahead),
                Segment("runtime", "what the user types for it", words, Origin("argument"), why),
                elided("runtime", NAME, "request for a summary, rest", why=why, size=end),
            ]
        self._add("prompt", "user", asks, at="request:summary")
        self.send()

    # -- results of tools ------------------------------------------------------------------------------------------

    def _result(self, call: Call) -> None:
        """What a tool answers, and what hooks may say after it (surfaces, Hooks)."""
        result = [self._answer(call), *(hook.placeholder() for hook in self._of(servers.AFTER_TOOL))]
        self._add("result", "tool", result, at=call.at)

    def _answer(self, call: Call) -> Segment:
        tool = "view" if call.read is not None else call.tool
        if self.only is not None and tool not in self.only:
            offered = ", ".join(self.only)
            says = f"Tool '{tool}' does not exist. Available tools that can be called are {offered}."
            return Segment("runtime", f"result of {tool}", says, COMPUTED, "the agent has not got this tool")
        if call.read is not None:
            return self._view(call.read)
        if call.tool == "skill" and (skill := self._skill(calls.text(call, "skill"))) is not None:
            says = f'Skill "{skill.name}" loaded successfully. Follow the instructions in the skill context.'
            return Segment("runtime", f"result of skill {skill.name}", says, COMPUTED, "the session calls this skill")
        return elided("runtime", NAME, f"result of calling {tool}", why="only the tool knows what it answers")

    def _view(self, path: str) -> Segment:
        """A file as a view shows it: without line numbers, up to a size, and a picture as one."""
        host, facts, title = self.search.host, self.facts, f"result of viewing {path}"
        contents = host.read(path)
        if contents.state != "file":
            why = "the session views this, and it is not a file that can be read"
            return elided("runtime", NAME, title, why=why)
        if ending(path) in facts.pictures | facts.refused_pictures:
            return elided("runtime", NAME, title, why="the session views a picture")
        if contents.size > facts.view_bytes:
            why = f"the session views this file, and it has more than {facts.view_bytes:,} bytes"
            return elided("runtime", NAME, title, why=why, size=facts.view_too_large + len(_size(contents.size)))
        text = decode(contents.data, keep_bom=True)
        origin = Origin("file", path=host.realpath(path), range=whole(text))
        return Segment("runtime", title, without_secrets(text), origin, "the session views this file")

    def _brought(self, call: Call) -> None:
        """What a call adds, and what hooks may say before it."""
        self._add("hook", "user", *([hook.placeholder()] for hook in self._of(servers.BEFORE_TOOL)), at=call.at)
        if self.only is not None and (call.tool or "view") not in self.only:
            return
        if call.read is not None and ending(call.read) not in self.facts.refused_pictures:
            known = len(self.search.draft.candidates)
            brought = viewed(self.search, self.scoped, self._likely(), call.read, self.sent)
            if self.start.in_editor:
                self._leave_out(known)
            else:
                self._add("view", "user", brought, at=call.at)
        elif call.tool == "skill" and (skill := self._skill(calls.text(call, "skill"))) is not None:
            self.last_skill = skill
            self._add("skill", "user", skills.context(self.search, skill), at=call.at)

    def _leave_out(self, known: int) -> None:
        """In an editor a view adds nothing, also later (seen by verify); ``known``: the candidates before it."""
        candidates = self.search.draft.candidates
        for at, each in enumerate(candidates[known:], known):
            if each.outcome in USED:
                candidates[at] = replace(each, outcome="unscoped", reason=WHY_IN_EDITOR)

    def _skill(self, name: str) -> Named | None:
        return next((each for each in self.skills if each.name == name), None)

    def _likely(self) -> Rules | None:
        if self._rules is None and self.scoped:
            from promptls.core.glob_index import Rules  # noqa: PLC0415 - few sessions view a file

            self._rules = Rules(each.scope.patterns for each in self.scoped)
        return self._rules

    def _of(self, event: str) -> list[Hook]:
        return [hook for hook in self.hooks if hook.event == event]

    def _add(self, kind: Kind, role: Role, *messages: list[Segment], at: str = START) -> None:
        self.history += [HistoryMessage(kind, role, segments, at) for segments in messages if segments]


def _size(count: int) -> str:
    """So many bytes as Copilot CLI writes them (wire: view-large)."""
    return f"{count / KILO:.1f} KB" if count < KILO * KILO else f"{count / KILO / KILO:.1f} MB"
