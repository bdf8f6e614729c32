"""The tasks that a session makes with the task tools, and what the program reminds a model of that uses none."""

from __future__ import annotations

from promptls.core.model import COMPUTED, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.harnesses.claude_code.turns.calls import input_of, text_of
from promptls.kit.segments import elided, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.model import Call
    from promptls.harnesses.claude_code.versions import Facts

CREATE, UPDATE = "TaskCreate", "TaskUpdate"
WHY = "the model has not used its task tools for some steps"


@dataclass(slots=True)
class TaskList:
    """``idle`` is how many messages of the model in a row have used none of the tools."""

    idle: int = 0
    # The subject and the state of each, by its number.
    tasks: dict[str, tuple[str, str]] = field(default_factory=dict)

    def after(self, calls: Iterable[Call], facts: Facts) -> list[Segment]:
        """The reminder that goes with the results of a step, mostly none (seen by verify with claude-sonnet-4-5)."""
        self.idle += 1
        for call in calls:
            if call.tool in (CREATE, UPDATE):
                self.idle = 0
                self._note(call)
        if facts.task_reminder is None or self.idle < facts.task_steps:
            return []
        self.idle = 0
        says = elided("runtime", NAME, "reminder of the task tools", why=WHY, size=facts.task_reminder)
        return [replace(says, cache="turn"), tail("\n", "runtime"), *self._list(facts)]

    def _note(self, call: Call) -> None:
        given = input_of(call)
        if call.tool == CREATE:
            self.tasks[str(len(self.tasks) + 1)] = (text_of(given, "subject"), "pending")
            return
        number = text_of(given, "taskId")
        if number in self.tasks:
            subject, state = self.tasks[number]
            self.tasks[number] = (text_of(given, "subject") or subject, text_of(given, "status") or state)

    def _list(self, facts: Facts) -> list[Segment]:
        rows = "\n".join(
            f"#{number}. [{state}] {subject}" for number, (subject, state) in self.tasks.items() if state != "deleted"
        )
        if not rows:
            return []
        heading = elided("runtime", NAME, "heading of the tasks", why=WHY, size=facts.task_heading)
        shown = Segment("runtime", "tasks", rows, COMPUTED, "the tasks that the session has made", cache="turn")
        return [tail("\n\n", "runtime"), heading, tail("\n\n", "runtime"), shown]
