"""Where the tokens of several harnesses come from, as a tree: harness, kind of text, file."""

from __future__ import annotations

from promptls.core.map import OTHERS
from promptls.core.sizes import NAMES, sizes
from promptls.core.totals import is_own_only
from promptls.core.values import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from promptls.core.model import Prompt
    from promptls.core.sizes import Kind, Size

# The largest parts that are shown one by one; the others are one part together.
MOST = 40
OWN_NAME = "its own prompt"


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a prompt: its kind, its tokens, and the path of the file that it comes from, if that is one.

    Those of ``children``, the largest first, make up its own.
    """

    name: str
    kind: Kind
    tokens: int
    path: str | None = None
    children: tuple[Node, ...] = ()


def harness_node(prompt: Prompt) -> Node:
    """The tree of a prompt: a child for each file of instructions, and for each other kind of text."""
    by_kind: dict[Kind, list[Size]] = {}
    for each in sizes(prompt, is_by_file=True):
        if each.tokens:
            by_kind.setdefault(each.kind, []).append(each)
    files = [_leaf(each) for kind in ("file", "url") for each in by_kind.pop(kind, ())]
    groups = [_group(kind, found) for kind, found in by_kind.items()]
    name = prompt.session.harness
    return _parent(f"{name} (own text only)" if is_own_only(prompt) else name, "harness", [*files, *groups])


def own_part(tree: Node) -> Node:
    """The tree without what belongs to the harness or was typed."""
    children = tuple(each for each in tree.children if each.kind not in OTHERS)
    return replace(tree, tokens=sum(each.tokens for each in children), children=children)


def _group(kind: Kind, found: Sequence[Size]) -> Node:
    name = OWN_NAME if kind == "harness" else NAMES.get(kind, kind)
    if len(found) == 1:
        return Node(name, kind, found[0].tokens, _leaf(found[0]).path)
    return _parent(f"{name} ({len(found)})", kind, map(_leaf, found))


def _parent(name: str, kind: Kind, children: Iterable[Node]) -> Node:
    ordered = sorted(children, key=lambda each: (-each.tokens, each.name))
    shown, rest = ordered[:MOST], ordered[MOST:]
    if rest:
        shown.append(Node(f"{len(rest)} more", kind, sum(each.tokens for each in rest)))
        shown.sort(key=lambda each: -each.tokens)
    return Node(name, kind, sum(each.tokens for each in ordered), None, tuple(shown))


def _leaf(size: Size) -> Node:
    return Node(
        size.name, size.kind, size.tokens, size.name if size.name.startswith("/") or size.name[1:2] == ":" else None
    )
