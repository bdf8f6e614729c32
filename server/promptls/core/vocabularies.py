"""Public vocabularies: the optional extra ``tokens`` carries them; nothing is downloaded."""

from __future__ import annotations

from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


@lru_cache(maxsize=4)
def exact(name: str) -> Callable[[str], int] | None:
    """The tokens of a text in a public vocabulary; None where the extra is not installed."""
    bindings = _bindings()
    if bindings is None:
        return None
    count = bindings.tokenizer_for_encoding(name).count
    return lru_cache(maxsize=2048)(lambda text: count(_whole(text)))


@lru_cache(maxsize=1)
def _bindings() -> Any:
    """The compiled part of bpe-openai, without its package.

    That builds a table of every vocabulary in Python first, which takes 0.7 s and of which nothing is used.
    """
    package = PathFinder.find_spec("bpe_openai")  # an optional extra of 75 MB
    places = package.submodule_search_locations if package is not None else None
    found = PathFinder.find_spec("_bindings", places) if places else None
    if found is None or found.loader is None:
        return None
    bindings = module_from_spec(found)
    found.loader.exec_module(bindings)
    return bindings


def _whole(text: str) -> str:
    """``text`` without halves of surrogate pairs, which no vocabulary has."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
