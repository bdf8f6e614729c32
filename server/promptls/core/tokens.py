"""How many tokens a text costs: by an estimate that says it is one, exactly where the vocabulary is at hand.

Exact counts need the optional extra ``promptls[tokens]``, which carries the vocabularies; nothing is downloaded.
"""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ESTIMATE = "estimate"

# Tokens a character, by script, measured with o200k on prose; what is not listed counts as a third of a token.
_SCRIPTS = (
    (re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"), 0.75),
    (re.compile(r"[\u3040-\u30ff\uff00-\uffef]"), 0.6),
    (re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"), 0.5),
    (re.compile(r"[\u2010-\u2bff\U0001f000-\U0001faff]"), 1.0),
)
_ASCII = re.compile(r"[\x00-\x7f]")
_ASCII_WEIGHT = 0.25
_OTHER_WEIGHT = 0.33

# The vocabulary of a model, by the beginning of its id behind the last slash.
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
    """The best counter for a model id: exact where its vocabulary is known and installed."""
    name = vocabulary(model)
    exact = _exact(name) if name else None
    return Counter(name, exact) if name and exact else Counter(ESTIMATE, estimate)


def vocabulary(model: str | None) -> str | None:
    """The name of the vocabulary that a model uses, if it is a public one."""
    name = (model or "").rpartition("/")[2]
    return next((vocabulary for heads, vocabulary in _VOCABULARIES if name.startswith(heads)), None)


@lru_cache(maxsize=2048)
def estimate(text: str) -> int:
    """Tokens by characters and script."""
    if text.isascii():
        return max(1, round(len(text) * _ASCII_WEIGHT))
    left = len(text)
    total = 0.0
    for pattern, weight in ((_ASCII, _ASCII_WEIGHT), *_SCRIPTS):
        found = len(text) - len(pattern.sub("", text))
        total += found * weight
        left -= found
    return max(1, round(total + left * _OTHER_WEIGHT))


@lru_cache(maxsize=4)
def _exact(name: str) -> Callable[[str], int] | None:
    try:
        import bpe_openai  # noqa: PLC0415 - an optional extra of 75 MB
    except ImportError:
        return None
    encoding = bpe_openai.get_encoding(name)
    return lru_cache(maxsize=2048)(lambda text: len(encoding.encode_ordinary(text)))
