"""The text of a message in pieces that belong together: what a file brings, and the harness's frame around it."""

from __future__ import annotations

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from promptls.core.model import Message, Segment


@dataclass(frozen=True, slots=True)
class Block:
    """A segment with the pieces of the harness's frame that belong to it; its own text begins at ``start``.

    ``frame``: those pieces that are for its file.
    """

    segment: Segment
    text: str
    start: int = 0
    frame: tuple[Segment, ...] = ()


def blocks(message: Message) -> list[Block]:
    """The message's segments, each with the frame around it; joined, their texts are the message's text."""
    found: list[tuple[Segment, str, int, tuple[Segment, ...]]] = []
    waiting = ""
    frame: list[Segment] = []
    for segment in message.segments:
        if segment.frame == "tail" and found and not waiting:
            inner, text, start, around = found[-1]
            found[-1] = (inner, text + segment.text, start, _with(inner, around, segment))
        elif segment.frame:
            waiting += segment.text
            frame.append(segment)
        else:
            found.append((segment, waiting + segment.text, len(waiting), _with(segment, (), *frame)))
            waiting = ""
            frame.clear()
    if waiting:
        found.append((message.segments[-1], waiting, 0, ()))
    return [Block(*each) for each in found]


def _with(segment: Segment, frame: tuple[Segment, ...], *more: Segment) -> tuple[Segment, ...]:
    path = segment.origin.path
    return (*frame, *(each for each in more if each.origin.path == path)) if path is not None else frame


def parts(message: Message) -> list[list[Block]]:
    """The blocks of a message; those of one file that follow each other, cut by comments for example, together."""
    found: list[list[Block]] = []
    for block in blocks(message):
        if found and _goes_on(found[-1][-1].segment, block.segment):
            found[-1].append(block)
        else:
            found.append([block])
    return found


def _goes_on(segment: Segment, following: Segment) -> bool:
    one, two = segment.origin, following.origin
    if one.path is None or one.path != two.path or one.kind != two.kind:
        return False
    is_one_text = (segment.title, segment.layer, segment.why) == (following.title, following.layer, following.why)
    return is_one_text and segment.elided is None and following.elided is None
