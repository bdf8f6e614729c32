"""The items of a request in the order in which they are sent."""

from __future__ import annotations

from promptls.core.model import START
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from promptls.core.model import Role, Segment
    from promptls.kit.draft import Draft

    # What is said at the start; a prompt; what it brings; the result of a call; all else that comes in between.
    Kind = Literal["context", "prompt", "brought", "result", "told"]


@dataclass(frozen=True, slots=True)
class Item:
    """An item with its parts. ``is_answered``: an item of the model's own, which is not shown, stands before it."""

    role: Role
    parts: tuple[tuple[Segment, ...], ...]
    kind: Kind
    at: str = START
    is_answered: bool = False


def item(
    role: Role, kind: Kind, *parts: Iterable[Segment], at: str = START, is_answered: bool = False
) -> tuple[Item, ...]:
    """The item, () without any text: parts without text are not sent."""
    kept = tuple(segments for part in parts if (segments := tuple(each for each in part if each.text)))
    return (Item(role, kept, kind, at, is_answered),) if kept or is_answered else ()


@dataclass(slots=True)
class Request:
    """A request being written: ``index`` is that of the next item."""

    draft: Draft
    index: int = 0

    def send(self, role: Role, *parts: Iterable[Segment], at: str = START) -> None:
        """Add an item with its parts. A part without text is not sent, and neither is an item without parts."""
        block = 0
        for part in parts:
            segments = [segment for segment in part if segment.text]
            if segments:
                self.draft.add_message(role, segments, index=self.index, block=block, at=at)
                block += 1
        self.index += bool(block)

    def send_items(self, items: Iterable[Item]) -> None:
        """Add the items of a history."""
        for each in items:
            self.index += each.is_answered
            self.send(each.role, *each.parts, at=each.at)

    def send_tools(self, parts: Iterable[Iterable[Segment]], *, is_item: bool) -> None:
        """Add definitions of tools: an item, sent with others that are not shown, or a list beside the items."""
        first = 0 if is_item else 1
        for block, part in enumerate(parts, first):
            self.draft.add_message("tools", part, index=0, block=block)
        self.index += is_item
