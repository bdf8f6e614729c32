"""The number of tokens in a text: exact if the vocabulary is installed, otherwise an estimate, labelled as such.

Exact counts need the optional extra ``tokens``, which carries the vocabularies; nothing is downloaded.
"""

from __future__ import annotations

import collections
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ESTIMATE = "estimate"

# Tokens per character, by script, measured with o200k on prose: first and last letter, weight.
_SCRIPTS = (
    ("\x00", "\x7f", 0.25),
    ("\u1100", "\u11ff", 0.5),
    ("\u2010", "\u2bff", 1.0),
    ("\u3040", "\u30ff", 0.6),
    ("\u3130", "\u318f", 0.5),
    ("\u3400", "\u4dbf", 0.75),
    ("\u4e00", "\u9fff", 0.75),
    ("\uac00", "\ud7af", 0.5),
    ("\uf900", "\ufaff", 0.75),
    ("\uff00", "\uffef", 0.6),
    ("\U0001f000", "\U0001faff", 1.0),
    ("\U00020000", "\U0003134f", 0.75),
)
_ASCII_WEIGHT = _SCRIPTS[0][2]
_OTHER_WEIGHT = 0.33

# The vocabulary of a model, by the start of its id after the last slash.
_VOCABULARIES = (
    (("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-6", "chatgpt-4o", "o1", "o3", "o4", "codex"), "o200k_base"),
    (("gpt-4", "gpt-3.5"), "cl100k_base"),
)


class Counter:
    """Counts tokens for one model. ``method`` is ``estimate`` or the name of the vocabulary used."""

    __slots__ = ("_count", "method")

    def __init__(self, method: str, count: Callable[[str], int]) -> None:
        """``count`` gives the tokens of a text."""
        self.method = method
        self._count = count

    def __call__(self, text: str) -> int:
        """The tokens of ``text``."""
        return self._count(text) if text else 0


def counter(model: str | None) -> Counter:
    """The best counter for a model id: exact if its vocabulary is known and installed."""
    name = vocabulary(model)
    exact = _exact(name) if name else None
    return Counter(name, exact) if name and exact else Counter(ESTIMATE, estimate)


def vocabulary(model: str | None) -> str | None:
    """The name of the vocabulary that a model uses, if it is a public one."""
    name = (model or "").rpartition("/")[2]
    return next((vocabulary for heads, vocabulary in _VOCABULARIES if name.startswith(heads)), None)


def estimate(text: str) -> int:
    """Tokens by characters and script."""
    return max(1, round(len(text) * _ASCII_WEIGHT)) if text.isascii() else _estimate(text)


@lru_cache(maxsize=2048)
def _estimate(text: str) -> int:
    return max(1, round(sum(count * _weight(letter) for letter, count in collections.Counter(text).items())))


def _weight(letter: str) -> float:
    return next((weight for first, last, weight in _SCRIPTS if first <= letter <= last), _OTHER_WEIGHT)


@lru_cache(maxsize=4)
def _exact(name: str) -> Callable[[str], int] | None:
    """Exact counts of a vocabulary; None where the extra is not installed."""
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
    from importlib.machinery import PathFinder  # noqa: PLC0415 - only for models with a public vocabulary
    from importlib.util import module_from_spec  # noqa: PLC0415 - the same

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
