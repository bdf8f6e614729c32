"""The parsers of tree-sitter, each loaded when the first text needs it: most previews need none."""

from __future__ import annotations

from functools import lru_cache

from promptls.core.lazy import module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Parser


@lru_cache(maxsize=8)
def parser(package: str, grammar: str = "language") -> Parser:
    """The parser of a grammar of the Python package ``package``."""
    from tree_sitter import Language, Parser  # noqa: PLC0415 - see above

    return Parser(Language(getattr(_binding(package), grammar)()))


def _binding(package: str) -> ModuleType:
    """The part of the package that is compiled; the rest imports what takes as long as a tenth of a preview."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 - see above
    from importlib.util import module_from_spec  # noqa: PLC0415 - see above

    around = PathFinder.find_spec(package)
    name = f"{package}._binding"
    spec = PathFinder.find_spec(name, around.submodule_search_locations) if around is not None else None
    if spec is None or spec.loader is None:
        return module(package)
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
