"""What every harness module is made of: its description, and the draft it writes a prompt with."""

from __future__ import annotations

import re

from promptls.core.formats.tree import SECRETS
from promptls.core.model import (
    COMPUTED,
    START,
    Candidate,
    Cut,
    Elided,
    Fault,
    Message,
    Origin,
    Prompt,
    Segment,
)
from promptls.core.text import decode, whole
from promptls.core.values import dataclass, field, replace
from promptls.harnesses.globs import Steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from promptls.core.files import Contents
    from promptls.core.host import Host
    from promptls.core.model import Fetched, Layer, Outcome, Role, Session, Tool, Use

    Preview = Callable[[Session, Host], Prompt]

LARGE_CONFIG = 512 * 1024
CONFIG_LIMIT = "promptls reads no configuration that is larger than 512 KiB, and shows the prompt as without it"
OUR_LIMIT = "promptls reads only the first 1 MiB of a file over 4 MiB; the harness may send all of it"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a harness. ``verified`` is true only where captured sessions of it are in the tests."""

    name: str
    verified: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Harness:
    """A program that drives a model: how it is named, found and previewed.

    ``versions``: the default one first. ``evidence``: files and directories of its own, relative to any
    directory at or above the file in hand; one of them shows that the folder is set up for this harness.
    ``loads``: one sentence a kind of file, in order, for people.
    """

    name: str
    title: str
    versions: tuple[Version, ...]
    evidence: tuple[str, ...]
    preview: Preview
    loads: tuple[str, ...] = ()
    # The command and the npm package of the program, where its version can be read from what is installed.
    command: str = ""
    package: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was looked at for its text. ``text`` is "" unless there is some to send."""

    candidate: Candidate
    text: str = ""
    origin: Origin = COMPUTED
    cut: Cut | None = None


