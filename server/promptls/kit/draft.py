"""The prompt that a harness is writing, and looking for the text of a file."""

from __future__ import annotations

from promptls.core.host import StepBudget
from promptls.core.model import COMPUTED, START, Message, Origin, Prompt
from promptls.core.text import LineIndex, decode, newlines, whole
from promptls.core.values import dataclass, field, replace
from promptls.kit.candidates import Rule, our_cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.host import Host
    from promptls.core.model import Candidate, Cut, Limit, Role, Segment, Session, Tool, Use


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was looked at for its text. ``text`` is "" unless there is some to send."""

    candidate: Candidate
    text: str = ""
    origin: Origin = COMPUTED
    cut: Cut | None = None


@dataclass(slots=True)
class Draft:
    """A prompt being written. Messages and candidates are added in the order of the request and of the search.

    ``stopped``: why the program ends before a request, and what is to blame.
    """

    session: Session
    messages: list[Message] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    window: int | None = None
    once_trusted: list[str] = field(default_factory=list)
    steps: StepBudget = field(default_factory=StepBudget)
    stopped: tuple[str, Origin | None] | None = None

    def stop(self, says: str, by: Origin | None) -> None:
        """The program ends before a request; the first reason counts."""
        self.stopped = self.stopped or (says, by)

    def note(self, says: str) -> None:
        """Add a note, once; "" is none."""
        if says and says not in self.notes:
            self.notes.append(says)

    def add_message(
        self,
        role: Role,
        segments: Iterable[Segment],
        *,
        index: int,
        block: int = 0,
        at: str = START,
        cached: bool = False,
    ) -> None:
        """Add a message; segments without text are left out, and so is a message without any."""
        kept = tuple(segment for segment in segments if segment.text or segment.elided)
        if kept:
            self.messages.append(Message(role, kept, index, block, at, cached))

    def prompt(
        self,
        *,
        model: str | None = None,
        agent: str | None = None,
        verified: bool = True,
        tools: tuple[Tool, ...] | None = None,
        stopped: str | None = None,
        stopped_by: Origin | None = None,
    ) -> Prompt:
        """The finished prompt; one without messages if the program ends, for example for the reason ``stopped``.

        ``verified``: as the version is.
        """
        if stopped:
            self.stop(stopped, stopped_by)
        stopped, stopped_by = self.stopped or (None, None)
        return Prompt(
            self.session,
            () if stopped else tuple(self.messages),
            tuple(self.candidates),
            model=model,
            agent=agent,
            verified=verified,
            tools=tools,
            stopped=stopped,
            stopped_by=stopped_by,
            notes=tuple(self.notes),
            limits=tuple(self.limits),
            window=self.window,
            once_trusted=tuple(self.once_trusted),
        )


def look_for_text(
    host: Host,
    path: str,
    *,
    why: str,
    origin: Origin,
    keep_bom: bool,
    use: Use = "instruction",
    at: str = START,
) -> Found:
    """Read the file at ``path`` for its text and say what came of it. Never raises."""
    contents = host.read(path)
    rule = Rule(why, origin, use, at)
    if contents.state != "file":
        return Found(rule.unread(path, contents.state))
    text = decode(contents.data, keep_bom=keep_bom)
    if not text:
        return Found(rule.empty(path, "it is empty"))
    return Found(rule.read(path, contents), text, Origin("file", path=path, range=whole(text)), our_cut(contents))


# -- texts as programs in Python read them: lines end with a line feed, and strip knows what white space is ------------


def stripped(path: str, text: str, begin: int = 0) -> tuple[str, Origin]:
    """What is sent of the text of a file from ``begin`` on, without the white space around it, and where that is."""
    kept = text[begin:].strip()
    start = text.index(kept, begin)
    return newlines(kept), Origin("file", path=path, range=LineIndex(text).range(start, start + len(kept)))


def look_stripped(host: Host, path: str, rule: Rule, *, keep_bom: bool = True, blank: str = "it is blank") -> Found:
    """Read the file at ``path`` for its text without white space around it; ``blank`` is what a blank one means."""
    contents = host.read(path)
    if contents.state != "file":
        return Found(rule.unread(path, contents.state))
    text, origin = stripped(path, decode(contents.data, keep_bom=keep_bom))
    return Found(rule.read(path, contents), text, origin, our_cut(contents)) if text else Found(rule.empty(path, blank))


def marked_again(host: Host, paths: Iterable[str], path: str, origin: Origin) -> Origin:
    """The origin of the text of ``path``, which by links may be that of one of ``paths`` in the same message again."""
    return replace(origin, again=any(host.is_same(path, each) for each in paths))
