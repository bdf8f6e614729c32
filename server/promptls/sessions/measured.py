"""What a recorded session says of counts: for its requests, what promptls counts and what the program reported."""

from __future__ import annotations

from promptls import harnesses
from promptls.core.calibration import Measured
from promptls.core.model import CONFIGURED, Call, Turn
from promptls.core.tokens import counter
from promptls.core.totals import raw_tokens
from promptls.core.values import dataclass, replace
from promptls.sessions.turn_by_turn import counted_requests, model_of, session_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from promptls.core.host import Host
    from promptls.core.model import Prompt, Session
    from promptls.kit.recording import Recorded, RecordedRequest

# Requests of one session that are measured, its first and its last among them.
MOST = 6


def measured(recorded: Recorded, host: Host) -> Iterator[tuple[str, str, Measured]]:
    """Requests of a session whose whole text is known: the model, how its tokens are counted, and the sizes.

    The session has its texts (``Recorded.said``). What came after a compaction is not known, nor what a new process
    left out.
    """
    if recorded.parent is not None:
        return
    said: dict[str, int] = {}
    prompts: dict[Session, tuple[int, int] | None] = {}
    requests = list(_known(recorded))
    chosen = _spread(len(requests))
    texts: list[str] = []
    reads: tuple[Call, ...] = ()
    for number, each in enumerate(requests):
        texts += each.said
        reads += tuple(Call(read=path, was_read=True) for path in each.read)
        if number not in chosen:
            continue
        session = session_of(recorded, (Turn(steps=tuple((call,) for call in reads)),))
        model = model_of(recorded, each) if each.model else recorded.model
        if model is None:
            continue
        session = replace(session, model=model)
        if session not in prompts:
            prompts[session] = _counted(session, host)
        sizes = prompts[session]
        if sizes is None:
            continue
        count = counter(model)
        for text in texts:
            if text not in said:
                said[text] = count(text)
        text_tokens = sizes[1] + sum(said[text] for text in texts)
        yield model, count.base, Measured(recorded.id, each.at, sizes[0], text_tokens, each.tokens)


@dataclass(frozen=True, slots=True)
class Next:
    """The next request of a session: what was reported of its last one, and what was said since, as promptls counts."""

    reported: int
    added: int

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.reported + self.added


def next_request(recorded: Recorded) -> Next | None:
    """The size of what a session sends next, with nothing typed; None where that is not known.

    The session has its texts; after a compaction nobody knows what is left.
    """
    last = next(reversed(counted_requests(recorded)), None)
    if last is None or last.is_summary or recorded.said is None or recorded.compactions > last.compactions:
        return None
    count = counter(last.model or recorded.model)
    return Next(last.tokens, sum(map(count, recorded.said)))


def _known(recorded: Recorded) -> Iterator[RecordedRequest]:
    """The requests before the first one of which something is not known."""
    for each in counted_requests(recorded):
        if each.compactions or each.forgets or each.is_summary:
            return
        yield each


def _spread(count: int) -> Sequence[int]:
    if count <= MOST:
        return range(count)
    return [round(number * (count - 1) / (MOST - 1)) for number in range(MOST)]


def _counted(session: Session, host: Host) -> tuple[int, int] | None:
    """The tokens of the tools and of the text of a preview; None where what is configured has an unknown size."""
    prompt = harnesses.preview(session, host)
    return None if prompt.stopped is not None or _has_unknown(prompt) else raw_tokens(prompt)


def _has_unknown(prompt: Prompt) -> bool:
    """Whether a server, a hook or a page brings what nobody knows; of the program's own it is little."""
    return any(tool.enabled and tool.size is None for tool in prompt.tools or ()) or any(
        segment.elided is not None
        and segment.elided.size is None
        and (segment.origin.kind in CONFIGURED or segment.origin.url is not None)
        for message in prompt.messages
        for segment in message.segments
    )
