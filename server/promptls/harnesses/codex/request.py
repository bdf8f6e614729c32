"""The items of a request in the order in which they are sent."""

from __future__ import annotations

from promptls.core.model import START
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptls.core.model import Role, Segment
    from promptls.harnesses.codex.talk.items import Item
    from promptls.kit.draft import Draft


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
