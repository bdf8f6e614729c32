"""The items of a history, each with what becomes of it later."""

from __future__ import annotations

from promptls.core.model import START
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from promptls.core.model import Role, Segment

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
