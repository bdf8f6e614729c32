"""The items of a session, turn by turn: what is typed and called, modes, and processes (surfaces, 3, 11 and 12)."""

from __future__ import annotations

from promptls.core.lazy import regex
from promptls.core.model import START, Origin, Segment
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.codex.listing.hooks import PROMPT, RESUME, SESSION, STARTUP, outputs
from promptls.harnesses.codex.messages.context import NOTHING, Context, read_context
from promptls.harnesses.codex.messages.developer import DEFAULT, PLAN, WHY_SWITCHED, allowed, collaboration, switched
from promptls.harnesses.codex.request import Item, item
from promptls.harnesses.codex.spec import SPEC
from promptls.harnesses.codex.start.command_line import REVIEW, read_start
from promptls.harnesses.codex.start.setup import model_of
from promptls.harnesses.codex.unread import read_output
from promptls.kit.base import asks_nothing
from promptls.kit.segments import elided, head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Call, Turn
    from promptls.harnesses.codex.start.setup import Setup
    from promptls.kit.draft import Draft

WHY_PROMPT = "what the user types is sent as it is: Codex puts no file or command in the place of a name"
WHY_IMAGE = "an image goes before the prompt"
WHY_INIT = "the user types it, and Codex sends a text of its own in its place"
WHY_REVIEW = "Codex asks for a review of what it was started for"
# What is typed for plan mode; the rest is the prompt.
SLASH_PLAN, SLASH_REVIEW, INIT, COMPACT = "/plan", "/review", "/init", "/compact"
_ALONE = regex(r"/[\w-]+")
NOTE_EMPTY = "Nothing was said before a compaction, so Codex has nothing to sum up; it is left out."
NOTE_MODEL = "What {} changes in the middle of a session is not modelled."
UNCOMMITTED = (
    "Review the current code changes (staged, unstaged, and untracked files) and provide prioritized findings."
)


