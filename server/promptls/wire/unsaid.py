"""A message without what MCP servers and hooks would have said, of which nothing was sent."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from promptls.core.model import Message, Origin, Segment

# Pieces of a frame before and after a text that was not sent.
MOST_FRAMES = 4


def without_absent(segments: Sequence[Segment], absent: Collection[Origin]) -> Iterator[tuple[Segment, ...]]:
    """Segments without those of MCP servers and hooks of which nothing was sent, and what closes or begins them."""
    out = [each.origin in absent for each in segments]
    closed = list(out)
    for at in range(1, len(segments)):
        closed[at] |= closed[at - 1] and segments[at].frame == "tail"
    yield tuple(each for each, is_out in zip(segments, closed, strict=True) if not is_out)
    headed = list(out)
    for at in (at for at in range(1, len(segments)) if out[at] and segments[at - 1].frame == "head"):
        # Its own heading, and what parts it from its neighbour.
        headed[at - 1] = True
        near = [place for place in (at + 1, at - 2) if 0 <= place < len(segments)]
        blank = [place for place in near if segments[place].frame and not segments[place].text.strip()]
        for place in blank[:1]:
            headed[place] = True
    yield tuple(each for each, is_out in zip(segments, headed, strict=True) if not is_out)
    begun = list(out)
    for at in range(len(segments) - 1, 0, -1):
        before = segments[at - 1]
        is_between = at > 1 and not before.text.strip() and (out[at - 2] or segments[at - 2].frame == "head")
        begun[at - 1] |= (out[at] and before.frame is not None) or (
            begun[at] and (before.frame == "head" or is_between)
        )
    kept: list[Segment] = []
    for at, each in enumerate(segments):
        # What stands before and after a section that is gone is there once.
        is_second = at > 0 and begun[at - 1] and kept and not each.text.strip() and kept[-1].text.endswith(each.text)
        if not begun[at] and not is_second:
            kept.append(each)
    yield tuple(kept)
    places = [at for at, is_out in enumerate(out) if is_out]
    for many in range(1, 2 * MOST_FRAMES + 1):
        for ahead in range(max(many - MOST_FRAMES, 0), min(many, MOST_FRAMES) + 1):
            gone = list(out)
            for place in places:
                _take_frames(segments, gone, range(place - 1, -1, -1), ahead)
                _take_frames(segments, gone, range(place + 1, len(segments)), many - ahead)
            yield tuple(each for each, is_gone in zip(segments, gone, strict=True) if not is_gone)


def _take_frames(segments: Sequence[Segment], gone: list[bool], near: Iterable[int], many: int) -> None:
    """Let so many pieces of the frame be gone, the nearest first, as far as nothing else is between them."""
    for at in near:
        if not many or not (gone[at] or segments[at].frame):
            return
        many -= not gone[at]
        gone[at] = True


def is_absent(message: Message, absent: Collection[Origin]) -> bool:
    """Whether all of a message is from places of which nothing was sent, and the frames around it."""
    return bool(absent) and all(each.frame or each.origin in absent for each in message.segments)
