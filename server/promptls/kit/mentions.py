"""``@path`` in a Markdown text, as harnesses find it that put another file's text there."""

from __future__ import annotations

from promptls.core.formats import markdown
from promptls.core.lazy import regex
from promptls.core.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MENTION = regex(r"(?<!\S)@(\S+)")


@dataclass(frozen=True, slots=True)
class Mention:
    """One ``@path``: ``start`` and ``end`` are offsets, the ``@`` included; ``target`` is what follows it."""

    start: int
    end: int
    target: str

    @property
    def is_path(self) -> bool:
        """Whether it looks like a file's, and not like a person's or a decorator's name."""
        return "/" in self.target or "." in self.target


def mentions(text: str) -> Iterator[Mention]:
    """Every ``@path`` of ``text`` after white space or at a beginning, in order; none in code."""
    found = list(_MENTION.finditer(text))
    code = markdown.Inside(markdown.code(text) if found else ())
    for match in found:
        if code.at(match.start()) is None:
            yield Mention(match.start(), match.end(), match[1])
