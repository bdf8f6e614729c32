"""Blocks of the messages of Claude Code, and how the request parts and wraps them (specification, 1)."""

from __future__ import annotations

from promptls.core.values import dataclass, replace
from promptls.kit.segments import elided, head, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.core.model import Layer, Segment

    Block = list[Segment]

NAME = "Claude Code"


@dataclass(frozen=True, slots=True)
class Again:
    """What goes with the prompt after a compaction, which is message ``index`` (turns/compaction.py).

    ``called`` are files as calls of tools, ``typed`` messages ahead of the prompt. ``has_front``: the instruction
    files, the state of git and the date stand before the summary. ``goes_on``: there is no prompt, the turn goes on.
    """

    index: int
    called: list[Block]
    typed: list[list[Block]]
    sections: list[Block]
    has_front: bool = False
    goes_on: bool = False


# What a picture is called, which is no text.
PICTURE = "picture "


def own_text(title: str, why: str, size: int | None = None) -> Segment:
    """A text of the program's own that one turn has; of its ``size`` in characters, where that is known."""
    return replace(elided("runtime", NAME, title, why=why, size=size), cache="turn")


def with_seam(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a message after which another one of the user's follows: a line end parts the two.

    (cases command-typed, mention-files)
    """
    if not blocks or _is_picture(blocks[-1]):
        return [*blocks]
    return [*blocks[:-1], [*blocks[-1], tail("\n")]]


def _is_picture(block: Block) -> bool:
    """Whether it is no text, so that no line end can follow (wire: read-picture-mentioned)."""
    return block[0].elided is not None and block[0].elided.name.startswith(PICTURE)


def merged(messages: Sequence[Sequence[Block]]) -> list[Block]:
    """The blocks of neighbouring messages of the user's, which the request has as one message."""
    *others, last = messages or ([],)
    return [*(block for message in others for block in with_seam(message)), *last]


def in_reminder(section: Block, layer: Layer = "instructions") -> Block:
    """A section between the tags that a reminder has."""
    return [head("<system-reminder>\n", layer), *section, tail("\n</system-reminder>", layer)]


def sectioned(sections: Sequence[Block], *, tagged: bool = False) -> Block:
    """Sections of one message, a blank line between two; ``tagged``: each is a reminder (captured: model-sonnet-5)."""
    sections = [in_reminder(section, section[0].layer) for section in sections] if tagged else sections
    return [piece for section in sections for piece in (tail("\n\n"), *section)][1:]


def kilobytes(size: int) -> str:
    """A size as the program shows it to the model (case mention-big; wire: auto-memory-bytes)."""
    return f"{size / 1024:.1f}KB".replace(".0KB", "KB")