@dataclass(slots=True)
class History:
    """A history being written. ``setup`` is that of the process which sends the next request."""

    draft: Draft
    host: Host
    setup: Setup
    context: Context = NOTHING
    mode: str = DEFAULT
    items: list[Item] = field(default_factory=list)
    # Sub-agents that have not said yet that they are done.
    running: list[Call] = field(default_factory=list)
    # Of a sub-agent: it has its parent's history, and all of its tools stay declared.
    is_forked: bool = False
    # Its name among agents; the session's own where "".
    path: str = ""
    # The model of the process which sends the next request, by its name.
    model: str = ""

    # -- what is said --

    def type(self, turn: Turn, number: int, mode: str) -> None:
        """A prompt with what it brings: a change of the mode before it, then the output of hooks, and skills."""
        at = START if number == 1 else f"turn:{number}"
        if mode != self.mode:
            self.items += item("developer", "told", collaboration(self.setup, mode), at=at)
            self.mode = mode
        prompt = prompt_of(self.setup, turn)
        images = list(_images(self.setup, turn)) if number == 1 else []
        self.items += item("user", "prompt", *images, [prompt], at=at)
        if self.setup.start.mode == "debug":
            return
        for output in outputs(self.setup.hooks, PROMPT, self.setup.config.facts.hook_tokens):
            self.items += item("developer", "brought", output, at=at)
        if prompt.elided is None:
            self.bring_skills(prompt.text, at)

    def bring_skills(self, text: str, at: str) -> None:
        """The skills that a prompt names (parts: skill-mention)."""
        if "$" not in text:
            return
        from promptls.harnesses.codex.skills.mentions import bodies  # noqa: PLC0415 - only where a skill may be named

        for body in bodies(self.draft, self.host, text, self.setup.skills, at):
            self.items += item("user", "brought", body, at=at)

    def begin(self, source: str = STARTUP, at: str = START) -> None:
        """What hooks print that run when a session begins (parts: hooks)."""
        if self.setup.start.mode == "debug":
            return
        for output in outputs(self.setup.hooks, SESSION, self.setup.config.facts.hook_tokens, source):
            self.items += item("developer", "told", output, at=at)

    def take_up(self, setup: Setup, number: int) -> None:
        """A new process takes the session up: what changed, then its hooks (captured: compact-resume-after)."""
        at = f"turn:{number}"
        if setup is not self.setup:
            if (setup.approvals, setup.sandbox) != (self.setup.approvals, self.setup.sandbox):
                known = len(self.draft.candidates)
                self.items += item("developer", "told", allowed(self.draft, self.host, setup), at=at)
                del self.draft.candidates[known:]
            self.setup = setup
        self.begin(RESUME, at)

    def switch(self, name: str, number: int) -> None:
        """A new process goes on with another model, of which the first one's texts and tools stay (seen by verify)."""
        if name == self.model:
            return
        self.model = name
        model, first = model_of(self.setup.config.facts, name), self.setup.model
        is_known = replace(model, base=first.base, personality=first.personality) == first
        told = switched(self.setup, model)
        if not is_known or model.has_tool_item:
            self.draft.note(NOTE_MODEL.format(name))
            told = [elided("provider", "codex", "change of the model", why=WHY_SWITCHED)]
        self.items += item("developer", "told", told, at=f"turn:{number}")

    # -- what is done --

    def step(self, calls: Sequence[Call]) -> None:
        """The calls of a step, or a compaction between two; then what sub-agents say that were started before."""
        done, self.running = self.running, []
        for call in calls:
            if call.compact:
                self.compact(call.summary, call.at)
                continue
            segments = self._result(call)
            self.items += item("tool", "result", segments, at=call.at, is_answered=True)
        for call in done:
            from promptls.harnesses.codex.turns import agents  # noqa: PLC0415 - few sessions start one

            self.items += agents.answer(self.setup, call, self.path or agents.ROOT)

    def _result(self, call: Call) -> list[Segment]:
        if call.read is not None:
            return read_output(self.draft, self.host, self.setup, call)
        from promptls.harnesses.codex.turns import agents, results  # noqa: PLC0415 - most sessions only read

        if agents.is_start(call) and agents.refusal(self.setup, call) is None:
            self.running.append(call)
            return agents.result_of_start(self.setup, call, self.path or agents.ROOT)
        return results.result(self.host, self.setup, call)

    def compact(self, summary: str | None, at: str) -> None:
        """The history is replaced."""
        from promptls.harnesses.codex.turns import compaction  # noqa: PLC0415 - few sessions are so long

        prompts = [each for each in self.items if each.kind == "prompt"]
        # On the screen it asks for a summary all the same (seen by verify).
        if not prompts and not self.setup.start.is_on_screen:
            self.draft.note(NOTE_EMPTY)
            return
        told = list(compaction.added_after(self.draft, self.setup, summary, at))
        again = self.context.sent(self.setup, self.mode)
        self.items = compaction.compacted(prompts, again, told, self.setup.config.facts.kept_prompts)


def main_history(draft: Draft, host: Host, setup: Setup, turns: Sequence[Turn], resumed: Setup | None) -> History:
    """The history of the session itself; ``resumed`` is the process that takes it up, where it is another one."""
    context = read_context(draft, host, setup)
    modes = list(_modes(draft.session.mode, setup, turns))
    # A mode that is chosen before the first prompt is that of the start (seen by verify).
    first = modes[0] if modes else DEFAULT
    history = History(draft, host, setup, context, mode=first, items=list(context.sent(setup, first)), model=setup.name)
    history.begin()
    for number, (turn, mode) in enumerate(zip(turns, modes, strict=True), 1):
        if turn.compact is not None:
            history.compact(turn.summary, f"turn:{number}")
        if number > 1 and turn.compact is None and (setup.start.mode == "exec" or (turn.resumes and resumed)):
            history.take_up(resumed or setup, number)
            if turn.resumes and turn.args is not None and setup.start.mode == "exec":
                history.switch(read_start(replace(draft.session, args=turn.args), host).model or history.model, number)
        # A compaction before the first step is one before the prompt is sent (seen by verify).
        is_first = number > 1 and any(call.compact for step in turn.steps[:1] for call in step)
        if is_first:
            history.step(turn.steps[0])
        if _is_typed(setup, turn):
            history.type(turn, number, mode)
        for step in turn.steps[1:] if is_first else turn.steps:
            history.step(step)
    if turns and _is_carried_out(setup, turns[-1]):
        name = (turns[-1].prompt or "").strip()
        setup.config.stop(asks_nothing(SPEC.title, name), Origin("argument", name=name))
    return history


