"""What a new process of Claude Code adds where it takes a session up (``claude -c``), turn by turn."""

from __future__ import annotations

from promptls.core.values import dataclass, field, replace
from promptls.harnesses.claude_code.message_blocks import NAME
from promptls.harnesses.claude_code.models import PLAN
from promptls.harnesses.claude_code.setup import model_again, read_command
from promptls.harnesses.claude_code.turns.hooks import RESUME, hooks_again
from promptls.kit.segments import elided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from promptls.core.model import Turn
    from promptls.harnesses.claude_code.message_blocks import Block
    from promptls.harnesses.claude_code.setup import Setup
    from promptls.kit.args import Arguments
    from promptls.kit.draft import Draft

# Options that do not change what is sent, or that are modelled: how the session is taken up, and its mode.
OF_RESUMING = (
    "resume",
    "session-id",
    "name",
    "permission-mode",
    "model",
    "output-format",
    "max-turns",
    "max-budget-usd",
)
SWITCHES = ("-c", "--continue", "--fork-session", "-p", "--print", "--verbose", "--dangerously-skip-permissions")


@dataclass(slots=True)
class Resumed:
    """The processes of a session so far. ``said_of_mode`` are the sections that tell of the mode of a setup."""

    draft: Draft
    setup: Setup
    said_of_mode: Callable[[Setup], list[Block]]
    # That of the running process.
    model: str
    # How each was started.
    starts: list[str] = field(default_factory=lambda: ["startup"])
    mode: str = ""

    def compacts(self) -> None:
        """The session is compacted: of what hooks have said before nothing is left (captured: compact-hooks)."""
        self.starts = ["compact"]

    def now(self, turn: Turn) -> Setup:
        """The setup of the process that sends the turn."""
        return self.process if turn.args is None else replace(self.process, command=read_command(turn.args))

    def hooks(self, turn: Turn, at: str) -> list[Block]:
        """What the hooks of the start add, if a new process sends the turn."""
        if not turn.resumes:
            return []
        found = hooks_again(self.draft, self.setup, at, self.starts)
        self.starts.append(RESUME)
        return found

    @property
    def process(self) -> Setup:
        """The setup of the running process, with its model."""
        return replace(self.setup, model=self.model, model_before=None) if self.setup.first_model else self.setup

    def takes_up(self, turn: Turn) -> None:
        """A new process may send the turn, with a model of its own."""
        self.model = model_again(self.setup, turn) or self.model

    def modes(self, turn: Turn, number: int) -> list[Block]:
        """What says that the permission mode is another one (cases plan-left, plan-later)."""
        if not turn.resumes or turn.args is None:
            return []
        before = self.mode or self.setup.mode
        setup = replace(self.setup, command=read_command(turn.args), chosen_mode=None)
        self.mode = setup.mode
        if others := ", ".join(sorted({*_other_options(self.setup.command, setup.command)})):
            says = "What the options of turn {} change that the session was not started with is not modelled: {}."
            self.draft.notes.append(says.format(number, others))
        if setup.mode == before:
            return []
        found = self.said_of_mode(setup)
        if before == PLAN:
            why = "Claude Code says that the plan mode is over"
            over = elided("environment", NAME, "note that plan mode is over", why=why, size=self.setup.facts.plan_over)
            found.insert(0, [replace(over, cache="turn")])
        return found


def _other_options(one: Arguments, other: Arguments) -> Iterator[str]:
    """The options that only one of two command lines has, or that have other values there."""
    yield from (one.switches ^ other.switches) - {*SWITCHES}
    yield from {*one.unknown} ^ {*other.unknown}
    for name in {*one.values, *other.values} - {*OF_RESUMING}:
        if one.values.get(name) != other.values.get(name):
            yield f"--{name}"
