"""The parsers of tree-sitter, each loaded when the first text needs it: most previews need none."""

from __future__ import annotations

from functools import lru_cache

from promptls.core.lazy import module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Parser


@lru_cache(maxsize=8)
def parser(package: str, grammar: str = "language") -> Parser:
    """The parser of a grammar of the Python package ``package``."""
    from tree_sitter import Language, Parser  # noqa: PLC0415 - see above

    return Parser(Language(getattr(module(package), grammar)()))
