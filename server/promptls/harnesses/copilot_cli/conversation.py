"""What is said to Copilot CLI and done: the user's message, hooks, and the results of tools (surfaces)."""

from __future__ import annotations

from promptls.core.model import Origin, Segment
from promptls.core.values import dataclass, field
from promptls.harnesses.copilot_cli import servers, skills
from promptls.harnesses.copilot_cli.view import viewed
from promptls.kit import tool_input as calls
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Call, Role
    from promptls.harnesses.copilot_cli.scoped import Scoped
    from promptls.harnesses.copilot_cli.search import Search
    from promptls.harnesses.copilot_cli.servers import Hook
    from promptls.harnesses.copilot_cli.skills import Skill
    from promptls.harnesses.copilot_cli.versions import Facts
    from promptls.kit.glob_index import Rules

NAME = "Copilot CLI"
WHY_TYPED = "what the user types: Copilot CLI sends it as it is"


@dataclass(slots=True)
class Conversation:
    """The messages after the system's, written one by one."""

    search: Search
    facts: Facts
    skills: Sequence[Skill]
    hooks: Sequence[Hook]
    scoped: list[Scoped]
    index: int = 1
    # The real paths of what views have added.
    sent: set[str] = field(default_factory=set)
    _rules: Rules | None = None

    def write(self, typed: str | None) -> None:
        """The whole of it. ``typed`` is the first prompt, None if it is not known."""
        for hook in self._of(servers.SESSION_START):
            self._add("user", [hook.placeholder()])
        for number, turn in enumerate(self.search.draft.session.turns or (None,), 1):
            prompt = typed if number == 1 else turn.prompt if turn is not None else None
            if prompt is not None:
                self.prompt(prompt, at="start" if number == 1 else f"turn:{number}")
            elif number == 1:
                self.index += 1
            for step in turn.steps if turn is not None else ():
                # Of calls at once, all results come first (surfaces: two-views-in-one-round).
                for call in step:
                    self._result(call)
                for call in step:
                    self._brought(call)

    def prompt(self, text: str, *, at: str = "start") -> None:
        """A message of the user's, with the time before it (surfaces: at-file, skill-slash)."""
        why = "Copilot CLI says when the message was written"
        date = elided("runtime", NAME, "time", why=why, size=self.facts.date)
        typed = Segment("runtime", "prompt", text, Origin("argument"), WHY_TYPED)
        hooks = [each for hook in self._of(servers.PROMPT) for each in (tail("\n\n", "runtime"), hook.placeholder())]
        opening, closing = "<current_datetime>", "</current_datetime>\n\n"
        self._add("user", [head(opening, "runtime"), date, tail(closing, "runtime"), typed, *hooks], at)

    def _result(self, call: Call) -> None:
        """What a tool answers, and what hooks may say after it (surfaces, Hooks)."""
        name = call.read if call.read is not None else call.tool
        verb = "viewing" if call.read is not None else "calling"
        why = "the session views this file" if call.read is not None else "only the tool knows what it answers"
        result = [elided("runtime", NAME, f"result of {verb} {name}", why=why)]
        result += [hook.placeholder() for hook in self._of(servers.AFTER_TOOL)]
        self._add("tool", result, call.at)

    def _brought(self, call: Call) -> None:
        """What a call adds, and what hooks may say before it."""
        for hook in self._of(servers.BEFORE_TOOL):
            self._add("user", [hook.placeholder()], call.at)
        if call.read is not None:
            self._add("user", viewed(self.search, self.scoped, self._likely(), call.read, self.sent), call.at)
        elif call.tool == "skill":
            asked = calls.text(call, "skill")
            found = next((each for each in self.skills if each.name == asked), None)
            if found is not None:
                self._add("user", skills.context(self.search, found), call.at)

    def _likely(self) -> Rules | None:
        if self._rules is None and self.scoped:
            from promptls.kit.glob_index import Rules  # noqa: PLC0415 - few sessions view a file

            self._rules = Rules(each.scope.patterns for each in self.scoped)
        return self._rules

    def _of(self, event: str) -> list[Hook]:
        return [hook for hook in self.hooks if hook.event == event]

    def _add(self, role: Role, segments: list[Segment], at: str = "start") -> None:
        if segments:
            self.search.draft.add_message(role, segments, index=self.index, at=at)
            self.index += 1
