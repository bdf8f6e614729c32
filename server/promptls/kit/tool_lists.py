"""Names in the ``tools`` of an agent, a prompt file or a mode that are no tool of the harness; silent in doubt."""

from __future__ import annotations

import re
from itertools import islice

from promptls.core.lazy import regex
from promptls.core.model import Fault
from promptls.core.near import near
from promptls.core.text import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from promptls.core.formats.tree import Value

# A name, and what it may be limited to, as in Bash(git:*).
_NAME = regex(r"([^\s,()\"'\[\]]+)(?:\([^()]*\))?")
# What a name of the harness's own may look like: others come from servers and extensions, or are patterns.
_PLAIN = regex(r"[A-Za-z]+(?:_[A-Za-z]+)*", re.ASCII)
# Nobody names more tools.
MOST = 500
# How much a name must be like one that is known: more where others may give names of their own.
LIKE, LIKE_AMONG_OTHERS = 0.75, 0.9


def unknown_tools(
    title: str, text: str, start: int, value: Value | None, known: Collection[str], *, is_all: bool = True
) -> tuple[Fault, ...]:
    """A fault for each name that is almost one of ``known``, or one for a list of plain words that has none of them.

    ``value`` is a list, or a text with commas, in the front matter that begins at ``start`` of ``text``.
    ``is_all``: ``known`` has every name that is no server's, so that another plain word names nothing.
    """
    return tuple(_faults(title, text, start, value, known, is_all=is_all)) if value is not None else ()


def _faults(
    title: str, text: str, start: int, value: Value, known: Collection[str], *, is_all: bool
) -> Iterator[Fault]:
    words = [each for each in value.items or (value,) if each.kind == "string"]
    spans = ((start + each.start, start + each.end) for each in words)
    names = list(islice((name for span in spans for name in _NAME.finditer(text, *span)), MOST))
    spelled = {each.lower() for each in known}
    unknown = [each for each in names if each[1].lower() not in spelled]
    plain = [each for each in unknown if _PLAIN.fullmatch(each[1])]
    like = LIKE if is_all else LIKE_AMONG_OTHERS
    meant = [(each, right) for each in plain if (right := near(each[1], known, like)) is not None]
    lines = lines_of(text)
    for each, right in meant:
        yield Fault("tool-unknown", lines.range(*each.span(1)), f"{title} has no tool {each[1]}. Write {right}.")
    if is_all and names and len(plain) == len(names) and not meant:
        says = f"{title} has no tool of {'this name' if len(names) == 1 else 'these names'}. Name those that it has."
        yield Fault("tool-unknown", lines.range(names[0].start(), names[-1].end()), says)