def _is_carried_out(setup: Setup, turn: Turn) -> bool:
    """Whether a prompt is a command that asks no model, of the program's own or unknown to it (seen by verify)."""
    name = (turn.prompt or "").strip()
    is_alone = setup.start.is_on_screen and _ALONE.fullmatch(name) is not None
    return is_alone and name not in {INIT, SLASH_PLAN, SLASH_REVIEW, COMPACT, *SPEC.anew}


def _is_typed(setup: Setup, turn: Turn) -> bool:
    """Whether a turn has a prompt: a compaction has none of its own, and ``/plan`` alone only changes the mode."""
    if setup.start.is_on_screen and turn.prompt is not None and turn.prompt.strip() == SLASH_PLAN:
        return False
    return (turn.compact is None or turn.prompt is not None) and not _is_carried_out(setup, turn)


def _modes(asked: str | None, setup: Setup, turns: Sequence[Turn]) -> Iterator[str]:
    """The collaboration mode of each turn: ``/plan`` holds for its turn, and on where the session says plan mode.

    Where nothing was typed for it, the mode of the session is that of its last prompt (captured: mode-plan,
    mode-plan-slash, mode-plan-and-back). An editor says it with each turn (seen by verify).
    """
    if setup.start.in_editor:
        yield from (PLAN if asked == PLAN else DEFAULT for _ in turns)
        return
    is_screen, stays = setup.start.is_on_screen, asked == PLAN
    typed = [is_screen and (turn.prompt or "").split(" ")[0].strip() == SLASH_PLAN for turn in turns]
    last = max((at for at, turn in enumerate(turns) if _is_typed(setup, turn)), default=0)
    first = typed.index(True) if True in typed else last
    for at, is_plan in enumerate(typed):
        yield PLAN if is_screen and (is_plan or (stays and at >= first)) else DEFAULT


def prompt_of(setup: Setup, turn: Turn) -> Segment:
    """The prompt to the letter, ``@file`` and ``/name`` too, but for what the program on the screen takes off.

    (parts: prompt-files, tui-command; captured: mode-plan-slash, review-exec)
    """
    text = turn.prompt
    if text is not None and setup.start.is_on_screen:
        command = SLASH_REVIEW if setup.start.is_review else SLASH_PLAN
        word, _, rest = text.partition(" ")
        text = rest.strip() if word.strip() == command else text
    if text is not None and setup.start.is_on_screen and text.strip() == INIT:
        return elided("runtime", "codex", f"text of {INIT}", why=WHY_INIT, size=setup.config.facts.init)
    if setup.start.is_review and not text:
        return _review(setup)
    if text is None:
        return elided("runtime", "codex", "prompt", why=WHY_PROMPT)
    return Segment("runtime", "prompt", text, Origin("argument", name="prompt"), WHY_PROMPT)


def _review(setup: Setup) -> Segment:
    """What a review is asked for that nobody describes: of what is not committed, or of a branch or a commit."""
    command = setup.start.command
    words = [word for word in command.rest[1:] if word != REVIEW] if command.rest else []
    if words:
        return Segment("runtime", "prompt", " ".join(words), Origin("argument", name="prompt"), WHY_PROMPT)
    if command.last("base") is not None:
        size = setup.config.facts.review_of_branch
        title = f"request to review against {command.last('base')}"
        return elided("runtime", "codex", title, why=WHY_REVIEW, size=size)
    if command.last("commit") is not None:
        return elided("runtime", "codex", f"request to review {command.last('commit')}", why=WHY_REVIEW)
    return Segment("runtime", "prompt", UNCOMMITTED, Origin("builtin", name="review"), WHY_REVIEW)


def _images(setup: Setup, turn: Turn) -> Iterator[list[Segment]]:
    """Images, each between two parts (captured: image)."""
    for number, path in enumerate((*setup.start.images, *turn.attached), 1):
        yield [head(f'<image name=[Image #{number}] path="{path}">', "runtime", path=path)]
        yield [elided("runtime", "codex", f"image {path}", why=WHY_IMAGE)]
        yield [head("</image>", "runtime")]
