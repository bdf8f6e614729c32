"""Markdown as far as harnesses read it: which parts of a text are code."""

from __future__ import annotations

from functools import lru_cache

from promptls.core.formats.tree import Offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_BLOCKS = ("fenced_code_block", "indented_code_block")
_INLINES = ("inline", "pipe_table_cell")


@lru_cache(maxsize=64)
def code(text: str) -> tuple[tuple[int, int], ...]:
    """The code of ``text``, blocks and spans: start and end offsets, in order."""
    offsets = Offsets(text)
    blocks, inlines = _parsers()
    found: list[tuple[int, int]] = []
    for node in _walk(blocks.parse(text.encode("utf-8", "replace")).root_node, (*_BLOCKS, *_INLINES)):
        if node.type in _BLOCKS:
            found.append((node.start_byte, node.end_byte))
        else:
            spans = _walk(inlines.parse(node.text or b"").root_node, ("code_span",))
            found += [(node.start_byte + span.start_byte, node.start_byte + span.end_byte) for span in spans]
    return tuple((offsets[start], offsets[end]) for start, end in sorted(found))


def _walk(root: Node, wanted: tuple[str, ...]) -> Iterator[Node]:
    """The topmost nodes of the ``wanted`` types, in order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in wanted:
            yield node
        else:
            stack.extend(reversed(node.children))


@lru_cache(maxsize=1)
def _parsers():  # type: ignore[no-untyped-def] # noqa: ANN202 - the type is only there once tree-sitter is imported
    # Imported late: only a text that may import another needs it.
    import tree_sitter  # noqa: PLC0415 - see above
    import tree_sitter_markdown  # noqa: PLC0415 - see above

    languages = (tree_sitter_markdown.language(), tree_sitter_markdown.inline_language())
    return tuple(tree_sitter.Parser(tree_sitter.Language(language)) for language in languages)
