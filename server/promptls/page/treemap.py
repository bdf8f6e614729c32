"""The treemap of a page: a box for each harness, and in it one for each file and part of its prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import squarify

from promptls.core.values import dataclass
from promptls.page.elements import element
from promptls.page.frame import legend
from promptls.page.tree import harness_node, own_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from xml.etree.ElementTree import Element

    from promptls.page.elements import Links
    from promptls.page.tree import Node
    from promptls.workspace.folder_map import FolderMap


# The shape of the area, which the window then stretches.
WIDTH, HEIGHT = 16, 9
# What a harness needs of the area at least, so that its name can be read.
LEAST = 0.04
SAYS = "Point at a box, or go through them with the arrow keys. The name of a coding agent enlarges its part."


def treemap(found: FolderMap, links: Links) -> tuple[Element, str]:
    """The section with the treemap, and the style that puts its boxes in their places.

    There are two layouts: of everything and, where the list has the class ``own``, of the user's own text.
    """
    trees = [each for each in map(harness_node, found.prompts) if each.tokens]
    nodes = [node for tree in trees for node in _all(tree)]
    ids = {id(node): f"b{at}" for at, node in enumerate(nodes)}
    owns = [own_part(tree) for tree in trees]
    ids_of_own = ids | {id(own): ids[id(tree)] for own, tree in zip(owns, trees, strict=True)}
    shares = {each.harness: f"{each.tokens / each.window:.1%}" for each in found.table.columns if each.window}
    kinds = {node.kind for node in nodes if not node.children}
    section = element(
        "section",
        element("h2", "Where the tokens of a start come from"),
        legend(kinds),
        element("button", "Only my own text", type="button", id="own", class_="toggle", aria_pressed="false"),
        element("ul", *(_harness(tree, ids, links, shares.get(tree.name)) for tree in trees), class_="map"),
        element("p", SAYS, id="said", role="status"),
        id="tokens",
    )
    whole = dict(_places(boxes(trees, WIDTH, HEIGHT, LEAST), ids))
    own = dict(_places(boxes(owns, WIDTH, HEIGHT, LEAST), ids_of_own))
    most = max((each.tokens for each in trees), default=1)
    shares_of_most = {ids[id(tree)]: f";--share:{100 * tree.tokens / most:.0f}" for tree in trees}
    rules = [f":where(#{name}){{{place}{shares_of_most.get(name, '')}}}" for name, place in whole.items()]
    rules += [f".own :where(#{name}){{{own.get(name, 'display:none')}}}" for name in whole]
    return section, "\n".join((*rules, ""))


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all(child)


def _places(found: Sequence[Box], ids: dict[int, str]) -> Iterator[tuple[str, str]]:
    """The id of each box, and the style of its place."""
    for box in found:
        place = f"left:{box.left:.3f}%;top:{box.top:.3f}%;width:{box.width:.3f}%;height:{box.height:.3f}%"
        yield ids[id(box.node)], place
        yield from _places(box.boxes, ids)


def _harness(tree: Node, ids: dict[int, str], links: Links, share: str | None) -> Element:
    text = f"{tree.name} · {tree.tokens:,} tokens" + (f" · {share} of the window" if share else "")
    return element(
        "li",
        element("button", text, type="button", aria_pressed="false"),
        element("ul", *(_part(node, ids, links) for node in tree.children)),
        id=ids[id(tree)],
    )


def _part(node: Node, ids: dict[int, str], links: Links) -> Element:
    name = links.name(node.path) if node.path else links.shown(node.name)
    text, says = f"{name} {node.tokens:,}", f"{name}, {node.tokens:,} tokens"
    children = [element("ul", *(_part(child, ids, links) for child in node.children))] if node.children else []
    if node.path:
        label = links.link(node.path, text, aria_label=says)
    else:
        label = element("span", text, tabindex="0", aria_label=says, role="group")
    return element("li", label, *children, id=ids[id(node)], class_=node.kind)


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