@dataclass(slots=True)
class Draft:
    """A prompt being written. Messages and candidates are added in the order of the request and of the search."""

    session: Session
    messages: list[Message] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    steps: Steps = field(default_factory=Steps)

    def say(
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
        kept = tuple(segment for segment in segments if segment.text)
        if kept:
            self.messages.append(Message(role, kept, index, block, at, cached))

    def prompt(
        self,
        *,
        model: str | None = None,
        agent: str | None = None,
        verified: bool = False,
        tools: tuple[Tool, ...] | None = None,
        stopped: str | None = None,
        stopped_by: Origin | None = None,
    ) -> Prompt:
        """The finished prompt; with ``stopped``, one without messages."""
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

    def candidate(outcome: Outcome, reason: str = "", state: str | None = None) -> Candidate:
        says = f"{why}: {reason}" if reason else why
        return Candidate(outcome, says, origin, path=path, use=use, at=at, state=state)

    if contents.state != "file":
        missing = contents.state in ("missing", "broken-link")
        says = STATE_SAYS[contents.state]
        return Found(candidate("missing" if missing else "failed", says, contents.state))
    text = decode(contents.data, keep_bom=keep_bom)
    if not text:
        return Found(candidate("empty", "it is empty"))
    cut = our_cut(contents)
    return Found(
        candidate("cut", OUR_LIMIT) if cut else candidate("loaded"),
        text,
        Origin("file", path=path, range=whole(text)),
        cut,
    )


STATE_SAYS = {
    "missing": "there is no such file",
    "broken-link": "it is a link that leads nowhere",
    "directory": "it is a directory",
    "special": "it is no regular file, so it is not opened",
    "unreadable": "it cannot be read",
    "spared": "its text is not wanted here",
}


def our_cut(contents: Contents) -> Cut | None:
    """The cut that our own limit on large files made, if it did."""
    return Cut(len(contents.data), contents.size, "bytes", OUR_LIMIT) if contents.is_cut else None


def elided(layer: Layer, harness: str, title: str, *, why: str, size: int | None = None) -> Segment:
    """A placeholder for prose of the harness's own, which is not reproduced."""
    how_long = f", {size} characters" if size is not None else ""
    text = f"⟪{title} of {harness}{how_long}: not reproduced⟫"
    origin = Origin("builtin", name=title)
    return Segment(layer, title, text, origin, why, cache="static", elided=Elided(title, size))


_SECRET = re.compile(rf'("(?:{"|".join(SECRETS)})"\s*:\s*")((?:[^"\\\n]|\\.)+)', re.IGNORECASE)


def without_secrets(segment: Segment) -> list[Segment]:
    """The segment, and where it is JSON with a secret in it, a placeholder in the secret's place."""
    pieces: list[Segment] = []
    at = 0
    for found in _SECRET.finditer(segment.text):
        hidden = f"⟪{found.end(2) - found.start(2)} characters, a secret⟫"
        pieces.append(replace(segment, text=segment.text[at : found.start(2)]))
        why = "secrets are never shown"
        pieces.append(Segment(segment.layer, "secret", hidden, COMPUTED, why, elided=Elided("secret"), frame="tail"))
        at = found.end(2)
    return [*pieces, replace(segment, text=segment.text[at:])] if pieces else [segment]


def head(text: str, layer: Layer = "instructions", *, path: str | None = None) -> Segment:
    """A piece of the harness's own frame before a text, exact to the character; ``path`` is what it announces."""
    return Segment(layer, "frame", text, Origin("computed", path=path), WHY_FRAME, frame="head")


def tail(text: str, layer: Layer = "instructions") -> Segment:
    """A piece of the harness's own frame behind a text: closing tags and joins, exact to the character."""
    return Segment(layer, "frame", text, COMPUTED, WHY_FRAME, frame="tail")


WHY_FRAME = "the harness's own frame"

URL_SAYS = {
    "timeout": "it did not answer in time",
    "unreachable": "it cannot be reached",
    "status": "it did not answer with success",
    "empty": "its answer is empty",
    "refused": "it is not fetched",
    "disabled": "it is not fetched",
    "pending": "it has not answered yet",
}


def url_candidate(fetched: Fetched, *, why: str, origin: Origin) -> Candidate:
    """What came of a URL."""
    outcome: Outcome = "failed"
    reason = f"{URL_SAYS.get(fetched.state, '')} ({fetched.detail})" if fetched.detail else URL_SAYS.get(fetched.state)
    if fetched.state == "ok":
        outcome = "cut" if fetched.truncated else "loaded"
        reason = "promptls keeps only the first 1 MiB of an answer" if fetched.truncated else None
    elif fetched.state in ("pending", "disabled", "empty"):
        outcome = "pending" if fetched.state == "pending" else "disabled" if fetched.state == "disabled" else "empty"
    return Candidate(outcome, f"{why}: {reason}" if reason else why, origin, url=fetched.url, fetched=fetched)


def url_segments(fetched: Fetched, label: str, *, why: str) -> list[Segment]:
    """The segments of a URL's answer: ``label`` and the text; a placeholder while it is pending; else none."""
    origin = Origin("url", url=fetched.url)
    if fetched.state == "ok" and fetched.text:
        cut = (
            Cut(len(fetched.text), len(fetched.text), "characters", "promptls keeps 1 MiB")
            if fetched.truncated
            else None
        )
        return [head(label), Segment("instructions", fetched.url, fetched.text, origin, why, cut=cut)]
    if fetched.state in ("pending", "disabled"):
        # Whether it is sent, and what, cannot be known now: say so, and never guess.
        says = "not answered yet" if fetched.state == "pending" else "not fetched"
        text = f"⟪{fetched.url}: {says}⟫"
        unknown = Elided(fetched.url)
        return [
            head(label),
            Segment("instructions", fetched.url, text, Origin("computed", name=fetched.url), why, elided=unknown),
        ]
    return []


def date_string(host: Host) -> str:
    """The local date as JavaScript's ``toDateString`` writes it."""
    now = host.now()
    return f"{DAYS[now.weekday()]} {MONTHS[now.month - 1]} {now.day:02d} {now.year:04d}"


DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def type_clause(kinds: Sequence[str]) -> str:
    """What a value of the wrong type must be."""
    return "this must be " + " or ".join(f"{'an' if kind in ('array', 'object') else 'a'} {kind}" for kind in kinds)


def with_consequence(fault: Fault, consequence: str) -> Fault:
    """A fault, whose message is a clause, as one sentence that says what comes of it."""
    return replace(fault, message=f"{fault.message[:1].upper()}{fault.message[1:]}; {consequence}.")
