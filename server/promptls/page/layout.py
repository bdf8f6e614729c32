"""Lays out a tree as a treemap: rectangles whose areas are in proportion to their tokens."""

from __future__ import annotations

import squarify

from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptls.page.tree import Node

# What a part needs of the area that it is in, so that it can be seen and pointed at.
LEAST = 0.002


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle of a node: its place and size in per cent of the one that it is in."""

    node: Node
    left: float
    top: float
    width: float
    height: float
    boxes: tuple[Box, ...] = ()


def boxes(nodes: Sequence[Node], width: float, height: float, least_share: float = LEAST) -> tuple[Box, ...]:
    """The rectangles of ``nodes`` in an area of this shape, the largest first.

    Those with less than ``least_share`` of the tokens are enlarged to that.
    """
    ordered = sorted((each for each in nodes if each.tokens), key=lambda each: -each.tokens)
    least = least_share * sum(each.tokens for each in ordered)
    sizes = squarify.normalize_sizes([max(each.tokens, least) for each in ordered], width, height)
    return tuple(
        Box(
            node,
            left=found["x"] / width * 100,
            top=found["y"] / height * 100,
            width=found["dx"] / width * 100,
            height=found["dy"] / height * 100,
            boxes=boxes(node.children, found["dx"], found["dy"]),
        )
        for node, found in zip(ordered, squarify.squarify(sizes, 0, 0, width, height), strict=True)
    )
